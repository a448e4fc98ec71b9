import { type DecisionRow, type DeskOptions, openDesk, type Store } from '@holdpoint/desk';
import { deskChats } from '@holdpoint/desk/chat-ui';
import { deskClient } from '@holdpoint/desk/client';
import { Agent, DeferredToolRequests, InputRequired, tool } from 'holdpoint';
import type { ApprovalCheck } from 'holdpoint/tools';
import { calls, functionModel, says } from 'holdpoint/testing';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ADA, GRACE, onlyHold } from '../../support/people.ts';
import type { OpenHttpStore } from '../support/http-store.ts';

const Account = z.object({ account: z.enum(['business', 'private']), note: z.string().optional() });

/** A desk whose agent calls the tool that the prompt names. Both tools ask for an account. */
function deskOn(
  store: Store,
  options: Partial<Pick<DeskOptions<never>, 'approvers' | 'expiresAfter'>> = {},
) {
  const executed: unknown[] = [];
  const asking = (name: string, requiresApproval: boolean | ApprovalCheck<unknown, unknown>) =>
    tool({
      name,
      inputSchema: z.object({ euros: z.number() }),
      requiresApproval,
      execute({ euros }, ctx) {
        if (ctx.input === undefined) {
          throw new InputRequired({ message: `Which account pays ${euros}?`, schema: Account });
        }
        const { account } = Account.parse(ctx.input);
        executed.push({ name, euros, account });
        return `${euros} paid from ${account}`;
      },
    });
  const model = functionModel(({ messages }) => {
    const last = messages.at(-1)?.parts.at(-1);
    if (last?.kind === 'user-prompt') return calls(String(last.content), { euros: 40 });
    return says(`Result: ${JSON.stringify(last && 'content' in last ? last.content : null)}`);
  });
  const agent = new Agent({
    model,
    tools: [
      asking('transfer', false),
      asking('pay', true),
      asking('ask_and_pay', (_, ctx) => ctx.input !== undefined),
    ],
    output: [String, DeferredToolRequests],
  });
  const desk = openDesk({
    store,
    url: 'https://desk.test',
    agents: { teller: { agent } },
    authorize: ({ headers }) => ({
      tenant: 'default',
      person: { id: (headers.get('authorization') ?? '').replace('Bearer ', '') },
    }),
    onError: () => {},
    ...options,
  });
  const parked = async (prompt = 'transfer') => {
    const runId = await desk.start('teller', prompt, { requester: ADA });
    await desk.work({ runId });
    return onlyHold(desk, runId);
  };
  const client = (id: string) =>
    deskClient({
      url: 'https://desk.test',
      headers: { authorization: `Bearer ${id}` },
      fetch: (request) => desk.fetch(request),
    });
  return { desk, executed, parked, client };
}

const VALID = { kind: 'input', value: { account: 'business' } } as const;

/** Questions at a desk, on any store. */
export function questionCases(open: OpenHttpStore): void {
  it('are parked in one process and get their input in another, invalid input first', async () => {
    await using opened = await open();
    const hold = await deskOn(opened.store).parked();
    const { desk, executed } = deskOn(opened.store);
    const { id, runId, digest } = hold;

    expect(hold).toMatchObject({
      kind: 'question',
      toolName: 'transfer',
      question: { message: 'Which account pays 40?', schema: { type: 'object' } },
    });
    const invalid = { kind: 'input', value: { account: 'secret', note: 7 } } as const;
    await expect(desk.decide(id, invalid, { by: GRACE, digest })).rejects.toMatchObject({
      code: 'input-does-not-fit',
      problems: [{ path: '/account' }, { path: '/note' }],
    });
    expect(await desk.hold(id)).toMatchObject({ state: 'open', decisions: [] });

    await desk.decide(id, VALID, { by: GRACE, digest });

    expect(await desk.work({ runId })).toMatchObject({
      state: 'finished',
      output: 'Result: "40 paid from business"',
    });
    expect(executed).toEqual([{ name: 'transfer', euros: 40, account: 'business' }]);
    const audit = await desk.audit(runId);
    expect(audit.find(({ kind }) => kind === 'hold-decided')).toMatchObject({
      by: GRACE,
      data: { kind: 'input', digest },
    });
    expect((await desk.holds({ text: 'account pays', states: ['consumed'] })).items).toHaveLength(
      1,
    );
  });

  it('accept an input or a denial, and other holds accept no input', async () => {
    await using opened = await open();
    const { desk, executed, parked } = deskOn(opened.store);
    const question = await parked();
    const approval = await parked('pay');
    const options = { by: GRACE, digest: question.digest };

    for (const decision of [
      { kind: 'approve' },
      { kind: 'result', value: 1 },
      { kind: 'fail', message: 'No.' },
    ] as const) {
      await expect(desk.decide(question.id, decision, options)).rejects.toMatchObject({
        code: 'decision-does-not-fit',
      });
    }
    const edit = { kind: 'approve', args: { euros: 1 } } as const;
    await expect(desk.decide(question.id, edit, options)).rejects.toMatchObject({
      code: 'decision-does-not-fit',
    });
    const { digest } = approval;
    await expect(desk.decide(approval.id, VALID, { by: GRACE, digest })).rejects.toMatchObject({
      code: 'decision-does-not-fit',
    });
    const grant = { match: 'tool' } as const;
    await expect(desk.decide(question.id, VALID, { ...options, grant })).rejects.toMatchObject({
      code: 'grant-does-not-fit',
    });
    await expect(
      desk.decisionLink(question.id, { for: GRACE, expiresAfter: 1_000 }),
    ).rejects.toThrow('has a question');

    await desk.decide(question.id, { kind: 'deny', reason: 'Ask later.' }, options);

    expect(await desk.work({ runId: question.runId })).toMatchObject({
      output: 'Result: "Ask later."',
    });
    expect(executed).toEqual([]);
  });

  it('can be responded to by their requester, unless the input changes an approved call', async () => {
    await using opened = await open();
    const { desk, executed, parked } = deskOn(opened.store, { approvers: { notRequester: true } });
    const question = await parked();
    await desk.decide(question.id, VALID, { by: ADA, digest: question.digest });
    expect(await desk.work({ runId: question.runId })).toMatchObject({ state: 'finished' });

    const approval = await parked('pay');
    await desk.decide(approval.id, { kind: 'approve' }, { by: GRACE, digest: approval.digest });
    await desk.work({ runId: approval.runId });
    const later = await onlyHold(desk, approval.runId);
    expect(later).toMatchObject({ kind: 'question', question: { isAfterApproval: true } });
    await expect(
      desk.decide(later.id, VALID, { by: ADA, digest: later.digest }),
    ).rejects.toMatchObject({ code: 'may-not-decide' });
    await desk.decide(later.id, VALID, { by: GRACE, digest: later.digest });
    await desk.work({ runId: approval.runId });

    expect(executed).toMatchObject([{ name: 'transfer' }, { name: 'pay', account: 'business' }]);
  });

  it('show their input to the approvers of the call, whom no grant replaces', async () => {
    await using opened = await open();
    const approvers = { notRequester: true, grants: 'tenant' } as const;
    const { desk, executed, parked } = deskOn(opened.store, { approvers });
    const inputs: string[] = [];
    for (const account of ['business', 'private'] as const) {
      const { id, digest, runId } = await parked('ask_and_pay');
      await desk.decide(id, { kind: 'input', value: { account } }, { by: ADA, digest });
      await desk.work({ runId });
      const approval = await onlyHold(desk, runId);
      expect(approval).toMatchObject({ kind: 'approval', preview: { inputs: [{ account }] } });
      const given = { by: GRACE, digest: approval.digest };
      const grant = { match: 'same-arguments', scope: 'tenant' } as const;
      const approve = { kind: 'approve' } as const;
      await expect(desk.decide(approval.id, approve, { ...given, grant })).rejects.toMatchObject({
        code: 'grant-does-not-fit',
      });
      await desk.decide(approval.id, approve, given);
      expect(await desk.work({ runId })).toMatchObject({ state: 'finished' });
      inputs.push(account);
    }
    expect(executed).toMatchObject(inputs.map((account) => ({ account })));
  });

  it('need as many equal inputs as the policy requires', async () => {
    await using opened = await open();
    const { desk, executed, parked } = deskOn(opened.store, { approvers: { count: 2 } });
    const { id, runId, digest } = await parked();

    const proposed = await desk.decide(id, VALID, { by: GRACE, digest });
    expect(proposed).toMatchObject({ state: 'open', proposal: { decision: VALID } });
    expect(proposed.digest).not.toBe(digest);
    await desk.decide(id, { kind: 'approve' }, { by: ADA, digest: proposed.digest });
    await desk.work({ runId });

    expect(executed).toMatchObject([{ account: 'business' }]);
  });

  it('expire without an execution, and the model receives that no person responded', async () => {
    await using opened = await open();
    const { desk, executed, parked } = deskOn(opened.store, { expiresAfter: 1_000 });
    const { id, runId, digest } = await parked();
    await opened.clock.advance(1_100);

    await expect(desk.decide(id, VALID, { by: GRACE, digest })).rejects.toMatchObject({
      code: 'hold-settled',
    });
    await desk.work({ runId });

    expect(await desk.run(runId)).toMatchObject({ state: 'finished' });
    expect(await desk.hold(id)).toMatchObject({ outcome: 'expired', decisions: [] });
    expect(executed).toEqual([]);
  });

  it.each(['question', 'value'])(
    'stop their run if the %s was changed in the database',
    async (part) => {
      await using opened = await open();
      const { desk, executed, parked } = deskOn(opened.store);
      const { id, runId, digest } = await parked();
      await desk.decide(id, VALID, { by: GRACE, digest });

      await opened.store.write(async (tx) => {
        const hold = await tx.holds.lock('default', id);
        if (hold?.question === undefined || hold.proposal === undefined)
          throw new Error('No hold.');
        const value = { kind: 'input', value: { account: 'private' } } as const;
        await tx.holds.put(
          part === 'question'
            ? { ...hold, question: { ...hold.question, message: 'Which account is yours?' } }
            : { ...hold, proposal: { ...hold.proposal, decision: value } },
        );
      });

      expect(await desk.work({ runId })).toMatchObject({
        state: 'stuck',
        error: { code: 'tampered' },
      });
      expect(executed).toEqual([]);
      const decisions: readonly DecisionRow[] = (await desk.hold(id)).decisions;
      expect(decisions).toHaveLength(1);
    },
  );

  it('get their input from a chat, which is requested again if it is invalid', async () => {
    await using opened = await open();
    const { desk, executed, parked } = deskOn(opened.store);
    const { id, runId, conversationId } = await parked();
    const chats = deskChats(desk, { agent: 'teller' });
    const chat = await chats.open({ conversationId, by: ADA }, undefined);
    const [call] = chat.requests ?? [];
    expect(call).toMatchObject({ id, kind: 'question' });
    expect(call?.question?.message).toBe('Which account pays 40?');

    const rejected = await chat.decide([call!.respond({ account: 7 })]);
    const accepted = await chat.decide([call!.respond({ account: 'private' })]);
    await desk.work({ runId });

    expect(rejected.kind === 'pending' && rejected.notes?.get(id)).toContain('/account');
    expect(accepted.kind).toBe('turn');
    expect(executed).toMatchObject([{ account: 'private' }]);
  });

  it('have their schema and the paths of invalid members over HTTP', async () => {
    await using opened = await open();
    const { desk, executed, parked, client } = deskOn(opened.store);
    const { id, runId, digest } = await parked();
    const grace = client('grace');

    const { items } = await grace.holds({ runId });
    expect(items).toMatchObject([{ kind: 'question', viewer: { mayDecide: true } }]);
    expect(items[0]?.question).toEqual({ message: 'Which account pays 40?' });
    const { hold } = await grace.hold(id);
    expect(hold.question?.schema).toMatchObject({ required: ['account'] });
    const invalid = { kind: 'input', value: { account: 7 } } as const;
    await expect(grace.decide(id, { digest, decision: invalid })).rejects.toMatchObject({
      status: 422,
      code: 'input-does-not-fit',
      details: { errors: expect.arrayContaining([expect.objectContaining({ path: '/account' })]) },
    });

    await grace.decide(id, { digest, decision: VALID });
    await desk.work({ runId });

    expect(executed).toHaveLength(1);
    expect((await grace.hold(id)).decisions).toMatchObject([{ decision: VALID }]);
  });
}
