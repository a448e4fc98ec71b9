import { canonicalJson } from '../../internal/canonical-json.ts';
import type { JsonValue } from '../../internal/json.ts';
import type { LedgerEntryState, Ledger, LedgerClaim } from '../../ledger/ledger.ts';
import type { LedgerKey } from '../../ledger/ledger-key.ts';
import type { OpenedLedger } from '../opened-ledger.ts';

/** What a ledger must do, by a sentence that says it. A check throws where it does not. */
export type Checks = Readonly<Record<string, (bench: Bench) => Promise<void>>>;

/** Ways to the same entries, of which there is at least one. */
export type Handles = readonly [Ledger, ...Ledger[]];

/** A key of the suite. */
export const KEY: LedgerKey = Object.freeze({ step: 'step-1', slot: 'call:0' });

/** A lease that is not over before the case is. */
export const LONG = 3_600_000;

/** A lease that a case waits for. */
export const SHORT = 50;

/** An attempt that nobody was given. */
export const STRANGER: LedgerClaim = Object.freeze({ key: KEY, attempt: 'of-nobody' });

const RUN_AGAIN = { kind: 'run-again' } as const;

/** What a case works with: a ledger, and the ways to get it where the case wants it. */
export class Bench {
  /** How long the entries of a forgetful ledger are kept. */
  static readonly RETENTION = 600;

  readonly ledger: Ledger;
  /** Whether the time can be moved. Else it is the real one, and nobody waits for long. */
  readonly movesTime: boolean;
  readonly #first: OpenedLedger;
  /** Others on the same entries. */
  readonly #others: OpenedLedger[] = [];
  readonly #openAnother:
    | ((first: OpenedLedger) => OpenedLedger | Promise<OpenedLedger>)
    | undefined;

  constructor(
    first: OpenedLedger,
    openAnother: ((first: OpenedLedger) => OpenedLedger | Promise<OpenedLedger>) | undefined,
  ) {
    this.ledger = first.ledger;
    this.movesTime = first.clock !== undefined;
    this.#first = first;
    this.#openAnother = openAnother;
  }

  now(): number {
    return this.#first.clock?.now() ?? Date.now();
  }

  async pass(ms: number): Promise<void> {
    const { clock } = this.#first;
    if (clock !== undefined) return clock.advance(ms);
    await new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
  }

  /** Handles on the entries of the ledger: the ledger itself, and others where they can be opened. */
  async handles(count: number): Promise<Handles> {
    while (this.#openAnother !== undefined && this.#others.length + 1 < count) {
      this.#others.push(await this.#openAnother(this.#first));
    }
    return [this.ledger, ...this.#others.map((other) => other.ledger)];
  }

  async close(): Promise<void> {
    for (const { close } of [...this.#others.toReversed(), this.#first]) await close?.();
  }

  /** A claim that must succeed. */
  async claim(digest?: string): Promise<LedgerClaim> {
    return expectState(await this.ledger.claim(KEY, { digest, lease: LONG }), 'held').claim;
  }

  /** A claim whose lease is over. */
  async lapsed(digest?: string): Promise<LedgerClaim> {
    const { claim } = expectState(await this.ledger.claim(KEY, { digest, lease: SHORT }), 'held');
    await this.pass(SHORT * 1.5);
    return claim;
  }

  /** A claim that its owner has doubted. */
  async doubted(digest?: string): Promise<LedgerClaim> {
    const claim = await this.claim(digest);
    await this.ledger.doubt(claim, 'timed out');
    return claim;
  }

  /** A claim that is settled. */
  async settled(outcome: JsonValue, digest?: string): Promise<LedgerClaim> {
    const claim = await this.claim(digest);
    expectSame(await this.ledger.settle(claim, outcome), 'settled', 'settle');
    return claim;
  }

  /** A claim that was in doubt until somebody said that the call is to run again. */
  async superseded(): Promise<LedgerClaim> {
    const claim = await this.lapsed();
    expectSame(await this.ledger.resolve(claim, RUN_AGAIN), 'resolved', 'resolve');
    return claim;
  }

  /** The key must be in this state. */
  async expectEntry<S extends LedgerEntryState['state']>(
    state: S,
  ): Promise<Extract<LedgerEntryState, { readonly state: S }>> {
    return expectState(await this.ledger.read(KEY), state);
  }

  /** The key must have this outcome. */
  async expectOutcome(outcome: JsonValue): Promise<void> {
    expectSame((await this.expectEntry('settled')).outcome, outcome, 'the outcome');
  }

  /** The key must be free. */
  async expectFree(): Promise<void> {
    expectNone(await this.ledger.read(KEY));
  }
}

/** What the ledger said must be of this state. */
export function expectState<Said extends { readonly state: string }, S extends Said['state']>(
  said: Said | undefined,
  state: S,
): Extract<Said, { readonly state: S }> {
  expect(said?.state === state, `it said ${show(said)} where it must say '${state}'`);
  // The line before has looked.
  return said as Extract<Said, { readonly state: S }>;
}

/** The ledger must know nothing. */
export function expectNone(said: unknown): void {
  expect(said === undefined, `it said ${show(said)} of a key that must be free`);
}

/** Two values must be the same as JSON. */
export function expectSame(actual: unknown, expected: JsonValue, what: string): void {
  const same = actual !== undefined && canonicalJson(actual) === canonicalJson(expected);
  expect(same, `${what} is ${show(actual)} and must be ${show(expected)}`);
}

/** Exactly one of these must be so. */
export function expectOne(all: readonly string[], wanted: readonly string[]): void {
  const found = all.filter((one) => wanted.includes(one)).length;
  expect(found === 1, `${found} of ${all.length} got '${wanted.join("' or '")}', and 1 must`);
}

/** Throws unless it is so. */
export function expect(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Error(`The ledger breaks its contract: ${problem}.`);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
