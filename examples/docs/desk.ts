// The code of docs/desk.md about operation: a worker, waiting for a run, filters, several decisions in one request,
// tools that throw, and the shutdown.
import assert from 'node:assert/strict';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { deskClient } from '@holdpoint/desk/client';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';

const sendMail = tool({
  name: 'send_mail',
  inputSchema: z.object({ to: z.string() }),
  requiresApproval: true,
  execute: ({ to }) => `The mail to ${to} was sent.`,
});

/** A payment provider that fails once per order, and charges an order once per key. */
const attempts: string[] = [];
async function pay(order: string, key: string | undefined): Promise<string> {
  attempts.push(order);
  if (attempts.filter((one) => one === order).length === 1) throw new Error('No connection.');
  return `Charged order ${order} with key ${key !== undefined}.`;
}

const chargeOnce = tool({
  name: 'charge_once',
  inputSchema: z.object({ order: z.string() }),
  execute: ({ order }, { idempotencyKey }) => pay(order, idempotencyKey),
});

// #region idempotent
const charge = tool({
  name: 'charge',
  inputSchema: z.object({ order: z.string() }),
  // The payment provider ignores a second request with the same key.
  idempotent: true,
  execute: ({ order }, { idempotencyKey }) => pay(order, idempotencyKey),
});
// #endregion

const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind !== 'user-prompt') return says('Done.');
  if (last.content === 'Send the mails.') {
    return responds(calls('send_mail', { to: 'ada' }), calls('send_mail', { to: 'bob' }));
  }
  return calls(last.content === 'Charge order 1.' ? 'charge_once' : 'charge', { order: '1' });
});
const agent = new Agent({ model, tools: [sendMail, chargeOnce, charge] });
const desk = openDesk({
  store: await sqliteStore(),
  agents: { clerk: { agent } },
  onError: () => {},
  authorize: () => ({ tenant: 'default', person: { id: 'grace' } }),
});

// #region worker
void desk.startWorker({ concurrency: 8 });
process.once('SIGTERM', () => void desk.close());
// #endregion

const runId = await desk.start('clerk', 'Send the mails.', { requester: { id: 'ada' } });
{
  // #region wait-for
  const run = await desk.waitFor(runId, { timeoutMs: 60_000 });
  if (run.state === 'parked') console.log(`${run.openHolds} calls need a decision.`);
  // #endregion
  assert.equal(run.openHolds, 2);
}

{
  // #region filters
  const { items, next } = await desk.holds({
    tool: 'send_mail',
    requester: 'ada',
    createdAfter: Date.now() - 24 * 60 * 60_000,
    limit: 20,
  });
  // #endregion
  assert.equal(items.length, 2);
  assert.equal(next, undefined);
}

{
  const url = 'http://desk.example';
  const token = 'of-grace';
  const { fetch } = desk;
  // #region bulk
  const client = deskClient({ url, headers: { authorization: `Bearer ${token}` }, fetch });
  const { items } = await client.holds({ mine: true, tool: 'send_mail' });
  const results = await client.decideMany(
    items.map(({ id, digest }) => ({ holdId: id, digest, decision: { kind: 'approve' } })),
  );
  for (const result of results.items) {
    if (!result.ok) console.log(result.holdId, result.problem.detail);
  }
  // #endregion
  assert.deepEqual(
    results.items.map(({ ok }) => ok),
    [true, true],
  );
  assert.equal((await desk.waitFor(runId)).state, 'finished');
}

{
  const id = await desk.start('clerk', 'Charge order 1.');
  const run = await desk.waitFor(id);
  assert.equal(run.state, 'parked');
  const { items } = await desk.holds({ runId: id });
  assert.equal(items[0]?.inDoubt?.reason, 'Error: No connection.');
  assert.equal(attempts.length, 1, 'a call in doubt is not repeated');
}

attempts.length = 0;
{
  const id = await desk.start('clerk', 'Charge order 1 again.');
  assert.equal((await desk.waitFor(id)).state, 'finished');
  assert.equal(attempts.length, 2, 'an idempotent call is repeated');
}

await desk.close();
