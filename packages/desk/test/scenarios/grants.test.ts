import {
  type Approvers,
  type Desk,
  type DeskOptions,
  type GrantRow,
  type Decision,
  type HoldRow,
  openDesk,
  type GrantRequest,
  type Store,
} from '@holdpoint/desk';
import { Agent, type RunContext, tool, UserError } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Crash, crashingStore } from '../support/crashing-store.ts';
import { type Bank, echoModel, newBank, output, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, onlyHold } from '../support/people.ts';

const GRACE = { id: 'grace', roles: ['lead'] };
const KIM = { id: 'kim', roles: ['lead', 'cfo'] };

interface Person {
  readonly id: string;
  readonly roles?: readonly string[];
}

type Extra = Partial<Omit<DeskOptions<never>, 'store' | 'agents'>>;

function deskOn(store: Store, extra: Extra = {}, bank: Bank = newBank()): Desk {
  return openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } }, ...extra });
}

const WIDE: Approvers = { grants: 'tenant' };

function approve(
  desk: Desk,
  { id, digest }: HoldRow,
  { roles, ...by }: Person,
  grantRequest?: GrantRequest,
): Promise<HoldRow> {
  return desk.decide(id, { kind: 'approve' }, { by, digest, roles, grant: grantRequest });
}

/** Starts a run, and executes it until it parks or ends. */
async function ran(
  desk: Desk,
  prompt: string,
  from: { requester?: Person | undefined; conversationId?: string | undefined } = {},
) {
  const { conversationId } = from;
  const requester = { id: (from.requester ?? ADA).id };
  const runId = await desk.start('teller', prompt, { requester, conversationId });
  return desk.work({ runId });
}

/** Has a call be approved with a wish to remember it. */
async function granted(
  desk: Desk,
  grantRequest: GrantRequest,
  prompt = 'pay acme',
): Promise<GrantRow> {
  const { id } = await ran(desk, prompt);
  await approve(desk, await onlyHold(desk, id), GRACE, grantRequest);
  await desk.work({ runId: id });
  const [grant, ...others] = (await desk.grants({ live: true })).items;
  expect(others).toEqual([]);
  return grant!;
}

describe.each(STORES)('a grant at a desk %s', (_, open) => {
  it('approves later calls that it matches, and names its approvers', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, { approvers: WIDE }, bank);
    const grant = await granted(desk, { match: { args: { to: 'acme' } }, scope: 'agent', uses: 2 });
    expect(grant).toMatchObject({ by: [{ id: 'grace', roles: ['lead'] }], used: 0, uses: 2 });

    const run = await ran(desk, 'pay acme', { requester: { id: 'mel' } });
    expect(run.state).toBe('finished');
    expect(bank.paid).toHaveLength(2);
    const audit = await desk.audit(run.id);
    expect(audit.map(({ kind }) => kind)).toContain('hold-granted');
    const settled = (await desk.holds({ runId: run.id, states: ['consumed'] })).items[0]!;
    expect(settled).toMatchObject({ decidedBy: { kind: 'grant', grantId: grant.id } });

    expect((await ran(desk, 'pay other')).state).toBe('parked');
    expect((await ran(desk, 'pay acme')).state).toBe('finished');
    expect((await ran(desk, 'pay acme')).state).toBe('parked');
    expect(await desk.grant(grant.id)).toMatchObject({ used: 2 });
    expect((await desk.grants({ live: true })).items).toEqual([]);
    expect((await desk.grants({ live: false })).items).toHaveLength(1);
  });

  it('leaves the time of the last change of its run when it is revoked', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { approvers: WIDE });
    const { id, runId } = await granted(desk, { match: 'tool', scope: 'tenant' });
    const run = await desk.run(runId);

    opened.clock.advance(60_000);
    await desk.revokeGrant(id, { by: ADA });

    // Retention counts the age of the run from its end.
    const { updatedAt, auditCount } = await desk.run(runId);
    expect({ state: run.state, updatedAt }).toEqual({
      state: 'finished',
      updatedAt: run.updatedAt,
    });
    expect(auditCount).toBe(run.auditCount + 1);
  });

  it('ends when it is revoked, and when it expires', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { approvers: WIDE });
    const grant = await granted(desk, { match: 'tool', scope: 'tenant', expiresAfter: 1_000 });
    expect((await ran(desk, 'pay b')).state).toBe('finished');
    opened.clock.advance(1_000);
    expect((await ran(desk, 'pay b')).state).toBe('parked');

    const other = await granted(desk, { match: 'tool', scope: 'tenant' });
    expect((await ran(desk, 'pay b')).state).toBe('finished');
    await desk.revokeGrant(other.id, { by: { id: 'mel' } });
    expect(await desk.revokeGrant(other.id, { by: ADA })).toMatchObject({
      revokedBy: { id: 'mel' },
    });
    expect((await ran(desk, 'pay b')).state).toBe('parked');
    const kinds = (await desk.audit(other.runId)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind.startsWith('grant'))).toEqual([
      'grant-created',
      'grant-revoked',
    ]);
    await expect(desk.forTenant('x').grant(grant.id)).rejects.toMatchObject({ code: 'not-found' });
    await expect(desk.forTenant('x').revokeGrant(grant.id, { by: ADA })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('applies in its scope only', async () => {
    await using opened = await open();
    const desk = openDesk({
      store: opened.store,
      agents: {
        teller: { agent: teller, deps: () => newBank() },
        cousin: { agent: teller, deps: () => newBank() },
      },
      approvers: WIDE,
    });
    const attempts = async (from: { conversationId: string }) => {
      const same = await ran(desk, 'pay b', from);
      if (same.state === 'parked') await desk.cancel(same.id, { by: ADA });
      const started = await desk.start('cousin', 'pay b', { requester: ADA });
      return {
        conversation: same.state,
        requester: (await ran(desk, 'pay b')).state,
        agent: (await ran(desk, 'pay b', { requester: { id: 'mel' } })).state,
        tenant: (await desk.work({ runId: started })).state,
      };
    };
    const scopes = ['conversation', 'requester', 'agent', 'tenant'] as const;
    for (const [width, scope] of scopes.entries()) {
      const grant = await granted(desk, { match: 'tool', scope });
      const { conversationId } = grant;

      const states = await attempts({ conversationId });

      expect(Object.values(states)).toEqual(
        scopes.map((_scope, at) => (at <= width ? 'finished' : 'parked')),
      );
      const other = await ran(desk.forTenant('other'), 'pay b');
      expect(other.state).toBe('parked');
      await desk.revokeGrant(grant.id, { by: ADA });
    }
  });

  it('with `same-arguments` does not match other arguments', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { approvers: WIDE });
    await granted(desk, { match: 'same-arguments', scope: 'agent' });

    expect((await ran(desk, 'pay acme')).state).toBe('finished');
    expect((await ran(desk, 'pay other')).state).toBe('parked');
  });

  it('does not match a tool that changed', async () => {
    await using opened = await open();
    const make = (description: string, schema: z.ZodType, version?: string) =>
      new Agent({
        name: 'teller',
        model: echoModel,
        tools: [
          tool({
            name: 'pay',
            description,
            inputSchema: schema,
            requiresApproval: true,
            ...(version && { version }),
            execute: () => 'paid',
          }),
        ],
        output,
      });
    const schema = z.object({ to: z.string() });
    const deskOf = (agent: ReturnType<typeof make>) =>
      openDesk({ store: opened.store, agents: { teller: { agent } }, approvers: WIDE });
    await granted(deskOf(make('Pays.', schema)), { match: 'tool', scope: 'tenant' });

    expect((await ran(deskOf(make('Pays.', schema)), 'pay b')).state).toBe('finished');
    for (const changed of [
      make('Pays everything.', schema),
      make('Pays.', z.object({ to: z.string(), all: z.boolean().optional() })),
      make('Pays.', z.object({ to: z.string().describe('ignored') })),
      make('Pays.', schema, '2'),
    ]) {
      expect((await ran(deskOf(changed), 'pay b')).state).toBe('parked');
    }
  });

  it('decides only calls that its approvers could have approved', async () => {
    await using opened = await open();
    await granted(deskOn(opened.store, { approvers: WIDE }), { match: 'tool', scope: 'tenant' });
    const stateWith = async (approvers: Approvers, requester = ADA) =>
      (await ran(deskOn(opened.store, { approvers }), 'pay b', { requester })).state;

    const grants = 'tenant';
    expect(await stateWith({ roles: ['lead'], notRequester: true, grants })).toBe('finished');
    expect(await stateWith({ roles: ['lead'], notRequester: true })).toBe('parked');
    expect(await stateWith({ roles: ['cfo'], grants })).toBe('parked');
    expect(await stateWith({ count: 2, grants })).toBe('parked');
    expect(await stateWith({ notRequester: true, grants }, { id: 'Grace' })).toBe('parked');
  });

  it('decides nothing for an approver who has lost the role, or who has left', async () => {
    await using opened = await open();
    const directory = new Map([['grace', ['lead']]]);
    const approvers = { roles: ['lead'], grants: 'tenant' } as const;
    const desk = deskOn(opened.store, { approvers, rolesOf: ({ id }) => directory.get(id) });
    await granted(desk, { match: 'tool', scope: 'tenant' });
    expect((await ran(desk, 'pay b')).state).toBe('finished');

    directory.set('grace', ['clerk']);
    expect((await ran(desk, 'pay c')).state).toBe('parked');
    directory.delete('grace');
    expect((await ran(desk, 'pay d')).state).toBe('parked');
    directory.set('grace', ['lead', 'clerk']);
    expect((await ran(desk, 'pay e')).state).toBe('finished');
  });

  it('is part of the proposal that approvers vote on', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { approvers: { count: 2, grants: 'tenant' } });
    const { id } = await ran(desk, 'pay acme');
    const hold = await onlyHold(desk, id);
    await approve(desk, hold, GRACE);

    const proposed = await approve(desk, hold, KIM, { match: 'tool', scope: 'tenant' });
    expect(proposed).toMatchObject({ state: 'open', votes: [{ id: 'kim' }] });
    expect(proposed.digest).not.toBe(hold.digest);
    expect((await desk.grants()).items).toEqual([]);
    await approve(desk, proposed, GRACE);

    const [grant] = (await desk.grants()).items;
    expect(grant?.by.map((vote) => vote.id)).toEqual(['kim', 'grace']);
    await desk.work({ runId: id });
    expect((await ran(desk, 'pay b')).state).toBe('finished');
  });

  it('is dropped by an edit, and not created by a denial', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { approvers: { count: 2, grants: 'conversation' } });
    const { id } = await ran(desk, 'pay acme');
    const hold = await onlyHold(desk, id);
    const remembered = await approve(desk, hold, KIM, { match: 'tool' });
    const decision: Decision = { kind: 'approve', args: { to: 'acme' } };
    const { digest } = remembered;
    const without = await desk.decide(hold.id, decision, { by: { id: 'grace' }, digest });
    expect(without.proposal?.grant).toBeUndefined();
    const again = await approve(desk, without, KIM, { match: 'tool' });
    expect(again.proposal).toMatchObject({ decision, grant: { match: 'tool' } });

    await desk.decide(hold.id, { kind: 'deny' }, { by: { id: 'mel' }, digest: again.digest });

    expect((await desk.grants()).items).toEqual([]);
  });

  it('is rejected beyond the scope of the rule, and with options that do not fit', async () => {
    await using opened = await open();
    const wish = async (
      approvers: Approvers | undefined,
      grantRequest: GrantRequest,
      prompt = 'pay acme',
    ) => {
      const desk = deskOn(opened.store, { approvers });
      const { id } = await ran(desk, prompt);
      return approve(desk, await onlyHold(desk, id), GRACE, grantRequest);
    };
    const rejected = { code: 'grant-does-not-fit' };

    await expect(wish({ grants: 'never' }, { match: 'tool' })).rejects.toMatchObject(rejected);
    await expect(wish(undefined, { match: 'tool', scope: 'requester' })).rejects.toMatchObject(
      rejected,
    );
    await expect(wish(WIDE, { match: { args: { to: 'b' } } })).rejects.toMatchObject(rejected);
    await expect(wish(WIDE, { match: { args: { to: 'acme', more: 1 } } })).rejects.toMatchObject(
      rejected,
    );
    for (const broken of [
      {},
      { match: 'all' },
      { match: 'tool', uses: 0 },
      // SQLite would store a time that it cannot read.
      { match: 'tool', expiresAfter: 1e16 },
      { match: 'tool', expiresAfter: 0.5 },
      { match: 'tool', x: 1 },
    ]) {
      await expect(wish(WIDE, broken as GrantRequest)).rejects.toThrow(UserError);
    }
    expect((await deskOn(opened.store).grants()).items).toEqual([]);
  });

  it('does not decide a call in doubt, one that was denied before, or an external one', async () => {
    await using opened = await open();
    const bank = newBank(() => {
      throw new Error('The line is dead.');
    });
    const calm = deskOn(opened.store, { approvers: WIDE });
    await granted(calm, { match: 'tool', scope: 'tenant' });
    const desk = deskOn(opened.store, { approvers: WIDE }, bank);

    const broken = await ran(desk, 'pay b');
    opened.clock.advance(600_000);
    expect((await desk.work({ runId: broken.id })).state).toBe('parked');
    expect((await onlyHold(desk, broken.id)).inDoubt).toBeDefined();

    expect((await ran(calm, 'look_up b')).state).toBe('parked');

    const [live] = (await calm.grants({ live: true })).items;
    await calm.revokeGrant(live!.id, { by: ADA });
    const first = await ran(calm, 'pay x');
    const hold = await onlyHold(calm, first.id);
    await calm.decide(hold.id, { kind: 'deny' }, { by: { id: 'mel' }, digest: hold.digest });
    await calm.work({ runId: first.id });
    await granted(calm, { match: 'tool', scope: 'tenant' });
    const again = await ran(calm, 'pay x', { conversationId: first.conversationId });
    expect(again.state).toBe('parked');
    expect(await onlyHold(calm, again.id)).toMatchObject({ deniedBefore: true });
  });

  it('is used once for a call, whenever the process is killed', { timeout: 60_000 }, async () => {
    for (const side of ['before', 'after'] as const) {
      let lived = false;
      let nth = 0;
      while (!lived) {
        nth += 1;
        await using opened = await open();
        const bank = newBank();
        const desk = deskOn(opened.store, { approvers: WIDE }, bank);
        const grant = await granted(desk, { match: 'tool', scope: 'tenant', uses: 1 });
        const runId = await desk.start('teller', 'pay b', { requester: ADA });
        const dying = crashingStore(opened.store, nth, side);
        await deskOn(dying.store, { approvers: WIDE }, bank)
          .work({ runId })
          .catch((error: unknown) => expect(error).toBeInstanceOf(Crash));
        await dying.atRest();
        lived = !dying.hasCrashed();

        for (let attempts = 0; attempts < 5; attempts += 1) {
          opened.clock.advance(600_000);
          await desk.work({ runId });
        }

        expect(await desk.grant(grant.id), `write ${nth}`).toMatchObject({ used: 1 });
        const paid = bank.paid.map(({ to }) => to);
        const { state } = await desk.run(runId);
        // A call that was executing may be in doubt. It did not execute twice, and no other call used the grant.
        expect(paid.filter((to) => to === 'b').length, `write ${nth}`).toBeLessThanOrEqual(1);
        expect(['finished', 'parked']).toContain(state);
      }
      expect(nth).toBeGreaterThan(5);
    }
  });

  it('is used at most `uses` times by concurrent runs', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, { approvers: WIDE }, bank);
    await granted(desk, { match: 'tool', scope: 'tenant', uses: 3 });

    const runs = await Promise.all(Array.from({ length: 10 }, () => ran(desk, 'pay b')));

    expect(runs.filter(({ state }) => state === 'finished')).toHaveLength(3);
    expect(bank.paid).toHaveLength(4);
  });
});

describe.each(STORES)('sub-agents at a desk with rules %s', (_, open) => {
  it('have calls under the rules, and grants for the path to the sub-agent', async () => {
    await using opened = await open();
    const seen: RunContext['approval'][] = [];
    const send = tool({
      name: 'pay',
      inputSchema: z.object({ to: z.string() }),
      requiresApproval: true,
      execute(_args, ctx) {
        seen.push(ctx.approval);
        return 'paid';
      },
    });
    const clerk = new Agent({ name: 'clerk', model: echoModel, tools: [send] });
    const leadOf = (name: string) =>
      new Agent({
        name: 'lead',
        model: functionModel(({ messages }) => {
          const last = messages.at(-1)?.parts.at(-1);
          if (last?.kind !== 'user-prompt') return says('All done.');
          return calls(name, { prompt: String(last.content) });
        }),
        tools: [clerk.asTool({ name })],
        output,
      });
    const deskWith = (name: string) =>
      openDesk({
        store: opened.store,
        agents: { teller: { agent: leadOf(name) } },
        approvers: { count: 2, decisionValidFor: 1_000, grants: 'agent' },
      });
    const desk = deskWith('ask_clerk');
    const { id } = await ran(desk, 'pay b');
    const hold = await onlyHold(desk, id);
    expect(hold).toMatchObject({ approvers: { count: 2 }, schema: { type: 'object' } });
    const proposed = await approve(desk, hold, GRACE, { match: 'tool', scope: 'agent' });
    await approve(desk, proposed, KIM);
    opened.clock.advance(1_001);
    expect((await desk.work({ runId: id })).state).toBe('parked');
    const again = await onlyHold(desk, id);
    await approve(desk, again, GRACE);
    await approve(desk, again, KIM);

    expect((await desk.work({ runId: id })).state).toBe('finished');
    expect((await desk.grants()).items).toHaveLength(1);
    expect(seen[0]?.by.map((one) => one.id)).toEqual(['grace', 'kim']);
    expect((await ran(desk, 'pay c')).state).toBe('finished');
    expect((await ran(deskWith('ask_another'), 'pay c')).state).toBe('parked');
  });
});

describe.each(STORES)('a `shadow` policy at a desk %s', (_, open) => {
  it('records the holds that it would open, and opens none', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, { shadow: ({ toolName }) => toolName === 'pay' }, bank);

    const run = await ran(desk, 'pay acme');

    expect(run.state).toBe('finished');
    expect(bank.paid).toHaveLength(1);
    const kinds = (await desk.audit(run.id)).map(({ kind }) => kind);
    expect(kinds).toContain('hold-shadowed');
    expect(kinds).not.toContain('hold-decided');
    const { items } = await desk.events();
    expect(items.map(({ kind }) => kind)).not.toContain('hold-opened');
  });

  it('does not apply to external calls, calls in doubt, and calls for which it does not return `true`', async () => {
    await using opened = await open();
    const bank = newBank(() => {
      throw new Error('The line is dead.');
    });
    const desk = deskOn(opened.store, { shadow: () => true }, bank);
    expect((await ran(desk, 'look_up b')).state).toBe('parked');
    const run = await ran(desk, 'pay acme');
    opened.clock.advance(600_000);
    await desk.work({ runId: run.id });
    expect((await onlyHold(desk, run.id)).inDoubt).toBeDefined();

    const unclear = deskOn(opened.store, { shadow: (() => 'yes') as never });
    expect((await ran(unclear, 'pay acme')).state).toBe('parked');
    const failing = deskOn(opened.store, {
      shadow: () => {
        throw new Error('no');
      },
    });
    expect((await ran(failing, 'pay acme')).state).toBe('stuck');
  });
});
