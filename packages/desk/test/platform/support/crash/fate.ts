/** What a process does that something can happen to. */
export const WORKER_POINTS = [
  'claim',
  'begin',
  'model',
  'checkpoint',
  'call',
  'execution',
  'settle',
  'park',
  'finish',
] as const;
export const CLERK_POINTS = ['start', 'answer'] as const;
export type Point = (typeof WORKER_POINTS)[number] | (typeof CLERK_POINTS)[number];

/** Before what was done is committed, or after it, when nobody has heard of it yet. */
export type Side = 'before' | 'after';

/**
 * What becomes of a process: it is killed, or stands still for longer than its lease, or its store fails it;
 * at a named point, when it comes there for the nth time, or whenever the test pleases.
 */
export type Fate = NamedFate | { readonly does: 'kill' | 'freeze'; readonly afterMs: number };

export interface NamedFate {
  readonly does: 'kill' | 'freeze' | 'fail';
  readonly point: Point;
  readonly side: Side;
  readonly nth: number;
}

export function nameOf(fate: Fate): string {
  return 'point' in fate ? `${fate.does} ${fate.side} ${fate.point}` : `${fate.does} at random`;
}
