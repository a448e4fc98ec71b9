import type { JsonValue } from 'holdpoint';
import type { Person } from './person.ts';
import type { RunState } from './states.ts';

/** A run as the desk keeps it. */
export interface RunRow {
  readonly tenant: string;
  readonly id: string;
  /** The name of its agent at the desk. */
  readonly agent: string;
  readonly conversationId: string;
  readonly state: RunState;
  /** Who has asked for it; calls run for this person, whoever approves them. */
  readonly requester?: Person | undefined;
  /** The other requesters of its conversation; `null` for an unknown one. */
  readonly alsoAsked?: readonly (Person | null)[] | undefined;
  /** Where in the conversation its messages begin. */
  readonly firstPosition: number;
  /** How many of its holds nobody has settled. */
  readonly openHolds: number;
  /** How often it has parked. */
  readonly parks: number;
  /** What it has used so far, as `RunUsage.spent` gives it. */
  readonly usage?: JsonValue | undefined;
  /** What it ended with. */
  readonly output?: JsonValue | undefined;
  /** Why it failed, is stuck, or has to be tried again. */
  readonly error?: RunProblem | undefined;
  /**
   * The fingerprint of the redaction rules that were applied to all its steps; empty without rules, and
   * absent before the first step.
   */
  readonly redactionRules?: string | undefined;
  /** The key that it was started with; its input binds the key. */
  readonly idempotencyKey?: string | undefined;
  /** A hash of what it was started with, to notice a key that is used for something else. */
  readonly startHash: string;
  /** In milliseconds since 1970, by the clock of the store, as all times here. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** How many entries its audit has, and the hash of the last one. */
  readonly auditCount: number;
  readonly auditHash: string;
}

/** What went wrong with a run. */
export interface RunProblem {
  readonly message: string;
  /** The code of the error, where it has one. */
  readonly code?: string | undefined;
}
