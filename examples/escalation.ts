// Undecided holds: reminders, further approvers after a time, and a delegate for a person who is
// away.
import assert from 'node:assert/strict';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

const pay = tool({
  name: 'pay',
  inputSchema: z.object({ to: z.string() }),
  requiresApproval: true,
  execute: ({ to }) => `${to} was paid.`,
});
const model = functionModel(({ messages }) =>
  messages.length === 1 ? calls('pay', { to: 'acme' }) : says('Done.'),
);

const clock = { now: Date.now() };
const store = await sqliteStore({ now: () => clock.now });
const directory = new Map([['lin', ['accounting']]]);

const minutes = (count: number) => count * 60_000;
const hours = (count: number) => count * 3_600_000;

// #region escalate
const desk = openDesk({
  store,
  agents: { clerk: { agent: new Agent({ model, tools: [pay] }) } },
  approvers: {
    roles: ['accounting'],
    people: ['zoe'],
    notRequester: true,
    remindAfterMs: [minutes(15)],
    escalate: [
      { afterMs: minutes(30), also: { roles: ['manager'] } },
      { afterMs: hours(4), also: { roles: ['director'] } },
    ],
  },
  notify(event) {
    if (event.kind === 'hold-reminder') console.log(`Please decide: ${event.holdId}`);
    if (event.kind === 'hold-escalated') console.log(`Managers may decide: ${event.holdId}`);
  },
  rolesOf: ({ id }) => directory.get(id),
});
// #endregion

const first = await desk.start('clerk', 'pay', { requester: { id: 'ada' } });
await desk.work({ runId: first });
const [hold = assert.fail()] = (await desk.holds({ runId: first })).items;
clock.now += minutes(31);
await desk.drain();
const manager = { by: { id: 'max' }, roles: ['manager'], digest: hold.digest };
assert.equal((await desk.decide(hold.id, { kind: 'approve' }, manager)).state, 'decided');
await desk.drain();

const second = await desk.start('clerk', 'pay', { requester: { id: 'ada' } });
await desk.work({ runId: second });
const [other = assert.fail()] = (await desk.holds({ runId: second })).items;

// #region comment
await desk.comment(other.id, 'Is the invoice correct?', { by: { id: 'max' } });
for (const { by, text } of await desk.comments(other.id)) console.log(`${by.id}: ${text}`);
// #endregion

// #region delegate
const lin = { id: 'lin', name: 'Lin' };
const bob = { id: 'bob', name: 'Bob' };
const delegation = await desk.delegate({
  from: lin,
  to: bob,
  roles: ['accounting'],
  until: clock.now + 7 * hours(24),
});

await desk.decide(
  other.id,
  { kind: 'approve' },
  { by: bob, onBehalfOf: lin, digest: other.digest },
);
await desk.revokeDelegation(delegation.id, { by: lin });
// #endregion
assert.equal((await desk.hold(other.id)).votes?.[0]?.onBehalfOf?.id, 'lin');
await desk.close();
