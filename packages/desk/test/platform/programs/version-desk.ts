import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { exportAudit, openDesk, postgresStore, verifyAudit } from '@holdpoint/desk';
import { Pool } from 'pg';
import { newBank, teller } from '../../support/bank.ts';

/**
 * A process of a desk that a test controls: it reads commands from standard input, and writes their results. The test
 * also runs it with the sources of an older version, so it uses only functions that both versions have.
 */
const [url = '', journal = '', name = ''] = process.argv.slice(2);

const pool = new Pool({ connectionString: url, max: 5 });
const store = await postgresStore({ pool, migrate: false });
const problems: string[] = [];
const bank = newBank();
const deps = () => ({
  ...bank,
  paid: Object.assign([], {
    push: (payment: { readonly to: string }) => appendFileSync(journal, `${name} ${payment.to}\n`),
  }),
});
const desk = openDesk({
  store,
  agents: { teller: { agent: teller, deps } },
  lease: 5_000,
  onError: (error) => problems.push(String(error)),
});
const by = { id: `approver-${name}`, name: `Approver of ${name}` };
const stop = new AbortController();
let working: Promise<void> | undefined;

const commands: Readonly<Record<string, (argument: string) => Promise<unknown>>> = {
  async work() {
    working ??= desk.startWorker({ signal: stop.signal, pollMs: 50, concurrency: 4 });
  },
  start: (prompt) => desk.start('teller', prompt, { requester: { id: `requester-${name}` } }),
  stateOf: async (runId) => (await desk.run(runId)).state,
  errorOf: async (runId) => (await desk.run(runId)).error,
  /** Approves the open holds of a run; returns their number. */
  async approve(runId) {
    const { items } = await desk.holds({ runId });
    for (const { id, digest } of items) await desk.decide(id, { kind: 'approve' }, { by, digest });
    return items.length;
  },
  /** Verifies the audit of all runs; returns the problems. */
  async verify() {
    const entries = exportAudit(store, { tenant: 'default' });
    return (await verifyAudit({ tenant: 'default', entries })).problems;
  },
  problems: async () => problems,
};

for await (const line of createInterface(process.stdin)) {
  const [command = '', argument = ''] = JSON.parse(line);
  try {
    const result = await commands[command]?.(argument);
    console.log(JSON.stringify({ result: result ?? null }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
stop.abort();
await working;
await desk.close();
await pool.end();
