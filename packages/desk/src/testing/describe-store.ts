import { ledgerCases, type TestRunner } from 'holdpoint/testing';
import { storeLedger } from '../ledger/store-ledger.ts';
import type { OpenedStore } from './opened-store.ts';
import { StoreBench, type StoreChecks, TENANT } from './store-bench.ts';
import { approvals } from './store-cases/approvals.ts';
import { delegationsAndComments } from './store-cases/delegations-and-comments.ts';
import { eligibleApprovers } from './store-cases/eligible-approvers.ts';
import { events } from './store-cases/events.ts';
import { people } from './store-cases/people.ts';
import { redaction } from './store-cases/redaction.ts';
import { rows } from './store-cases/rows.ts';
import { runsAndHolds } from './store-cases/runs-and-holds.ts';
import { tasks } from './store-cases/tasks.ts';
import { transactions } from './store-cases/transactions.ts';
import { transitions } from './store-cases/transitions.ts';

/** Opens the stores of a suite; each case opens its own. */
export interface StoreSuite {
  /** Opens a store without rows. */
  readonly open: () => OpenedStore | Promise<OpenedStore>;
  /** Opens the same rows again, as another process would. */
  readonly openAnother?: ((first: OpenedStore) => OpenedStore | Promise<OpenedStore>) | undefined;
}

/** A test of a store. */
export interface StoreCase {
  /** A sentence about the store, without its subject. */
  readonly name: string;
  /** Rejects with the reason if the store fails the test. */
  run(): Promise<void>;
}

/**
 * Tests the contract of `Store`, and the contract of the core's `Ledger` on that store.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest'; // or from 'node:test'
 *
 * const open = async () => {
 *   const store = await yourStore();
 *   return { store, close: () => store.close() };
 * };
 * describeStore('your store', { open }, { describe, it });
 * ```
 */
export function describeStore(name: string, suite: StoreSuite, runner: TestRunner): void {
  runner.describe(name, () => {
    for (const one of storeCases(suite)) runner.it(one.name, () => one.run());
    runner.describe('as a ledger', () => {
      for (const one of ledgerCasesOf(suite)) runner.it(one.name, () => one.run());
    });
  });
}

/** Returns the cases of {@link describeStore} without those of the ledger, for other test runners. */
export function storeCases(suite: StoreSuite): readonly StoreCase[] {
  const checks: StoreChecks = {
    ...transactions,
    ...rows,
    ...redaction,
    ...people,
    ...delegationsAndComments,
    ...runsAndHolds,
    ...eligibleApprovers,
    ...events,
    ...tasks,
    ...transitions,
    ...approvals,
  };
  return Object.entries(checks).map(([name, check]) => ({
    name,
    async run() {
      const bench = new StoreBench(await suite.open(), suite.openAnother);
      try {
        await check(bench);
      } finally {
        await bench.close();
      }
    },
  }));
}

/** Returns the cases of the core's ledger suite on the ledger in the store. */
function ledgerCasesOf({ open, openAnother }: StoreSuite): readonly StoreCase[] {
  const stores = new WeakMap<object, OpenedStore>();
  const asLedger = (opened: OpenedStore) => {
    const { clock, close } = opened;
    const ledger = storeLedger(opened.store, TENANT);
    const first = { ledger, clock, close: async () => close() };
    stores.set(first, opened);
    return first;
  };
  return ledgerCases({
    open: async () => asLedger(await open()),
    // The suite passes an object that `open` returned.
    openAnother: openAnother && (async (first) => asLedger(await openAnother(stores.get(first)!))),
  });
}
