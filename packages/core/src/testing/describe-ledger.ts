import { checkRequiredOptions, type OptionTable } from '../errors/check-options.ts';
import { claimCases } from './ledger-cases/claims.ts';
import { type Cases, LedgerFixture, type OpenedLedger } from './ledger-cases/fixture.ts';
import { knowledgeCases, recordCases, retentionCases } from './ledger-cases/records.ts';
import { doubtCases, settleCases } from './ledger-cases/settlement.ts';
import { sharingCases, storageCases } from './ledger-cases/storage.ts';

/** Options of {@link describeLedger}: functions that open the ledgers of the cases. */
export interface LedgerSuite {
  /** Opens a ledger without entries. */
  readonly open: () => OpenedLedger | Promise<OpenedLedger>;
  /**
   * Opens the entries of a ledger again, like another process or in another process.
   *
   * Set it for ledgers that several processes share. It adds cases.
   */
  readonly openAnother?:
    | ((first: OpenedLedger) => OpenedLedger | Promise<OpenedLedger>)
    | undefined;
  /** Opens a ledger that deletes entries after `retention` milliseconds. It adds cases. */
  readonly openForgetful?:
    | ((retention: number) => OpenedLedger | Promise<OpenedLedger>)
    | undefined;
}

const LEDGER_SUITE_OPTIONS: OptionTable<LedgerSuite> = {
  open: 'function',
  openAnother: 'function',
  openForgetful: 'function',
};

/** A test of one part of the ledger contract. */
export interface LedgerCase {
  /** The title: a sentence about the ledger, without its subject. */
  readonly name: string;
  /** Rejects with a description of the problem if the ledger breaks its contract. */
  run(): Promise<void>;
}

/** The functions of a test runner, such as vitest, jest and `node:test`. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, run: () => Promise<void>): unknown;
}

/**
 * Defines the tests of the ledger contract. Every ledger must pass them.
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

/** Returns the cases of {@link describeLedger}, to run them without a test runner. */
export function ledgerCases(suite: LedgerSuite): readonly LedgerCase[] {
  checkRequiredOptions('`ledgerCases`', suite, LEDGER_SUITE_OPTIONS);
  const { open, openAnother, openForgetful } = suite;
  const always = {
    ...claimCases,
    ...settleCases,
    ...doubtCases,
    ...recordCases,
    ...storageCases,
    ...knowledgeCases,
  };
  return [
    ...casesOf(always, open, openAnother),
    ...(openAnother === undefined ? [] : casesOf(sharingCases, open, openAnother)),
    ...(openForgetful === undefined ? [] : casesOf(retentionCases, openForgetful, openAnother)),
  ];
}

function casesOf(
  cases: Cases,
  open: (retention: number) => OpenedLedger | Promise<OpenedLedger>,
  openAnother: LedgerSuite['openAnother'],
): readonly LedgerCase[] {
  return Object.entries(cases).map(([name, runCase]) => ({
    name,
    async run() {
      const fixture = new LedgerFixture(await open(LedgerFixture.RETENTION), openAnother);
      try {
        await runCase(fixture);
      } finally {
        await fixture.close();
      }
    },
  }));
}
