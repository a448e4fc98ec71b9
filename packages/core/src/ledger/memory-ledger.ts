import { liveEnvironment } from '../context/environment.ts';
import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import { type JsonValue, toFrozenJson } from '../internal/json.ts';
import type {
  Ledger,
  LedgerClaim,
  LedgerClaimOptions,
  LedgerClaimState,
  LedgerConflict,
  LedgerEntryState,
  LedgerKey,
  LedgerRecordOptions,
  LedgerRecordState,
  LedgerResolution,
} from './ledger.ts';

/** Options of a {@link MemoryLedger}. */
export interface MemoryLedgerOptions {
  /** The clock, in milliseconds since 1970. Default: the clock of the machine. */
  readonly now?: (() => number) | undefined;
  /**
   * The time to retain entries after their last change, in milliseconds. By default they are never
   * deleted.
   */
  readonly retention?: number | undefined;
}

const MEMORY_LEDGER_OPTIONS: OptionTable<MemoryLedgerOptions> = {
  now: 'function',
  retention: 'milliseconds',
};

/**
 * A ledger in the memory of this process, for tests and for runs that are resumed in the process that parked them.
 *
 * It does not cover runs that were parked before it was created.
 */
export class MemoryLedger implements Ledger {
  /** The entries, in the order of their last change, so that the oldest come first. */
  readonly #entries = new Map<string, Entry>();
  readonly #clock: () => number;
  readonly #retention: number;
  readonly #createdAt: number;
  #time = 0;

  constructor(options: MemoryLedgerOptions = {}) {
    checkOptions('`MemoryLedger`', options, MEMORY_LEDGER_OPTIONS);
    const { now = liveEnvironment.now, retention = Number.POSITIVE_INFINITY } = options;
    this.#clock = now;
    this.#retention = retention;
    this.#createdAt = this.#now();
  }

  retainedSince(): number {
    return Math.max(this.#createdAt, this.#now() - this.#retention);
  }

  async claim(key: LedgerKey, options: LedgerClaimOptions): Promise<LedgerClaimState> {
    const { digest, lease } = options;
    requireLease(lease);
    const existing = this.#existing(key, digest);
    if (existing !== undefined) return existing;
    const { step, slot } = key;
    const attempt = liveEnvironment.newId();
    const claim = Object.freeze({ key: Object.freeze({ step, slot }), attempt });
    this.#put(claim.key, { kind: 'claimed', claim, until: this.#now() + lease, digest });
    return Object.freeze({ state: 'held', claim });
  }

  async extend(claim: LedgerClaim, lease: number): Promise<'extended' | 'lost'> {
    requireLease(lease);
    const entry = this.#entryOf(claim);
    if (entry?.kind !== 'claimed') return 'lost';
    this.#put(claim.key, { ...entry, until: this.#now() + lease });
    return 'extended';
  }

  async release(claim: LedgerClaim): Promise<void> {
    if (this.#entryOf(claim)?.kind === 'claimed') this.#entries.delete(idOf(claim.key));
  }

  async settle(claim: LedgerClaim, outcome: JsonValue): Promise<'settled' | 'lost'> {
    const stored = toFrozenJson(outcome, 'outcome');
    const entry = this.#entryOf(claim);
    if (entry === undefined) return 'lost';
    if (entry.kind !== 'settled') this.#put(claim.key, settled(stored, entry));
    return 'settled';
  }

  async doubt(claim: LedgerClaim, reason: string): Promise<void> {
    const entry = this.#entryOf(claim);
    if (entry?.kind !== 'claimed') return;
    const { digest, claim: held } = entry;
    this.#put(claim.key, { kind: 'doubted', claim: held, reason, since: this.#now(), digest });
  }

  async record(
    key: LedgerKey,
    { digest, outcome }: LedgerRecordOptions,
  ): Promise<LedgerRecordState> {
    const stored = toFrozenJson(outcome, 'outcome');
    const existing = this.#existing(key, digest);
    if (existing !== undefined) return existing;
    this.#put(key, settled(stored, { digest, claim: undefined }));
    return Object.freeze({ state: 'recorded' });
  }

  async resolve(claim: LedgerClaim, resolution: LedgerResolution): Promise<'resolved' | 'lost'> {
    const stored =
      resolution.kind === 'outcome' ? toFrozenJson(resolution.outcome, 'outcome') : undefined;
    const entry = this.#entryOf(claim);
    if (entry === undefined || stateOf(entry, this.#now()).state !== 'doubt') return 'lost';
    if (stored === undefined) this.#entries.delete(idOf(claim.key));
    else this.#put(claim.key, settled(stored, { digest: entry.digest, claim: undefined }));
    return 'resolved';
  }

  async read(key: LedgerKey): Promise<LedgerEntryState | undefined> {
    const entry = this.#entries.get(idOf(key));
    return entry && stateOf(entry, this.#now());
  }

  /** Returns the time. It stands still while the clock is behind an earlier time, so that entries do not look older. */
  #now(): number {
    this.#time = Math.max(this.#time, this.#clock());
    return this.#time;
  }

  /** Returns the state that prevents a new entry, if any. */
  #existing(
    key: LedgerKey,
    digest: string | undefined,
  ): LedgerEntryState | LedgerConflict | undefined {
    const entry = this.#entries.get(idOf(key));
    if (entry === undefined) return undefined;
    if (digest !== undefined && entry.digest !== undefined && digest !== entry.digest) {
      return Object.freeze({ state: 'conflict', digest: entry.digest });
    }
    return stateOf(entry, this.#now());
  }

  /** Returns the entry of a claim, if it still belongs to this attempt. */
  #entryOf(claim: LedgerClaim): Entry | undefined {
    const entry = this.#entries.get(idOf(claim.key));
    return entry?.claim?.attempt === claim.attempt ? entry : undefined;
  }

  #put(key: LedgerKey, entry: NewEntry): void {
    this.#forget();
    const id = idOf(key);
    this.#entries.delete(id);
    this.#entries.set(id, { ...entry, changed: this.#now() });
  }

  /** Deletes some of the oldest entries: more than were added since, so that none stays for long. */
  #forget(): void {
    const since = this.retainedSince();
    let remaining = MAX_DELETIONS;
    for (const [id, entry] of this.#entries) {
      if (entry.changed >= since || remaining-- === 0) return;
      this.#entries.delete(id);
      // The owner still holds the claim, and will settle it.
      if (entry.kind === 'claimed' && entry.until > this.#now()) this.#entries.set(id, entry);
    }
  }
}

const MAX_DELETIONS = 4;

const LEASE_RAN_OUT =
  'The lease ran out before there was an outcome: the process that claimed the call has stopped, or takes long.';

type NewEntry = ClaimedEntry | DoubtedEntry | SettledEntry;

type Entry = NewEntry & { readonly changed: number };

interface ClaimedEntry {
  readonly kind: 'claimed';
  readonly claim: LedgerClaim;
  readonly until: number;
  readonly digest: string | undefined;
}

interface DoubtedEntry {
  readonly kind: 'doubted';
  readonly claim: LedgerClaim;
  readonly reason: string;
  readonly since: number;
  readonly digest: string | undefined;
}

interface SettledEntry {
  readonly kind: 'settled';
  /** The claim that was settled; `undefined` if the outcome was recorded or resolved without one. */
  readonly claim: LedgerClaim | undefined;
  readonly outcome: JsonValue;
  readonly digest: string | undefined;
}

function settled(
  outcome: JsonValue,
  { claim, digest }: Pick<SettledEntry, 'claim' | 'digest'>,
): SettledEntry {
  return { kind: 'settled', claim, outcome, digest };
}

/** Returns the state of an entry at this time. */
function stateOf(entry: Entry, now: number): LedgerEntryState {
  const about = entry.digest === undefined ? undefined : { digest: entry.digest };
  if (entry.kind === 'settled') {
    return Object.freeze({ state: 'settled', outcome: entry.outcome, ...about });
  }
  if (entry.kind === 'claimed' && now < entry.until) {
    return Object.freeze({ state: 'busy', until: entry.until, ...about });
  }
  const { claim } = entry;
  const { reason, since } =
    entry.kind === 'doubted' ? entry : { reason: LEASE_RAN_OUT, since: entry.until };
  return Object.freeze({ state: 'doubt', claim, reason, since, ...about });
}

/** Returns a text that is unique to a key. */
function idOf({ step, slot }: LedgerKey): string {
  return `${step.length}:${step}${slot}`;
}

function requireLease(lease: number): void {
  if (lease === Number.POSITIVE_INFINITY) {
    throw new UserError(
      'The lease is infinite, so a crashed call would never be in doubt. Pass a number of milliseconds, and extend the claim.',
    );
  }
  if (lease > 0) return;
  throw new UserError(`The lease is ${lease}. Pass a number of milliseconds above 0.`);
}
