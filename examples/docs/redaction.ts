// The code of docs/redaction.md: a desk whose approvers do not see the number of an account.
import assert from 'node:assert/strict';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { deskClient } from '@holdpoint/desk/client';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

const paid: string[] = [];
const pay = tool({
  name: 'pay',
  inputSchema: z.object({ account: z.string(), euros: z.number().positive() }),
  requiresApproval: true,
  execute({ account, euros }) {
    paid.push(`${euros} to ${account}`);
    return 'Paid.';
  },
});
const model = functionModel(({ messages }) =>
  messages.at(-1)?.parts.at(-1)?.kind === 'user-prompt'
    ? calls('pay', { account: 'NL91ABNA0417164300', euros: 40 })
    : says('Done.'),
);
const agent = new Agent({ model, tools: [pay] });
const store = await sqliteStore();
const grace = { tenant: 'default', person: { id: 'grace' } };
const authorize = () => grace;

// #region redact
const desk = openDesk({
  store,
  agents: { clerk: { agent } },
  authorize,
  redact: { pay: ['account'] },
});
// #endregion

const runId = await desk.start('clerk', 'Pay the invoice.', { requester: { id: 'ada' } });
await desk.drain();
const fetch = async (...given: Parameters<typeof globalThis.fetch>) =>
  desk.fetch(new Request(...given));
const client = deskClient({ url: 'http://127.0.0.1', fetch });
const [hold = assert.fail()] = (await client.holds()).items;
assert.deepEqual(hold.args, { account: '[redacted]', euros: 40 });
await client.decide(hold.id, { digest: hold.digest, decision: { kind: 'approve' } });
await desk.drain();
assert.equal((await desk.run(runId)).state, 'finished');
assert.deepEqual(paid, ['40 to NL91ABNA0417164300']);
await desk.close();
