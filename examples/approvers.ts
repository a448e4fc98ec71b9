// Rules for approvers: roles, a quorum, separation of duties; an edit after the first vote; a
// grant; a shadow policy, and a simulation on past calls.
import assert from 'node:assert/strict';
import { type DeskError, sqliteStore, openDesk } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

/** The payments with their approvers. */
const paid: string[] = [];

// #region tool
const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string(), euros: z.number().positive() }),
  requiresApproval: true,
  execute({ to, euros }, { approval }) {
    const by = approval?.by.map(({ id }) => id).join(' and ');
    paid.push(`${euros} to ${to}, approved by ${by}`);
    return `${euros} euros were paid.`;
  },
});
// #endregion

/** Makes the payments in the prompt, and ends. */
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind !== 'user-prompt') return says('Done.');
  const [, to = '', euros = ''] = /(\w+) (\d+)/.exec(String(last.content)) ?? [];
  return calls('pay', { to, euros: Number(euros) });
});

const agent = new Agent({ model, tools: [pay] });
const store = await sqliteStore();

// #region rules
const desk = openDesk({
  store,
  agents: { clerk: { agent } },
  approvers: ({ toolName, args }) => {
    if (toolName !== 'pay') return {};
    const { euros } = args as { euros: number };
    return euros < 1_000
      ? { roles: ['accounting'], notRequester: true, grants: 'requester' }
      : { roles: ['accounting'], count: 2, notRequester: true, grants: 'never' };
  },
});
// #endregion

const ada = { id: 'ada' };
const bob = { id: 'bob', name: 'Bob' };
const cy = { id: 'cy', name: 'Cy' };
const dee = { id: 'dee' };
const roles = ['accounting'];

const runId = await desk.start('clerk', 'acme 5000', { requester: ada });
await desk.work({ runId });
const [hold = assert.fail()] = (await desk.holds({ runId })).items;

// #region rejected
await assert.rejects(
  desk.decide(hold.id, { kind: 'approve' }, { by: ada, roles, digest: hold.digest }),
  ({ code }: DeskError) => code === 'may-not-decide',
);
// #endregion

// #region quorum
const { digest } = hold;
const first = await desk.decide(hold.id, { kind: 'approve' }, { by: bob, roles, digest });
assert.equal(first.state, 'open');
// #endregion

// #region edit
const args = { to: 'acme', euros: 4_500 };
const edit = await desk.previewEdit(hold.id, args);
console.log(edit.problems, edit.args, edit.preview, edit.requirement);

const edited = await desk.decide(
  hold.id,
  { kind: 'approve', args },
  { by: cy, roles, digest, shown: edit.shown },
);
// Cy wrote these arguments, so two other approvers are needed.
assert.deepEqual(edited.votes, []);
await desk.decide(hold.id, { kind: 'approve' }, { by: bob, roles, digest: edited.digest });
await desk.decide(hold.id, { kind: 'approve' }, { by: dee, roles, digest: edited.digest });
// #endregion

await desk.work({ runId });
assert.deepEqual(paid, ['4500 to acme, approved by bob and dee']);

const small = await desk.start('clerk', 'acme 20', { requester: ada });
await desk.work({ runId: small });
const [again = assert.fail()] = (await desk.holds({ runId: small })).items;

// #region remember
await desk.decide(
  again.id,
  { kind: 'approve' },
  {
    by: bob,
    roles,
    digest: again.digest,
    grant: {
      match: { args: { to: 'acme', euros: 20 } },
      scope: 'requester',
      expiresAfter: 30 * 24 * 60 * 60 * 1_000,
      uses: 10,
    },
  },
);
// #endregion

const next = await desk.start('clerk', 'acme 20', { requester: ada });
assert.equal((await desk.work({ runId: next })).state, 'finished');
assert.equal(paid.at(-1), '20 to acme, approved by bob');

// #region revoke
for (const { id, toolName, used, by } of (await desk.grants({ live: true })).items) {
  console.log(`${toolName}: used ${used} times, given by ${by.map((one) => one.id).join(', ')}`);
  await desk.revokeGrant(id, { by: cy });
}
// #endregion

const held = await desk.start('clerk', 'acme 20', { requester: ada });
assert.equal((await desk.work({ runId: held })).state, 'parked');

// #region shadow
const trying = openDesk({
  store,
  agents: { clerk: { agent } },
  shadow: ({ toolName }) => toolName === 'pay',
});
const tried = await trying.start('clerk', 'acme 7', { requester: ada });
await trying.work({ runId: tried });
const wouldHaveHeld = (await trying.audit(tried)).filter(({ kind }) => kind === 'hold-shadowed');
// #endregion
assert.equal(wouldHaveHeld.length, 1);
assert.equal(paid.at(-1), '7 to acme, approved by ');

// #region simulate
let after: string | undefined;
do {
  const page = await desk.simulatePolicy({
    approvers: { pay: { roles: ['accounting'], count: 2, notRequester: true } },
    since: Date.now() - 30 * 24 * 60 * 60 * 1_000,
    after,
  });
  for (const past of page.items) {
    if (past.status === 'failed') console.log(past.holdId, past.problem);
    else if (past.isChanged) console.log(past.holdId, past.status, past.required, past.demanded);
  }
  after = page.next;
} while (after !== undefined);
// #endregion
const { items: simulated } = await desk.simulatePolicy({ approvers: { count: 2 } });
assert.deepEqual(
  simulated.map(({ status }) => status),
  ['met', 'not-met', 'not-met', 'not-met'],
);
console.log(paid.join('\n'));
