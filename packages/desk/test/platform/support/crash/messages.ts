import type { Decision, WebhookOptions } from '@holdpoint/desk';
import type { Fault } from './fault.ts';
import type { StoreSpec } from './store-spec.ts';

/** Names of the processes that start runs and decide holds. */
export const CLERKS = ['a', 'b', 'c'];

/** Settings of a worker or clerk. */
export interface Setup {
  readonly store: StoreSpec;
  readonly effects: string;
  /** The receivers to which workers deliver events. */
  readonly webhooks: readonly WebhookOptions[];
  readonly lease: number;
  readonly seed: number;
  /** A clerk's name, and the number of the next run that it starts. */
  readonly name: string;
  readonly next: number;
  /** Set if a clerk may start runs. */
  readonly startsRuns: boolean;
  readonly fault?: Fault | undefined;
}

/** A decision that the desk acknowledged. */
export interface AcknowledgedDecision {
  readonly holdId: string;
  readonly digest: string;
  readonly by: string;
  readonly decision: Decision;
}

/** The call or run that a process was working on when a fault hit it. */
export interface FaultTarget {
  /** A call that it is about to execute. */
  readonly call?: string | undefined;
  /** A run that it has claimed. */
  readonly runId?: string | undefined;
}

/** A message of a process to the test, sent as a line of JSON. */
export type ChildMessage =
  | { readonly kind: 'ready' | 'failed' | 'stopped-starting' }
  | ({ readonly kind: 'frozen' } & FaultTarget)
  | { readonly kind: 'started'; readonly index: number; readonly runId: string }
  | ({ readonly kind: 'decided'; readonly at: number } & AcknowledgedDecision)
  | RejectedDecision;

/** A decision that was rejected because an earlier one, by `by`, was recorded. */
export interface RejectedDecision {
  readonly kind: 'rejected';
  readonly holdId: string;
  readonly by: string | undefined;
  readonly at: number;
}

/** The decisions of one of two people who decide the same holds at the same times. */
export interface Duel {
  readonly store: StoreSpec;
  readonly by: string;
  readonly kind: 'approve' | 'deny';
  readonly holds: readonly { readonly holdId: string; readonly digest: string }[];
  readonly everyMs: number;
}
