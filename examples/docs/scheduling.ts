// The code of docs/scheduling.md: a worker with limits, and a dead letter that is replayed.
import assert from 'node:assert/strict';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { Agent, DeferredToolRequests } from 'holdpoint';
import { functionModel, says } from 'holdpoint/testing';

const store = await sqliteStore();
let isDown = true;
const model = functionModel(() => {
  if (isDown) throw new Error('The model is overloaded.');
  return says('Hello.');
});
const agent = new Agent({ model, output: [String, DeferredToolRequests] });
const agents = { support: { agent }, reports: { agent } };
const desk = openDesk({ store, agents, maxAttempts: 1, onError() {} });

// #region worker
const stop = new AbortController();
const working = desk.startWorker({
  name: 'worker-1',
  concurrency: 16,
  reservedSlots: { webhook: 4 },
  maxRunsPerTenant: 4,
  maxRunsPerAgent: { reports: 2 },
  signal: stop.signal,
});
// #endregion

const runId = await desk.start('support', 'Hello?');
await desk.waitFor(runId, { timeoutMs: 10_000 });
isDown = false;

// #region dead-letters
const { items } = await desk.deadLetters();
for (const { kind, id, attempts, problem } of items) {
  console.log(`${kind} ${id} was given up after ${attempts} attempts: ${problem}`);
  await desk.replayDeadLetter({ kind, id }, { by: { id: 'ada' } });
}
// #endregion

assert.equal(items.length, 1);
while ((await desk.run(runId)).state !== 'finished') {
  await desk.waitFor(runId, { timeoutMs: 10_000 });
}
stop.abort();
await working;
await desk.close();
