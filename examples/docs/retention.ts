// The code of docs/operate/retain-and-erase.md: deletes data by age, and erases a conversation and a person.
import assert from 'node:assert/strict';
import { exportAudit, openDesk, sqliteStore, verifyAudit } from '@holdpoint/desk';
import { Agent, DeferredToolRequests } from 'holdpoint';
import { functionModel, says } from 'holdpoint/testing';

let now = Date.now();
const store = await sqliteStore({ now: () => now });
const agent = new Agent({
  model: functionModel(() => says('Hello.')),
  output: [String, DeferredToolRequests],
});
const agents = { support: { agent } };

// #region retention
const DAY = 24 * 60 * 60_000;

const desk = openDesk({
  store,
  agents,
  retention: {
    messages: 30 * DAY,
    runs: 90 * DAY,
    events: 30 * DAY,
    deadLetters: 90 * DAY,
    tokens: 7 * DAY,
    audit: 7 * 365 * DAY,
  },
});
// #endregion

const requester = { id: 'eve@example.com' };
const old = await desk.start('support', 'Hello?', { conversationId: 'c-16', requester });
await desk.drain();
now += 100 * DAY;

// #region apply
const planned = await desk.applyRetention({ dryRun: true });
const deleted = await desk.applyRetention();
assert.deepEqual(deleted, planned);
// #endregion
assert.equal(deleted.runs, 1);
assert.notEqual((await desk.run(old)).erasedAt, undefined);

await desk.start('support', 'Hello?', { conversationId: 'c-17', requester });
await desk.start('support', 'Hello?', { conversationId: 'c-18', requester });
await desk.drain();

// #region erase
const options = { by: { id: 'ada' }, reason: 'Request 17' };
await desk.eraseConversation('c-17', options);

const { pendingRuns } = await desk.erasePerson('eve@example.com', options);
assert.deepEqual(pendingRuns, []);
// #endregion

assert.deepEqual(await desk.history('c-18'), []);
const { tenant } = desk;
const report = await verifyAudit({ tenant, entries: exportAudit(store, { tenant }) });
assert.equal(report.status, 'intact');
await desk.close();
