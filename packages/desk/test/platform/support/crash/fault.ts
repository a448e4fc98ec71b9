/** Points at which a fault can hit a worker. */
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
/** Points at which a fault can hit a clerk. */
export const CLERK_POINTS = ['start', 'decision'] as const;
export type Point = (typeof WORKER_POINTS)[number] | (typeof CLERK_POINTS)[number];

/** Before the commit, or after it and before the acknowledgement. */
export type Side = 'before' | 'after';

/**
 * A fault of a process: it is killed, is frozen for longer than its lease, or its store fails. It hits the process
 * at its nth visit of a point, or after a time.
 */
export type Fault = FaultAtPoint | { readonly action: 'kill' | 'freeze'; readonly afterMs: number };

export interface FaultAtPoint {
  readonly action: 'kill' | 'freeze' | 'fail';
  readonly point: Point;
  readonly side: Side;
  readonly nth: number;
}

export function nameOfFault(fault: Fault): string {
  return 'point' in fault
    ? `${fault.action} ${fault.side} ${fault.point}`
    : `${fault.action} at random`;
}
