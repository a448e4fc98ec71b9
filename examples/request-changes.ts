// An approver requests changes of a payment. The model responds with text and another call.
import assert from 'node:assert/strict';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';

const paid: number[] = [];

const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string(), euros: z.number().positive() }),
  requiresApproval: true,
  execute({ to, euros }) {
    paid.push(euros);
    return `${euros} euros were paid to ${to}.`;
  },
});

/** Pays too much at first. After a request for changes it explains the amount and corrects it. */
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind === 'user-prompt') return calls('pay', { to: 'acme', euros: 700 });
  if (last?.kind !== 'retry-prompt') return says('Done.');
  return responds(says('Invoice 17 is about 70 euros.'), calls('pay', { to: 'acme', euros: 70 }));
});

const desk = openDesk({
  store: await sqliteStore(),
  agents: { clerk: { agent: new Agent({ model, tools: [pay] }) } },
  approvers: { pay: { count: 2, notRequester: true } },
});
const bob = { id: 'bob', name: 'Bob' };
const cy = { id: 'cy' };
const runId = await desk.start('clerk', 'Pay acme.', { requester: { id: 'ada' } });
await desk.work({ runId });
const [hold = assert.fail()] = (await desk.holds({ runId })).items;

// #region decide
const message = 'Which invoice is this for?';
await desk.decide(hold.id, { kind: 'retry', message }, { by: bob, digest: hold.digest });
// #endregion
await desk.work({ runId });

// #region response
const [next = assert.fail()] = (await desk.holds({ runId })).items;
for (const { by, message: question, response } of await desk.requestedChanges(next.id)) {
  console.log(`${by.name}: ${question}`, `The model: ${response?.text}`);
}
// #endregion
const [changes] = await desk.requestedChanges(hold.id);
assert.deepEqual(changes?.response, { text: 'Invoice 17 is about 70 euros.', holdIds: [next.id] });
assert.deepEqual(paid, []);

for (const by of [bob, cy]) {
  await desk.decide(next.id, { kind: 'approve' }, { by, digest: next.digest });
}
assert.equal((await desk.work({ runId })).state, 'finished');
assert.deepEqual(paid, [70]);
