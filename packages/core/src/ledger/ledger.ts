import { invalidOption } from '../errors/check-options.ts';
import type { JsonValue } from '../internal/json.ts';

/**
 * The key of a ledger entry: a slot of a parked step.
 *
 * Both parts come from stored histories. A ledger must not interpret them.
 */
export interface LedgerKey {
  /** The name of the step, from its step record in the history. */
  readonly step: string;
  /** The slot: `call:3` is the fourth call of the parked response, `round:0` its first resumption. */
  readonly slot: string;
}

/** Returns the key of a call by its index among the calls of the parked response. */
export function callKey(step: string, index: number): LedgerKey {
  return Object.freeze({ step, slot: `call:${index}` });
}

/** Returns the `ctx.idempotencyKey` of the call with a ledger key; `undefined` for the key of a round or a sub-agent. */
export function idempotencyKeyOf({ step, slot }: LedgerKey): string | undefined {
  const index = /^call:(\d+)$/.exec(slot)?.[1];
  return index === undefined ? undefined : `${step}:${index}`;
}

/**
 * Returns the key of a resumption of a step: 0 is the first. Later rounds belong to the run that parked again, so two
 * runs that continue one history (`onAlreadyResumed: 'replay'`) have different keys.
 */
export function roundKey(step: string, round: number, runId = ''): LedgerKey {
  return Object.freeze({ step, slot: round === 0 ? 'round:0' : `round:${round}:${runId}` });
}

/**
 * Records which calls of parked runs were started and what their outcomes are.
 *
 * With a ledger, each call executes at most once, however often and in however many processes its run is resumed.
 *
 * A key without an entry is *free*. `claim` makes it *busy* for every other caller, and `settle` gives it its final
 * outcome. A claim without an outcome never becomes free by itself: when its lease ends, or when its owner calls
 * `doubt`, it is *in doubt*. Only `resolve` ends that, after an operator or an approver found out what happened.
 *
 * Each operation is atomic among all processes that share the ledger. An operation that throws may have had its effect.
 * The ledger's clock decides when a lease ends. Returned data is plain and frozen. `describeLedger` in
 * `holdpoint/testing` tests a ledger against this contract.
 */
export interface Ledger {
  /**
   * Returns the time, in milliseconds since 1970, since which no entry was forgotten. It never decreases.
   *
   * The ledger may have no entries of a step that was parked earlier, although the step was resumed: it keeps entries
   * for a limited time, or it was created later. Such a step must not be resumed. Call this after a claim and not only
   * before, because entries may be forgotten in between.
   *
   * A claim is not forgotten before its lease ends. A ledger that several machines share keeps entries longer than
   * this time, by the maximum difference of their clocks.
   */
  retainedSince(): number | Promise<number>;

  /**
   * Takes the exclusive right to execute, or returns why it is not available.
   *
   * A caller that gets `held` must settle, release or doubt the claim, and extend it before its lease ends.
   */
  claim(key: LedgerKey, options: LedgerClaimOptions): Promise<LedgerClaimState>;

  /**
   * Sets the end of the lease to `lease` milliseconds from now, as a heartbeat of the owner.
   *
   * A lease that ended starts again, unless the doubt was resolved since then. In every other case
   * the result is `lost`, and the owner must not start the call.
   */
  extend(claim: LedgerClaim, lease: number): Promise<'extended' | 'lost'>;

  /**
   * Frees the key: nothing was started under the claim, and nothing will be.
   *
   * Only the owner knows that, so it works after the end of the lease too. It has no effect if the claim was settled,
   * doubted or resolved.
   */
  release(claim: LedgerClaim): Promise<void>;

  /**
   * Records the outcome of the claim. The first outcome is final.
   *
   * It also works after the lease ended or the owner doubted the claim, because the outcome is known now. After the
   * doubt was resolved the result is `lost`, and nothing changes. Settling a settled attempt returns `settled` again,
   * so a caller can repeat a call that failed.
   */
  settle(claim: LedgerClaim, outcome: JsonValue): Promise<'settled' | 'lost'>;

  /**
   * Records that something was started and its outcome is unknown. The first reason is kept.
   *
   * It has no effect if the claim was settled, released or resolved.
   */
  doubt(claim: LedgerClaim, reason: string): Promise<void>;

  /** Settles a free key without an execution, such as for a denial. An existing entry is not changed. */
  record(key: LedgerKey, entry: LedgerRecordOptions): Promise<LedgerRecordState>;

  /**
   * Ends a doubt: with `run-again` the key is free, with `outcome` it is settled.
   *
   * The result is `lost`, and nothing changes, if the key is not in doubt because of this attempt:
   * it was settled or resolved since then, or its owner extended the lease. A decision about one
   * attempt is never applied to a later one.
   */
  resolve(claim: LedgerClaim, resolution: LedgerResolution): Promise<'resolved' | 'lost'>;

  /**
   * Throws if calls of the run must not start any more, because it was cancelled or another worker owns it.
   *
   * A run calls it before each call without a claim, also in sub-agents; `claim` includes this check. A ledger without
   * knowledge of runs omits it.
   */
  requireActive?(): Promise<void>;

  /** Returns the entry of a key; `undefined` for a free key. */
  read(key: LedgerKey): Promise<LedgerEntryState | undefined>;
}

/** One attempt to execute something. */
export interface LedgerClaim {
  readonly key: LedgerKey;
  /** The id of the attempt. The ledger creates a new one for each claim. */
  readonly attempt: string;
}

/** Options of a claim. */
export interface LedgerClaimOptions {
  /** The digest of the call, if it has one. Different digests are a conflict. */
  readonly digest?: string | undefined;
  /** Milliseconds until the claim is in doubt, unless it ends or is extended before. */
  readonly lease: number;
}

/** An outcome to record without an execution. */
export interface LedgerRecordOptions {
  /** The digest of the call, if it has one. Different digests are a conflict. */
  readonly digest?: string | undefined;
  readonly outcome: JsonValue;
}

/** The resolution of a call in doubt. */
export type LedgerResolution =
  | { readonly kind: 'run-again' }
  | { readonly kind: 'outcome'; readonly outcome: JsonValue };

/** The result of a claim. */
export type LedgerClaimState = LedgerHeld | LedgerEntryState | LedgerConflict;

/** The result of recording an outcome. */
export type LedgerRecordState = LedgerRecorded | LedgerEntryState | LedgerConflict;

/** The entry of a key that is not free. */
export type LedgerEntryState = LedgerBusy | LedgerInDoubt | LedgerSettled;

/** The caller holds the claim. */
export interface LedgerHeld {
  readonly state: 'held';
  readonly claim: LedgerClaim;
}

/** The outcome was recorded. */
export interface LedgerRecorded {
  readonly state: 'recorded';
}

/** Another caller holds the claim. */
export interface LedgerBusy {
  readonly state: 'busy';
  /** The end of the lease, in milliseconds since 1970 by the clock of the ledger. */
  readonly until: number;
  readonly digest?: string | undefined;
}

/** The key was claimed, and the outcome is unknown. */
export interface LedgerInDoubt {
  readonly state: 'doubt';
  /** The attempt in doubt, for `resolve`. */
  readonly claim: LedgerClaim;
  /** The reason that the owner recorded, or that its lease ended. For people. */
  readonly reason: string;
  /** The start of the doubt, in milliseconds since 1970 by the clock of the ledger. */
  readonly since: number;
  readonly digest?: string | undefined;
}

/** The key has its final outcome. */
export interface LedgerSettled {
  readonly state: 'settled';
  readonly outcome: JsonValue;
  readonly digest?: string | undefined;
}

/** The key has an entry for another call: its digest differs. */
export interface LedgerConflict {
  readonly state: 'conflict';
  /** The digest of the entry. */
  readonly digest: string;
}

const METHODS: Readonly<Record<Exclude<keyof Ledger, 'requireActive'>, true>> = {
  retainedSince: true,
  claim: true,
  extend: true,
  release: true,
  settle: true,
  doubt: true,
  record: true,
  resolve: true,
  read: true,
};

/** Throws a `UserError` unless the option `ledger` has all methods of a ledger. */
export function requireLedger(owner: string, ledger: unknown): void {
  const isObject = typeof ledger === 'object' && ledger !== null;
  // Every object may have any member. Each is validated before it is used.
  const members = (isObject ? ledger : {}) as Readonly<Record<string, unknown>>;
  const missing = Object.keys(METHODS).find((name) => typeof members[name] !== 'function');
  if (missing === undefined) return;
  const expected = `a ledger, such as a \`MemoryLedger\`. This value has no method \`${missing}\``;
  throw invalidOption(owner, 'ledger', ledger, expected);
}
