import { ledgerCases, type TestRunner } from 'holdpoint/testing';
import { storeLedger } from '../ledger/store-ledger.ts';
import type { OpenedStore } from './opened-store.ts';
import { StoreBench, type StoreChecks, TENANT } from './store-bench.ts';
import { approvals } from './store-cases/approvals.ts';
import { events } from './store-cases/events.ts';
import { people } from './store-cases/people.ts';
import { redaction } from './store-cases/redaction.ts';
import { rows } from './store-cases/rows.ts';
import { runsAndHolds } from './store-cases/runs-and-holds.ts';
import { tasks } from './store-cases/tasks.ts';
import { transactions } from './store-cases/transactions.ts';
import { transitions } from './store-cases/transitions.ts';

/** How a suite gets the stores that it works on; each case opens its own. */
export interface StoreSuite {
  /** Makes a store without rows. */
  readonly open: () => OpenedStore | Promise<OpenedStore>;
  /** Opens the same rows once more, as another process does, or in one. */
  readonly openAnother?: ((first: OpenedStore) => OpenedStore | Promise<OpenedStore>) | undefined;
}

/** Something that a store owes its callers. */
export interface StoreCase {
  /** A sentence about the store, without its subject. */
  readonly name: string;
  /** Rejects, saying what is wrong, if it does not hold. */
  run(): Promise<void>;
}

/**
 * What every store owes its callers, as tests: each store passes them, ours and yours. What a ledger owes
 * is among them.
 *
 * @example
 * ```ts
 * import { describe, it } from 'vitest'; // or from 'node:test'
 *
 * const open = () => ({ store: memoryStore(), close: () => {} });
 * describeStore('the memory store', { open }, { describe, it });
 * ```
 */
export function describeStore(name: string, suite: StoreSuite, runner: TestRunner): void {
  runner.describe(name, () => {
    for (const one of storeCases(suite)) runner.it(one.name, () => one.run());
    runner.describe('its ledger', () => {
      for (const one of casesOfLedger(suite)) runner.it(one.name, () => one.run());
    });
  });
}

/** The cases of {@link describeStore} without those of the ledger, for whoever runs them in another way. */
export function storeCases(suite: StoreSuite): readonly StoreCase[] {
  const checks: StoreChecks = {
    ...transactions,
    ...rows,
    ...redaction,
    ...people,
    ...runsAndHolds,
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

/** What core asks of ledgers, of the one that lies in the store. */
function casesOfLedger({ open, openAnother }: StoreSuite): readonly StoreCase[] {
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
    // The suite gives back what `open` has given it.
    openAnother: openAnother && (async (first) => asLedger(await openAnother(stores.get(first)!))),
  });
}
