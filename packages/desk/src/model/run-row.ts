import type { JsonValue } from 'holdpoint';
import type { Person } from './person.ts';
import type { RequestFacts } from './request-facts.ts';
import type { RunState } from './states.ts';

/** A run as the desk stores it. */
export interface RunRow {
  readonly tenant: string;
  readonly id: string;
  /** The name of its agent at the desk. */
  readonly agent: string;
  readonly conversationId: string;
  readonly state: RunState;
  /** The requester. Calls execute on behalf of this person. */
  readonly requester?: Person | undefined;
  /** The other requesters of its conversation; `null` for an unknown one. */
  readonly otherRequesters?: readonly (Person | null)[] | undefined;
  /** Set if it is a request from outside: another program executes its call, and no worker. */
  readonly request?: RequestFacts | undefined;
  /** The beginning of the text of the prompt that started it. It may contain redacted values. */
  readonly prompt?: string | undefined;
  /** The position of its first message in the conversation. */
  readonly firstPosition: number;
  /** The number of its open holds. */
  readonly openHolds: number;
  /** The number of times that it parked. */
  readonly parks: number;
  /** The usage so far, as `RunUsage.spent` returns it. */
  readonly usage?: JsonValue | undefined;
  /** The output of a finished run. */
  readonly output?: JsonValue | undefined;
  /** The reason why it failed, is stuck or is retried. */
  readonly error?: RunProblem | undefined;
  /**
   * The fingerprint of the redaction rules that were applied to all its steps; empty without rules, and
   * absent before the first step.
   */
  readonly redactionRules?: string | undefined;
  /** The key that it was started with; its input binds the key. */
  readonly idempotencyKey?: string | undefined;
  /** A hash of the start request, to detect a key that is used for another request. */
  readonly startHash: string;
  /** In milliseconds since 1970, by the clock of the store, like all times here. */
  readonly createdAt: number;
  /** The time of the last change of the run, without entries of its audit. */
  readonly updatedAt: number;
  /** The time at which the messages and the ledger entries of its conversation were deleted. */
  readonly historyErasedAt?: number | undefined;
  /** The time at which its holds were deleted. */
  readonly holdsErasedAt?: number | undefined;
  /**
   * The time at which all data except its audit was deleted. Only ids, states, times and hashes
   * remain.
   */
  readonly erasedAt?: number | undefined;
  /** The number of its audit entries, and the hash of the last one. */
  readonly auditCount: number;
  readonly auditHash: string;
}

/** The problem of a run. */
export interface RunProblem {
  readonly message: string;
  /** The code of the error, if it has one. */
  readonly code?: string | undefined;
}
