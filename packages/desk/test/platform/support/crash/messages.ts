import type { HoldAnswer } from '@holdpoint/desk';
import type { Fate } from './fate.ts';
import type { StoreSpec } from './store-spec.ts';

/** Those who start runs and answer. */
export const CLERKS = ['a', 'b', 'c'];

/** What a process is started with. */
export interface Setup {
  readonly store: StoreSpec;
  readonly effects: string;
  readonly lease: number;
  readonly seed: number;
  /** A clerk's name, and the number of the next run that it starts. */
  readonly name: string;
  readonly next: number;
  readonly fate?: Fate | undefined;
}

/** An answer that the desk has acknowledged. */
export interface Acknowledged {
  readonly holdId: string;
  readonly digest: string;
  readonly by: string;
  readonly answer: HoldAnswer;
}

/** What a process is about to do, or has just done something for. */
export interface About {
  /** A call that it is about to execute. */
  readonly call?: string | undefined;
  /** A run that it has claimed. */
  readonly runId?: string | undefined;
}

/** What a process says, as a line of JSON. */
export type Said =
  | { readonly kind: 'ready' | 'failed' }
  | ({ readonly kind: 'frozen' } & About)
  | { readonly kind: 'started'; readonly index: number; readonly runId: string }
  | ({ readonly kind: 'answered'; readonly at: number } & Acknowledged)
  | Refused;

/** An answer that came too late, and whose was there before. */
export interface Refused {
  readonly kind: 'refused';
  readonly holdId: string;
  readonly by: string | undefined;
  readonly at: number;
}

/** What a person has to say to some holds, one after the other from when they are told to begin. */
export interface Duel {
  readonly store: StoreSpec;
  readonly by: string;
  readonly kind: 'approve' | 'deny';
  readonly holds: readonly { readonly holdId: string; readonly digest: string }[];
  readonly everyMs: number;
}
