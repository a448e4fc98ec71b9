import { randomBytes } from 'node:crypto';
import {
  AUDIT,
  ENTRIES,
  HOLDS,
  MESSAGES,
  OUTBOX,
  RUNS,
  TASKS,
} from '../../packages/desk/src/store/tables/specs.ts';
import { AGENT } from './agent.mjs';

const TENANT = 'default';
/** How many runs are written in a transaction. */
const BATCH = 1_000;

/** Starts so many runs at the desk and takes them to where they wait, as a user would. */
export async function parkRuns(desk, count) {
  const runIds = [];
  for (let index = 0; index < count; index++) {
    const runId = await desk.start(AGENT, `order-${index}`, { requester: { id: 'ada' } });
    const { state } = await desk.work({ runId });
    if (state !== 'parked') throw new Error(`A run is ${state} instead of parked.`);
    runIds.push(runId);
  }
  return runIds;
}

/**
 * Fills a store with copies of a parked run: all of its rows, under other ids. These runs cannot
 * be resumed, because their ledger entries belong to another step. `insert` writes rows of tables in one transaction.
 */
export async function fillWithCopies({ store, insert }, runId, count) {
  const rows = await rowsOf(store, runId);
  for (let left = count; left > 0; left -= BATCH) {
    const tables = new Map();
    for (let index = 0; index < Math.min(BATCH, left); index++) {
      for (const [table, row] of copyOf(rows)) {
        if (!tables.has(table)) tables.set(table, []);
        tables.get(table).push(row);
      }
    }
    await insert(tables);
  }
}

function rowsOf(store, runId) {
  return store.read(async (tx) => {
    const run = await tx.runs.get(TENANT, runId);
    return {
      run,
      messages: await tx.messages.from(TENANT, run.conversationId, 0),
      holds: await tx.holds.ofRun(TENANT, runId, ['open']),
      task: await tx.tasks.get(TENANT, 'run', runId),
      audit: await tx.audit.ofRun(TENANT, runId, 0, 1_000),
    };
  });
}

function copyOf({ run, messages, holds, task, audit }) {
  const [id, conversationId, at] = [newId(), newId(), Date.now()];
  const entry = {
    tenant: TENANT,
    key: JSON.stringify([newId(), 'round:0']),
    state: 'settled',
    runId: id,
    outcome: { digest: newId() },
    changedAt: at,
  };
  return [
    [RUNS, { ...run, id, conversationId, createdAt: at, updatedAt: at }],
    ...messages.map((row) => [MESSAGES, { ...row, runId: id, conversationId }]),
    [TASKS, { ...task, id }],
    ...holds.map((hold) => [
      HOLDS,
      { ...hold, id: newId(), runId: id, conversationId, createdAt: at },
    ]),
    ...audit.map((row) => [AUDIT, { ...row, runId: id }]),
    ...eventRows(id, 'run-started', at),
    ...eventRows(id, 'hold-opened', at),
    [ENTRIES, entry],
  ];
}

/** Above the numbers of events that the desk itself has written. */
let sequence = 1_000_000;

/** No process delivers events here, so there is no task for them. */
function eventRows(runId, kind, at) {
  sequence += 1;
  const about = { tenant: TENANT, id: newId(), runId, kind, data: {}, at };
  return [[OUTBOX, { ...about, transactionId: 0, sequence }]];
}

function newId() {
  return randomBytes(16).toString('hex');
}
