import { liveEnvironment } from '../context/environment.ts';
import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import { type JsonValue, toFrozenJson } from '../internal/json.ts';
import type {
  LedgerClaimOptions,
  LedgerClaimState,
  LedgerConflict,
  LedgerEntryState,
  Ledger,
  LedgerClaim,
  LedgerRecordOptions,
  LedgerRecordState,
  LedgerResolution,
} from './ledger.ts';
import type { LedgerKey } from './ledger-key.ts';

/** How a {@link MemoryLedger} keeps time and how long it remembers. */
export interface MemoryLedgerOptions {
  /** The clock, in milliseconds since 1970; that of the machine unless said otherwise. */
  readonly now?: (() => number) | undefined;
  /** How long entries are kept after they last changed, in milliseconds; for ever unless said otherwise. */
  readonly retention?: number | undefined;
}

const OPTIONS: OptionTable<MemoryLedgerOptions> = { now: 'function', retention: 'number' };

/**
 * A ledger in the memory of this process: for tests, and for runs that are resumed in the process that
 * parked them.
 *
 * It knows nothing of what was parked before it was made.
 */
export class MemoryLedger implements Ledger {
  /** What changed last is last, so that what is to be forgotten comes first. */
  readonly #entries = new Map<string, Entry>();
  readonly #clock: () => number;
  readonly #retention: number;
  readonly #madeAt: number;
  #time = 0;

  constructor(options: MemoryLedgerOptions = {}) {
    checkOptions('`MemoryLedger`', options, OPTIONS);
    const { now = liveEnvironment.now, retention = Number.POSITIVE_INFINITY } = options;
    requireDuration('retention', retention);
    this.#clock = now;
    this.#retention = retention;
    this.#madeAt = this.#now();
  }

  retainedSince(): number {
    return Math.max(this.#madeAt, this.#now() - this.#retention);
  }

  async claim(key: LedgerKey, options: LedgerClaimOptions): Promise<LedgerClaimState> {
    const { digest, lease } = options;
    requireLease(lease);
    const taken = this.#taken(key, digest);
    if (taken !== undefined) return taken;
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
    const kept = toFrozenJson(outcome, 'outcome');
    const entry = this.#entryOf(claim);
    if (entry === undefined) return 'lost';
    if (entry.kind !== 'settled') this.#put(claim.key, settled(kept, entry));
    return 'settled';
  }

  async doubt(claim: LedgerClaim, reason: string): Promise<void> {
    const entry = this.#entryOf(claim);
    if (entry?.kind !== 'claimed') return;
    const { digest, claim: own } = entry;
    this.#put(claim.key, { kind: 'doubted', claim: own, reason, since: this.#now(), digest });
  }

  async record(
    key: LedgerKey,
    { digest, outcome }: LedgerRecordOptions,
  ): Promise<LedgerRecordState> {
    const kept = toFrozenJson(outcome, 'outcome');
    const taken = this.#taken(key, digest);
    if (taken !== undefined) return taken;
    this.#put(key, settled(kept, { digest, claim: undefined }));
    return Object.freeze({ state: 'recorded' });
  }

  async resolve(claim: LedgerClaim, resolution: LedgerResolution): Promise<'resolved' | 'lost'> {
    const kept =
      resolution.kind === 'outcome' ? toFrozenJson(resolution.outcome, 'outcome') : undefined;
    const entry = this.#entryOf(claim);
    if (entry === undefined || stateOf(entry, this.#now()).state !== 'doubt') return 'lost';
    if (kept === undefined) this.#entries.delete(idOf(claim.key));
    else this.#put(claim.key, settled(kept, { digest: entry.digest, claim: undefined }));
    return 'resolved';
  }

  async read(key: LedgerKey): Promise<LedgerEntryState | undefined> {
    const entry = this.#entries.get(idOf(key));
    return entry && stateOf(entry, this.#now());
  }

  /** A clock that is set back stands still here, or entries would look older than they are. */
  #now(): number {
    this.#time = Math.max(this.#time, this.#clock());
    return this.#time;
  }

  /** What stands in the way of a new entry. */
  #taken(
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

  /** The entry, if it is still about this attempt. */
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

  /** Looks at some of the oldest entries, at more than come in between, so that none is kept for long. */
  #forget(): void {
    const since = this.retainedSince();
    let looks = LOOKS;
    for (const [id, entry] of this.#entries) {
      if (entry.changed >= since || looks-- === 0) return;
      this.#entries.delete(id);
      // Its owner is still at it: the outcome must find its place.
      if (entry.kind === 'claimed' && entry.until > this.#now()) this.#entries.set(id, entry);
    }
  }
}

const LOOKS = 4;

const LEASE_RAN_OUT =
  'The lease ran out before there was an outcome: whoever claimed it has died, or takes long.';

type NewEntry = Claimed | Doubted | Ended;

type Entry = NewEntry & { readonly changed: number };

interface Claimed {
  readonly kind: 'claimed';
  readonly claim: LedgerClaim;
  readonly until: number;
  readonly digest: string | undefined;
}

interface Doubted {
  readonly kind: 'doubted';
  readonly claim: LedgerClaim;
  readonly reason: string;
  readonly since: number;
  readonly digest: string | undefined;
}

interface Ended {
  readonly kind: 'settled';
  /** Whose outcome it is; `undefined` if somebody else said what it was. */
  readonly claim: LedgerClaim | undefined;
  readonly outcome: JsonValue;
  readonly digest: string | undefined;
}

function settled(outcome: JsonValue, { claim, digest }: Pick<Ended, 'claim' | 'digest'>): Ended {
  return { kind: 'settled', claim, outcome, digest };
}

/** An entry as everybody sees it at this time. */
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

/** One text for both parts of a key, another one for every other key. */
function idOf({ step, slot }: LedgerKey): string {
  return `${step.length}:${step}${slot}`;
}

function requireLease(lease: number): void {
  if (lease !== Number.POSITIVE_INFINITY) return requireDuration('lease', lease);
  throw new UserError('The lease has no end; give a number of milliseconds, and extend the claim.');
}

function requireDuration(name: string, ms: number): void {
  if (ms > 0) return;
  throw new UserError(`The ${name} is ${ms}; give a number of milliseconds above 0.`);
}
