import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDesk, postgresStore, sqliteStore } from '@holdpoint/desk';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { Client, Pool } from 'pg';
import { z } from 'zod';
import { sampleRun } from '../../src/testing/sample-rows.ts';
import { countOf, openStores, type Probe } from './probe-stores.ts';

const LEASE = 1_000;
/** The files of an SQLite database. */
const FILES = ['', '-wal', '-shm'];

/** Executes a run in a file, and copies the file at a moment, as a process that dies then would leave it. */
async function restartAt(moment: 'during the call' | 'after the call') {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-removals-'));
  const [path, copy] = [join(folder, 'desk.sqlite'), join(folder, 'copy.sqlite')];
  const executed: string[] = [];
  const copyAt = (now: typeof moment) => {
    if (now !== moment || existsSync(copy)) return;
    for (const file of FILES) copyFileSync(`${path}${file}`, `${copy}${file}`);
  };
  const pay = tool({
    name: 'pay',
    inputSchema: z.object({}),
    execute: () => {
      executed.push(existsSync(copy) ? 'after' : 'before');
      copyAt('during the call');
      return 'paid';
    },
  });
  const model = functionModel(({ messages }) => {
    if (messages.at(-1)?.parts.at(-1)?.kind === 'user-prompt') return calls('pay', {});
    copyAt('after the call');
    return says('Done.');
  });
  const agent = new Agent({ model, tools: [pay], output: [String, DeferredToolRequests] });
  let time = Date.now();
  const options = { agents: { clerk: { agent } }, lease: LEASE, onError: () => {} };
  const first = openDesk({ ...options, store: await sqliteStore({ path, now: () => time }) });
  const runId = await first.start('clerk', 'pay');
  await first.work({ runId });
  await first.close();
  executed.splice(0);
  time += 20 * 60_000;
  const store = await sqliteStore({ path: copy, now: () => time });
  const second = openDesk({ ...options, store });
  const run = await second.work({ runId });
  await second.close();
  rmSync(folder, { recursive: true });
  return { executed, state: run.state };
}

/** Probes of commits around side effects. */
export const COMMIT_PROBES = {
  'a process dies during a call': async () => {
    const { executed, state } = await restartAt('during the call');
    return executed.length === 0 ? undefined : `The call executed twice, and the run is ${state}.`;
  },
  'a process dies after a call': async () => {
    const { executed, state } = await restartAt('after the call');
    if (executed.length > 0) return 'The call executed twice.';
    return state === 'finished' ? undefined : `The outcome was lost: the run is ${state}.`;
  },
  'a write is acknowledged': async () => {
    try {
      const store = await sqliteStore();
      await store.write(async (tx) => void (await tx.runs.insert(sampleRun())));
      return (await countOf(store)) === 0 ? undefined : 'The write is missing.';
    } catch (error) {
      // The tables are missing as well.
      return String(error);
    }
  },
  'a statement of a transaction fails': async (url) => {
    const [store] = await openStores(url, 1);
    const acknowledged = await store
      ?.write(async (tx) => {
        await tx.runs.insert(sampleRun({ id: 'run-2' }));
        // The database ends the transaction, although the application continues.
        await tx.runs.insert(sampleRun({ id: 'run-\u0000' })).catch(() => {});
      })
      .then(
        () => true,
        () => false,
      );
    return acknowledged ? 'A transaction that was rolled back is acknowledged.' : undefined;
  },
  'a database acknowledges before it writes': async (url) => {
    const admin = new Client({ connectionString: url });
    await admin.connect();
    const name = new URL(url).pathname.slice(1);
    await admin.query(`alter database "${name}" set synchronous_commit = off`);
    const statements: string[] = [];
    const pool = new Pool({ connectionString: url, max: 3 });
    pool.on('connect', (client) => {
      const query = client.query.bind(client);
      Object.assign(client, {
        query(statement: { readonly text?: string }, ...rest: readonly never[]) {
          statements.push(statement.text ?? '');
          return query(statement as string, ...rest);
        },
      });
    });
    const store = await postgresStore({ pool, onError: () => {} });
    statements.splice(0);
    await store.write(async (tx) => void (await tx.runs.insert(sampleRun())));
    await admin.end();
    const isSet = statements.some((text) => text.includes('synchronous_commit = on'));
    return isSet ? undefined : 'The commit does not wait for the disk.';
  },
} satisfies Record<string, Probe>;
