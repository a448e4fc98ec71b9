/** A part of an ended run with its own age of deletion. */
export type RunPart =
  /** The messages of its conversation, with the ledger entries. */
  | 'history'
  | 'holds'
  /** Everything but the audit. */
  | 'content'
  /** The audit, with the rest of the run. */
  | 'audit';

/** A run that has ended and still has a part that can be deleted. */
export interface EndedRun {
  readonly tenant: string;
  readonly id: string;
  readonly conversationId: string;
  readonly updatedAt: number;
}

/** The runs that a deletion is about: one run, or all runs of a conversation. */
export type RunScope =
  | { readonly tenant: string; readonly runId: string }
  | { readonly tenant: string; readonly conversationId: string };

/** Reasons that prevent a deletion. */
export interface PendingParts {
  /** A run that is ready, running, parked or stuck. */
  readonly hasLiveRun: boolean;
  /** A run that changed at or after the given time. */
  readonly hasRecentRun: boolean;
  /** A hold that is open, or whose outcome is not in the history yet. */
  readonly hasPendingHold: boolean;
  /** A ledger entry that is claimed or in doubt. */
  readonly hasUnsettledEntry: boolean;
  /** A call whose lease has not ended, so it may be executing. */
  readonly hasExecutingCall: boolean;
  /** A grant that may still approve calls. */
  readonly hasLiveGrant: boolean;
  /** An event, delivered or not. */
  readonly hasEvent: boolean;
}

/** The number of rows that belong to runs. */
export interface RowCounts {
  readonly runs: number;
  readonly messages: number;
  readonly holds: number;
}

/** A page of candidates in the order of their age. */
export interface CandidatePage<Cursor> {
  readonly before: number;
  readonly after?: Cursor | undefined;
  readonly limit: number;
}

/** A range of events by their sequence, both ends included. */
export interface EventRange {
  readonly first: number;
  readonly last: number;
  readonly before: number;
}

/** Kinds of rows that are deleted by age alone, without regard to a run. */
export type AgedRows = 'deliveries' | 'tokens';

/** Queries for the deletion of rows. Each reads at most `limit` rows, by an index. */
export interface ReadRetention {
  /** Returns runs that ended before a time and still have the part. */
  endedRuns(part: RunPart, page: CandidatePage<EndedRun>): Promise<readonly EndedRun[]>;
  /** Returns reasons not to delete; a run that changed at `before` or later is recent. */
  pendingIn(scope: RunScope, before: number): Promise<PendingParts>;
  countIn(scope: RunScope): Promise<RowCounts>;
  /** Returns the ids of the grants that were created in runs. */
  grantsIn(scope: RunScope): Promise<readonly string[]>;
  /** Returns the ids of runs whose audit names a person, in the order of their ids. */
  runsOfPerson(
    tenant: string,
    personKey: string,
    page: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly string[]>;
  /** Returns the sequences of events from before a time, in order. */
  eventsBefore(page: CandidatePage<number>): Promise<readonly number[]>;
  /** Counts the events of a range that `removeEvents` would delete. */
  countEvents(range: EventRange): Promise<number>;
  /** Counts rows that are older than a time, up to a limit. */
  countOlder(rows: AgedRows, before: number): Promise<number>;
  /** The time from which a process may claim the retention job. */
  jobDueAt(): Promise<number>;
}

/** Deletions. The caller has locked the runs and checked `pendingIn`. */
export interface Retention extends ReadRetention {
  /** Claims the retention job for a time, in milliseconds; returns `false` if another process has it. */
  claimJob(lease: number): Promise<boolean>;
  /** Sets the time from which the job can be claimed again, in milliseconds from now. */
  postponeJob(delay: number): Promise<void>;
  /**
   * Deletes the messages and requesters of a conversation, the settled ledger entries of its runs,
   * and the prompts that no model received.
   */
  removeHistory(tenant: string, conversationId: string): Promise<void>;
  /** Deletes holds with their decisions and grants. */
  removeHolds(scope: RunScope): Promise<void>;
  /** Deletes inputs with their idempotency keys. */
  removeInputs(scope: RunScope): Promise<void>;
  /** Deletes the redacted values of a conversation. */
  removeSecrets(tenant: string, conversationId: string): Promise<void>;
  /** Removes a person from the audit entries of a run; their hashes stay valid. Returns the number of entries. */
  removePersonFromAudit(tenant: string, runId: string, personKey: string): Promise<number>;
  /** Deletes the sessions and links of a person; returns their number. */
  removeTokensOf(tenant: string, personKey: string): Promise<number>;
  /** Deletes the audit of a run, and the run. */
  removeRun(tenant: string, runId: string): Promise<void>;
  /**
   * Deletes events without a task, a pending delivery and a dead letter. The last event of the
   * database stays, because readers continue after its position. Returns the number of deleted
   * events.
   */
  removeEvents(range: EventRange): Promise<number>;
  /** Deletes up to `max` rows that are older than a time; returns their number. */
  removeOlder(rows: AgedRows, before: number, max: number): Promise<number>;
}
