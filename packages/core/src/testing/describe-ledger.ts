import { checkRequiredOptions, type OptionTable } from '../errors/check-options.ts';
import { Bench, type Checks } from './ledger-cases/bench.ts';
import { claiming } from './ledger-cases/claiming.ts';
import { doubting } from './ledger-cases/doubting.ts';
import { forgetting, remembering } from './ledger-cases/forgetting.ts';
import { recording } from './ledger-cases/recording.ts';
import { settling } from './ledger-cases/settling.ts';
import { sharing } from './ledger-cases/sharing.ts';
import { storing } from './ledger-cases/storing.ts';
import type { OpenedLedger } from './opened-ledger.ts';

/** How a suite gets the ledgers that it works on; each case opens its own. */
export interface LedgerSuite {
  /** Makes a ledger without entries. */
  readonly open: () => OpenedLedger | Promise<OpenedLedger>;
  /**
   * Opens the entries of a ledger once more, as another process does, or in one.
   *
   * A ledger that several may share has this; it makes further cases.
   */
  readonly openAnother?:
    | ((first: OpenedLedger) => OpenedLedger | Promise<OpenedLedger>)
    | undefined;
  /** Makes a ledger that keeps entries for so many milliseconds, if that can be; it makes further cases. */
  readonly openForgetful?:
    | ((retention: number) => OpenedLedger | Promise<OpenedLedger>)
    | undefined;
}

const SUITE: OptionTable<LedgerSuite> = {
  open: 'function',
  openAnother: 'function',
  openForgetful: 'function',
};

/** Something that a ledger owes its callers. */
export interface LedgerCase {
  /** A sentence about the ledger, without its subject. */
  readonly name: string;
  /** Rejects, saying what is wrong, if it does not hold. */
  run(): Promise<void>;
}

/** The functions of a test runner that a suite is given to; those of vitest, jest and `node:test` fit. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, run: () => Promise<void>): unknown;
}

/**
 * What every ledger owes its callers, as tests: each ledger passes them, ours and yours.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest'; // or from 'node:test'
 *
 * const open = () => {
 *   const clock = fakeClock();
 *   return { ledger: new MemoryLedger({ now: () => clock.now() }), clock };
 * };
 * describeLedger('the memory ledger', { open }, { describe, it });
 * ```
 */
export function describeLedger(name: string, suite: LedgerSuite, runner: TestRunner): void {
  runner.describe(name, () => {
    for (const one of ledgerCases(suite)) runner.it(one.name, () => one.run());
  });
}

/** The cases of {@link describeLedger}, for whoever runs them in another way. */
export function ledgerCases(suite: LedgerSuite): readonly LedgerCase[] {
  checkRequiredOptions('`ledgerCases`', suite, SUITE);
  const { open, openAnother, openForgetful } = suite;
  const always = {
    ...claiming,
    ...settling,
    ...doubting,
    ...recording,
    ...storing,
    ...remembering,
  };
  return [
    ...casesOf(always, open, openAnother),
    ...(openAnother === undefined ? [] : casesOf(sharing, open, openAnother)),
    ...(openForgetful === undefined ? [] : casesOf(forgetting, openForgetful, openAnother)),
  ];
}

function casesOf(
  checks: Checks,
  open: (retention: number) => OpenedLedger | Promise<OpenedLedger>,
  openAnother: LedgerSuite['openAnother'],
): readonly LedgerCase[] {
  return Object.entries(checks).map(([name, check]) => ({
    name,
    async run() {
      const bench = new Bench(await open(Bench.RETENTION), openAnother);
      try {
        await check(bench);
      } finally {
        await bench.close();
      }
    },
  }));
}
