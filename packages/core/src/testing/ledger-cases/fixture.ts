import { canonicalJson } from '../../internal/canonical-json.ts';
import type { JsonValue } from '../../internal/json.ts';
import type {
  Ledger,
  LedgerClaim,
  LedgerEntryState,
  LedgerKey,
  LedgerResolution,
} from '../../ledger/ledger.ts';

/** A ledger that was opened for one case of a suite. */
export interface OpenedLedger {
  readonly ledger: Ledger;
  /** The clock of the ledger, such as a `fakeClock`. Without one, cases wait in real time. */
  readonly clock?: LedgerClock | undefined;
  /** Called at the end of the case. */
  readonly close?: (() => void | Promise<void>) | undefined;
}

/** A clock that a test can advance. */
export interface LedgerClock {
  /** Returns the time in milliseconds since 1970. */
  now(): number;
  /** Advances the time. */
  advance(ms: number): void | Promise<void>;
}

/** Cases by title. A case throws if the ledger breaks its contract. */
export type Cases = Readonly<Record<string, (fixture: LedgerFixture) => Promise<void>>>;

/** Ledgers that share their entries. */
export type Handles = readonly [Ledger, ...Ledger[]];

/** The key of most cases. */
export const TEST_KEY: LedgerKey = Object.freeze({ step: 'step-1', slot: 'call:0' });

/** A lease that does not expire during a case. */
export const LONG_LEASE = 3_600_000;

/** A lease that expires during a case. */
export const SHORT_LEASE = 50;

/** The maximum difference between the clock of a ledger and that of a case, in milliseconds. */
export const CLOCK_TOLERANCE = 60_000;

/** A claim that the ledger never returned. */
export const UNKNOWN_CLAIM: LedgerClaim = Object.freeze({ key: TEST_KEY, attempt: 'unknown' });

/** The resolution that frees a key. */
export const RUN_AGAIN: Extract<LedgerResolution, { readonly kind: 'run-again' }> = Object.freeze({
  kind: 'run-again',
});

/** The ledger of a case, with functions that set its state. */
export class LedgerFixture {
  /** The retention time of ledgers that `openForgetful` opens, in milliseconds. */
  static readonly RETENTION = 600;

  readonly ledger: Ledger;
  /** True if the clock can be advanced. Otherwise cases wait in real time, and only briefly. */
  readonly hasTestClock: boolean;
  readonly #first: OpenedLedger;
  /** Further ledgers with the same entries. */
  readonly #others: OpenedLedger[] = [];
  readonly #openAnother:
    | ((first: OpenedLedger) => OpenedLedger | Promise<OpenedLedger>)
    | undefined;

  constructor(
    first: OpenedLedger,
    openAnother: ((first: OpenedLedger) => OpenedLedger | Promise<OpenedLedger>) | undefined,
  ) {
    this.ledger = first.ledger;
    this.hasTestClock = first.clock !== undefined;
    this.#first = first;
    this.#openAnother = openAnother;
  }

  now(): number {
    return this.#first.clock?.now() ?? Date.now();
  }

  /** Advances the clock, or waits. */
  async advance(ms: number): Promise<void> {
    const { clock } = this.#first;
    if (clock !== undefined) return clock.advance(ms);
    await new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
  }

  /** Returns the ledger and further ones with the same entries, if the suite can open them. */
  async handles(count: number): Promise<Handles> {
    while (this.#openAnother !== undefined && this.#others.length + 1 < count) {
      this.#others.push(await this.#openAnother(this.#first));
    }
    return [this.ledger, ...this.#others.map((other) => other.ledger)];
  }

  async close(): Promise<void> {
    for (const { close } of [...this.#others.toReversed(), this.#first]) await close?.();
  }

  /** Claims the key. */
  async claim(digest?: string): Promise<LedgerClaim> {
    return expectState(await this.ledger.claim(TEST_KEY, { digest, lease: LONG_LEASE }), 'held')
      .claim;
  }

  /** Claims the key and waits until the lease expires. */
  async claimExpired(digest?: string): Promise<LedgerClaim> {
    const { claim } = expectState(
      await this.ledger.claim(TEST_KEY, { digest, lease: SHORT_LEASE }),
      'held',
    );
    await this.advance(SHORT_LEASE * 1.5);
    return claim;
  }

  /** Claims the key and marks the claim as in doubt. */
  async claimInDoubt(digest?: string): Promise<LedgerClaim> {
    const claim = await this.claim(digest);
    await this.ledger.doubt(claim, 'timed out');
    return claim;
  }

  /** Claims the key and settles the claim. */
  async claimSettled(outcome: JsonValue, digest?: string): Promise<LedgerClaim> {
    const claim = await this.claim(digest);
    expectSame(await this.ledger.settle(claim, outcome), 'settled', 'settle');
    return claim;
  }

  /** Claims the key, and frees it by resolving the claim as `run-again`. */
  async claimResolved(): Promise<LedgerClaim> {
    const claim = await this.claimExpired();
    expectSame(await this.ledger.resolve(claim, RUN_AGAIN), 'resolved', 'resolve');
    return claim;
  }

  /** Requires the key to be in this state. */
  async expectEntry<S extends LedgerEntryState['state']>(
    state: S,
  ): Promise<Extract<LedgerEntryState, { readonly state: S }>> {
    return expectState(await this.ledger.read(TEST_KEY), state);
  }

  /** Requires the key to have this outcome. */
  async expectOutcome(outcome: JsonValue): Promise<void> {
    expectSame((await this.expectEntry('settled')).outcome, outcome, 'the outcome');
  }

  /** Requires the key to be free. */
  async expectFree(): Promise<void> {
    expectNone(await this.ledger.read(TEST_KEY));
  }
}

/** Requires the ledger's result to have this state. */
export function expectState<Result extends { readonly state: string }, S extends Result['state']>(
  result: Result | undefined,
  state: S,
): Extract<Result, { readonly state: S }> {
  expect(result?.state === state, `it returned ${show(result)} instead of the state '${state}'`);
  return result as Extract<Result, { readonly state: S }>; // as was required
}

/** Requires the ledger's result to be `undefined`. */
export function expectNone(result: unknown): void {
  expect(result === undefined, `it returned ${show(result)} for a key that must be free`);
}

/** Requires two values to be equal as JSON. */
export function expectSame(actual: unknown, expected: JsonValue, subject: string): void {
  const same = actual !== undefined && canonicalJson(actual) === canonicalJson(expected);
  expect(same, `${subject} is ${show(actual)}, and must be ${show(expected)}`);
}

/** Requires that exactly one of the states is among the expected ones. */
export function expectOne(all: readonly string[], wanted: readonly string[]): void {
  const found = all.filter((one) => wanted.includes(one)).length;
  expect(
    found === 1,
    `${found} of ${all.length} callers got '${wanted.join("' or '")}', instead of exactly one`,
  );
}

/** Throws if the condition is false. */
export function expect(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new Error(`The ledger breaks its contract: ${problem}.`);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
