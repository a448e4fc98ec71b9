// The desk of the tests: options of `openDesk`, with files from the environment.
import { sqliteStore } from '@holdpoint/desk';
import { cashier, clock } from './cashier.ts';

const path = process.env['CASHIER_DESK'] ?? '';
const deps = () => process.env['CASHIER_JOURNAL'] ?? '';

const desk = {
  store: await sqliteStore({ path }),
  agents: { cashier: { agent: cashier, deps }, clock: { agent: clock, deps } },
};

export default desk;
