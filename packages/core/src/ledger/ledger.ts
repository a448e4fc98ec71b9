import type { JsonValue } from '../internal/json.ts';
import type { LedgerKey } from './ledger-key.ts';

/**
 * Where it is kept which calls of parked runs were started and what came of them, so that each of them
 * runs at most once, however often and wherever its run is resumed.
 *
 * A key without an entry is *free*. `claim` makes it *busy* for everybody else, `settle` ends that with
 * an outcome, for good. What was claimed and has no outcome is never free again by itself: when its
 * lease runs out, or when its owner says so, it is *in doubt*, and only somebody who knows what happened
 * gets it out of there.
 *
 * Each operation is atomic among all who share the ledger. One that throws may have had its effect. The
 * ledger has the clock: it decides when a lease is over. What it gives is plain data that nobody can
 * change any more. `describeLedger` in `holdpoint/testing` checks all this of any ledger.
 */
export interface Ledger {
  /**
   * The time, in milliseconds since 1970, from which on nothing was forgotten. It never goes back.
   *
   * Of a step that was parked earlier the ledger may know nothing although it was resumed: because
   * entries are kept for a limited time, or because the ledger was made later. Such a step is not to be
   * resumed. Ask after the claim and not only before, or what was forgotten in between goes unnoticed.
   *
   * A claim is not forgotten while its lease runs. A ledger for several machines keeps entries longer
   * than this says, by as much as their clocks may differ.
   */
  retainedSince(): number | Promise<number>;

  /**
   * Takes the exclusive right to execute, or says why there is none to take.
   *
   * Who is told `held` must settle, release or doubt the claim, and extend it before the lease ends if
   * that takes longer.
   */
  claim(key: LedgerKey, options: LedgerClaimOptions): Promise<LedgerClaimState>;

  /**
   * Sets the end of the lease to `lease` milliseconds from now: the owner is still at it.
   *
   * A lease that ran out begins anew, since the doubt was about nothing else, unless somebody resolved
   * that doubt. It is `lost` in every other case, and the owner must start nothing any more.
   */
  extend(claim: LedgerClaim, lease: number): Promise<'extended' | 'lost'>;

  /**
   * Gives the claim back: nothing was started and nothing will be. The key is free again.
   *
   * Only the owner knows that, so it works after the lease ran out too. It does nothing if the claim
   * was settled, doubted or resolved.
   */
  release(claim: LedgerClaim): Promise<void>;

  /**
   * Says what came of the claim; the first outcome stays.
   *
   * It works as long as nothing else has ended this attempt: also when its lease ran out or its owner
   * doubted it, because now the outcome is known. After somebody resolved the doubt it is `lost`, and
   * nothing changes. To settle an attempt again that has settled is `settled` again: whoever got no
   * answer may repeat it.
   */
  settle(claim: LedgerClaim, outcome: JsonValue): Promise<'settled' | 'lost'>;

  /**
   * Says that something was started and that nobody knows what came of it. The first reason stays.
   *
   * It does nothing if the claim was settled, released or resolved.
   */
  doubt(claim: LedgerClaim, reason: string): Promise<void>;

  /** Settles a free key without executing anything: a denial, for example. What has an entry keeps it. */
  record(key: LedgerKey, entry: LedgerRecordOptions): Promise<LedgerRecordState>;

  /**
   * Ends a doubt with what somebody found out: run again, which frees the key, or what the outcome was.
   *
   * It is `lost`, and nothing changes, if the key is not in doubt because of this attempt: it was
   * settled or resolved meanwhile, or its owner is still at it. So a decision about one attempt never
   * counts for a later one.
   */
  resolve(claim: LedgerClaim, resolution: LedgerResolution): Promise<'resolved' | 'lost'>;

  /**
   * Throws if nothing of the run may start any more: it was cancelled, or another worker has it. A run asks
   * before each call that it does not claim, those of sub-agents included; `claim` checks it itself. A ledger
   * that knows nothing of runs leaves it out.
   */
  requireActive?(): Promise<void>;

  /** What is there now; `undefined` for a free key. */
  read(key: LedgerKey): Promise<LedgerEntryState | undefined>;
}

/** One attempt to execute something. */
export interface LedgerClaim {
  readonly key: LedgerKey;
  /** Names the attempt; the ledger makes a new one for each claim and never gives it again. */
  readonly attempt: string;
}

/** What is claimed, and for how long. */
export interface LedgerClaimOptions {
  /** Of the call, where there is one: two digests that differ are a conflict. */
  readonly digest?: string | undefined;
  /** Milliseconds until the claim is in doubt, unless it ends or is extended before. */
  readonly lease: number;
}

/** What is to be recorded. */
export interface LedgerRecordOptions {
  /** Of the call, where there is one: two digests that differ are a conflict. */
  readonly digest?: string | undefined;
  readonly outcome: JsonValue;
}

/** What somebody found out about a call in doubt. */
export type LedgerResolution =
  | { readonly kind: 'run-again' }
  | { readonly kind: 'outcome'; readonly outcome: JsonValue };

/** What the ledger says to a claim. */
export type LedgerClaimState = LedgerHeld | LedgerEntryState | LedgerConflict;

/** What the ledger says to something that is to be recorded. */
export type LedgerRecordState = LedgerRecorded | LedgerEntryState | LedgerConflict;

/** What the ledger knows about a key that is not free. */
export type LedgerEntryState = LedgerBusy | LedgerInDoubt | LedgerSettled;

/** The claim is yours. */
export interface LedgerHeld {
  readonly state: 'held';
  readonly claim: LedgerClaim;
}

/** It was written down. */
export interface LedgerRecorded {
  readonly state: 'recorded';
}

/** Somebody else has claimed it. */
export interface LedgerBusy {
  readonly state: 'busy';
  /** When the lease ends, in milliseconds since 1970 by the clock of the ledger. */
  readonly until: number;
  readonly digest?: string | undefined;
}

/** Somebody claimed it, and nobody knows what came of it. */
export interface LedgerInDoubt {
  readonly state: 'doubt';
  /** The attempt that is in doubt; `resolve` takes it. */
  readonly claim: LedgerClaim;
  /** What the owner said, or that its lease ran out. For people. */
  readonly reason: string;
  /** Since when, in milliseconds since 1970 by the clock of the ledger. */
  readonly since: number;
  readonly digest?: string | undefined;
}

/** It has its outcome. */
export interface LedgerSettled {
  readonly state: 'settled';
  readonly outcome: JsonValue;
  readonly digest?: string | undefined;
}

/** There is an entry about something else under this key: its digest is another one. */
export interface LedgerConflict {
  readonly state: 'conflict';
  /** The digest of the entry. */
  readonly digest: string;
}
