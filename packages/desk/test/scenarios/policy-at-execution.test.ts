// Policies that change between a decision and the execution of its call.
import { type Desk, openDesk, type ServedDeskOptions } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { output } from '../support/bank.ts';
import { type OpenedStore, STORES } from '../support/opened-store.ts';
import { ADA, decide, GRACE, onlyHold } from '../support/people.ts';

type Rules = Partial<Omit<ServedDeskOptions<never>, 'store' | 'agents'>>;

const HOUR = 60 * 60_000;
const BOT = { id: 'billing-bot' };

const inputSchema = z.object({ to: z.string() });

/** An agent that pays first, or pays and signs in one response. */
function clerk(paid: string[]) {
  const requiresApproval = true;
  const pay = tool({
    name: 'pay',
    inputSchema,
    requiresApproval,
    execute({ to }) {
      paid.push(to);
      return 'paid';
    },
  });
  const sign = tool({ name: 'sign', inputSchema, requiresApproval, execute: () => 'signed' });
  const model = functionModel(({ messages }) => {
    const last = messages.at(-1)?.parts.at(-1);
    if (last?.kind !== 'user-prompt') return says('Done.');
    const names = String(last.content).split(' ');
    return responds(...names.map((name) => calls(name, { to: 'acme' })));
  });
  return new Agent({ name: 'clerk', model, tools: [pay, sign], output });
}

/** Opens the same desk with other rules, as a deployment does. */
function deployments({ store }: OpenedStore) {
  const paid: string[] = [];
  const deploy = (rules: Rules = {}): Desk =>
    openDesk({
      store,
      agents: { clerk: { agent: clerk(paid) } },
      requests: { tools: { refund: { approvers: {}, schema: { type: 'object' } } } },
      ...rules,
    });
  return { paid, deploy };
}

async function park(desk: Desk, prompt: string): Promise<string> {
  const runId = await desk.start('clerk', prompt, { requester: ADA });
  await desk.work({ runId });
  return runId;
}

/** Approves the only open hold of a run in one deployment, and executes the run in another one. */
async function approveAndWork(before: Desk, after: Desk, runId: string): Promise<void> {
  await decide(before, await onlyHold(before, runId), { kind: 'approve' });
  await after.work({ runId });
}

/** Parks a run whose payment a grant has approved, while the signature is pending. */
async function parkGranted(desk: Desk): Promise<{ runId: string; grantId: string }> {
  const first = await park(desk, 'pay');
  const { id, digest } = await onlyHold(desk, first);
  const grant = { match: 'tool', scope: 'agent' } as const;
  await desk.decide(id, { kind: 'approve' }, { by: GRACE, digest, grant });
  await desk.work({ runId: first });
  const [{ id: grantId } = { id: '' }] = (await desk.grants()).items;
  const runId = await park(desk, 'pay sign');
  expect((await onlyHold(desk, runId)).toolName).toBe('sign');
  return { runId, grantId };
}

describe.each(STORES)('a decision that is older than the policy permits by now, %s', (_, open) => {
  it('does not execute its call, which is requested again', async () => {
    await using opened = await open();
    const { paid, deploy } = deployments(opened);
    const before = deploy();
    const runId = await park(before, 'pay');
    const { id, digest } = await onlyHold(before, runId);
    await before.decide(id, { kind: 'approve' }, { by: GRACE, digest });
    opened.clock.advance(HOUR);

    const after = deploy({ approvers: { decisionValidFor: 60_000 } });
    await after.work({ runId });

    expect(paid).toEqual([]);
    const again = await onlyHold(after, runId);
    expect(again).toMatchObject({ toolName: 'pay', state: 'open' });
    await approveAndWork(after, after, runId);
    expect(paid).toEqual(['acme']);
  });

  it('executes its call in time', async () => {
    await using opened = await open();
    const { paid, deploy } = deployments(opened);
    const before = deploy();
    const runId = await park(before, 'pay');
    await approveAndWork(before, deploy({ approvers: { decisionValidFor: 60_000 } }), runId);
    expect(paid).toEqual(['acme']);
  });

  it('permits no claim of a request from outside', async () => {
    await using opened = await open();
    const { deploy } = deployments(opened);
    const before = deploy();
    const { id } = await before.request('refund', {}, { by: BOT });
    await decide(before, await onlyHold(before, id), { kind: 'approve' });
    opened.clock.advance(HOUR);

    const approvers = { decisionValidFor: 60_000 };
    const tools = { refund: { approvers, schema: { type: 'object' } } };
    const after = deploy({ requests: { tools } });

    await expect(after.requests.claim(id, { by: BOT })).rejects.toMatchObject({
      code: 'request-not-approved',
    });
    expect((await after.requests.get(id)).state).toBe('pending');
  });
});

describe.each(STORES)('a call that a grant approved while others were pending, %s', (_, open) => {
  const rules = { approvers: { grants: 'agent' } } as const;

  it('executes with the others', async () => {
    await using opened = await open();
    const { paid, deploy } = deployments(opened);
    const { runId } = await parkGranted(deploy(rules));
    await approveAndWork(deploy(rules), deploy(rules), runId);
    expect(paid).toEqual(['acme', 'acme']);
  });

  it.each([
    ['no longer permits grants', { approvers: {} }],
    ['permits only narrower grants', { approvers: { grants: 'conversation' } } as const],
  ])('is requested again if the policy %s', async (_name, stricter) => {
    await using opened = await open();
    const { paid, deploy } = deployments(opened);
    const { runId } = await parkGranted(deploy(rules));

    await approveAndWork(deploy(rules), deploy(stricter), runId);

    expect(paid).toEqual(['acme']);
    expect(await onlyHold(deploy(stricter), runId)).toMatchObject({ toolName: 'pay' });
  });

  it('is requested again if the grant was revoked', async () => {
    await using opened = await open();
    const { paid, deploy } = deployments(opened);
    const desk = deploy(rules);
    const { runId, grantId } = await parkGranted(desk);

    await desk.revokeGrant(grantId, { by: GRACE });
    await approveAndWork(desk, desk, runId);

    expect(paid).toEqual(['acme']);
    expect(await onlyHold(desk, runId)).toMatchObject({ toolName: 'pay' });
  });

  it('executes if its grant was for one use', async () => {
    await using opened = await open();
    const { paid, deploy } = deployments(opened);
    const desk = deploy(rules);
    const first = await park(desk, 'pay');
    const { id, digest } = await onlyHold(desk, first);
    const grant = { match: 'tool', scope: 'agent', uses: 1 } as const;
    await desk.decide(id, { kind: 'approve' }, { by: GRACE, digest, grant });
    await desk.work({ runId: first });
    const runId = await park(desk, 'pay sign');
    await approveAndWork(desk, desk, runId);
    expect(paid).toEqual(['acme', 'acme']);
  });
});

describe.each(STORES)('a call that `shadow` permitted while others were pending, %s', (_, open) => {
  const shadow = { shadow: ({ toolName }: { readonly toolName: string }) => toolName === 'pay' };

  it('is requested if the policy is in effect by now', async () => {
    await using opened = await open();
    const { paid, deploy } = deployments(opened);
    const runId = await park(deploy(shadow), 'pay sign');

    await approveAndWork(deploy(shadow), deploy(), runId);

    expect(paid).toEqual([]);
    const hold = await onlyHold(deploy(), runId);
    expect(hold).toMatchObject({ toolName: 'pay', state: 'open' });
    await approveAndWork(deploy(), deploy(), runId);
    expect(paid).toEqual(['acme']);
  });

  it('executes if `shadow` still permits it', async () => {
    await using opened = await open();
    const { paid, deploy } = deployments(opened);
    const runId = await park(deploy(shadow), 'pay sign');
    await approveAndWork(deploy(shadow), deploy(shadow), runId);
    expect(paid).toEqual(['acme']);
  });

  it('cannot be claimed if it is a request from outside and the policy is in effect by now', async () => {
    await using opened = await open();
    const { deploy } = deployments(opened);
    const { id } = await deploy({ shadow: () => true }).request('refund', {}, { by: BOT });
    const after = deploy();

    await expect(after.requests.claim(id, { by: BOT })).rejects.toMatchObject({
      code: 'request-not-approved',
    });
    const hold = await onlyHold(after, id);
    await decide(after, hold, { kind: 'approve' });
    expect(await after.requests.claim(id, { by: BOT })).toMatchObject({ toolName: 'refund' });
  });
});
