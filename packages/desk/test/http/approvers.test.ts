import { type Approvers, type HttpOptions, openDesk, type Store } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { countingStore } from './support/counting-store.ts';
import { type Site, siteOf, startedRun } from './support/site.ts';

const ADA = 'acme/ada';
const LIN = 'acme/lin/lead';
const KIM = 'acme/kim/lead';
const BOB = 'acme/bob/clerk';

function siteWith(
  store: Store,
  approvers: Approvers,
  { redact, ...options }: HttpOptions = {},
): Site {
  const bank = newBank();
  const agents = { teller: { agent: teller, deps: () => bank } };
  return siteOf(openDesk({ store, agents, approvers, redact }), options, bank);
}

async function onlyHold(site: Site, who: string) {
  const { items } = await site.client(who).holds();
  expect(items).toHaveLength(1);
  return items[0]!;
}

const RULE = { roles: ['lead'], count: 2, notRequester: true } as const;

describe.each(STORES)('approvers over HTTP %s', (_, open) => {
  it('see their own permissions and the votes of others', async () => {
    await using opened = await open();
    const site = siteWith(opened.store, { pay: { ...RULE, decisionValidFor: 60_000 } });
    const runId = await startedRun(site, 'pay acme');

    const shown = await onlyHold(site, LIN);
    expect(shown).toMatchObject({
      approvers: { ...RULE, grants: 'never' },
      requirements: [{ ...RULE, votes: 0 }],
      decisionValidFor: 60_000,
      votes: [],
      requester: { id: 'ada' },
      viewer: { mayDecide: true, hasVoted: false },
    });
    expect(shown).not.toHaveProperty('schema');
    expect((await onlyHold(site, ADA)).viewer).toMatchObject({ mayDecide: false });
    expect((await onlyHold(site, 'acme/Ada/lead')).viewer.reason).toContain('yourself');
    expect((await onlyHold(site, BOB)).viewer.reason).toContain('lead');

    const { id, digest } = shown;
    const decided = await site.client(LIN).decide(id, { digest, decision: { kind: 'approve' } });
    expect(decided).toMatchObject({
      state: 'open',
      viewer: { mayDecide: true, hasVoted: true },
      votes: [{ by: { id: 'lin' }, kind: 'approve', counts: true }],
      schema: { type: 'object' },
    });

    const edit = { kind: 'approve', args: { to: 'b', euros: 5 } } as const;
    const described = await site.client(KIM).previewEdit(id, { args: edit.args });
    expect(described).toMatchObject({
      problems: [],
      args: edit.args,
      preview: '5 euros go to b',
      requirement: RULE,
    });
    const { shown: confirmed } = described;
    const edited = await site.client(KIM).decide(id, { digest, decision: edit, shown: confirmed });
    expect(edited).toMatchObject({
      state: 'open',
      args: { to: 'acme' },
      edit: { args: edit.args, preview: '5 euros go to b', by: { id: 'kim' } },
      viewer: { mayDecide: true, mayApprove: false },
      votes: [
        { by: { id: 'lin' }, kind: 'approve', counts: false },
        // The author of an edit is not one of its approvers.
        { by: { id: 'kim' }, kind: 'approve', isEdit: true, counts: false },
      ],
    });
    const listed = await onlyHold(site, LIN);
    expect(listed).toMatchObject({
      digest: edited.digest,
      votes: [],
      viewer: { hasVoted: false },
    });

    await site
      .client('acme/max/lead')
      .decide(id, { digest: edited.digest, decision: { kind: 'approve' } });
    const done = await site
      .client(LIN)
      .decide(id, { digest: edited.digest, decision: { kind: 'approve' } });
    expect(done).toMatchObject({ state: 'decided', viewer: { mayDecide: false } });
    await site.desk.forTenant('acme').work({ runId });
    expect(site.bank.paid).toMatchObject([{ to: 'b', euros: 5 }]);
  });

  it('receive an event for each vote', async () => {
    await using opened = await open();
    const site = siteWith(opened.store, { count: 2 });
    await startedRun(site, 'pay acme');
    const { id, digest } = await onlyHold(site, LIN);

    await site.client(LIN).decide(id, { digest, decision: { kind: 'approve' } });

    const { items } = await site.desk.forTenant('acme').events();
    expect(items.filter(({ kind }) => kind === 'hold-voted')).toMatchObject([
      { data: { holdId: id, digest, votes: 1, count: 2 } },
    ]);
  });

  it('desk B1 and security M6: an edit is described only for callers who may decide the hold', async () => {
    await using opened = await open();
    const site = siteWith(opened.store, RULE);
    await startedRun(site, 'pay acme');
    const { id, digest } = await onlyHold(site, LIN);
    const check = (who: string) =>
      site.ask(who, 'POST', `/v1/holds/${id}/edit-preview`, { args: { to: 'b', euros: 5 } });

    expect(await check(BOB)).toMatchObject({
      status: 403,
      body: { code: 'may-not-decide' },
    });
    expect((await check('acme/ada/lead')).status).toBe(403);
    expect((await check('other/lin/lead')).status).toBe(404);
    expect(await check(LIN)).toMatchObject({ status: 200, body: { problems: [] } });
    const stale = await site.ask(LIN, 'POST', `/v1/holds/${id}/decision`, {
      digest,
      decision: { kind: 'approve', args: { to: 'b', euros: 5 } },
      shown: 'forged',
    });
    expect(stale).toMatchObject({ status: 409, body: { code: 'stale-edit' } });
  });

  it('a policy that throws is an internal error without details', async () => {
    await using opened = await open();
    const errors: unknown[] = [];
    const bank = newBank();
    const desk = openDesk({
      store: opened.store,
      agents: { teller: { agent: teller, deps: () => bank } },
      mayDecide: () => {
        throw new Error('password=hunter2secret');
      },
    });
    const site = siteOf(desk, { onError: (error) => errors.push(error) }, bank);
    await startedRun(site, 'pay acme');
    const { id, digest, viewer } = await onlyHold(site, LIN);
    expect(viewer).toMatchObject({ mayDecide: false, mayApprove: false });

    const decision = { digest, decision: { kind: 'approve' } };
    const { status, text } = await site.ask(LIN, 'POST', `/v1/holds/${id}/decision`, decision);

    expect(status).toBe(500);
    expect(text).not.toContain('hunter2');
    expect(errors).toMatchObject([{ name: 'PolicyError' }, { name: 'PolicyError' }]);
  });

  it('desk B14: a list with separation of duties takes as many reads for many holds as for one', async () => {
    await using opened = await open();
    const counting = countingStore(opened.store);
    const bank = newBank();
    const agents = { teller: { agent: teller, deps: () => bank } };
    const desk = openDesk({ store: counting.store, agents, http: { notRequester: true } });
    const site = siteOf(desk, {}, bank);
    const readsOfList = async () => {
      const before = counting.queries().length;
      const { items } = await site.client(LIN).holds({ mine: true });
      return { count: items.length, reads: counting.queries().length - before };
    };
    await startedRun(site, 'pay acme');
    const one = await readsOfList();
    for (let more = 0; more < 10; more += 1) await startedRun(site, 'pay acme');

    expect(await readsOfList()).toEqual({ count: 11, reads: one.reads });
  });

  it('are rejected with a stable code', async () => {
    await using opened = await open();
    const site = siteWith(opened.store, RULE);
    await startedRun(site, 'pay acme');
    const { id, digest } = await onlyHold(site, LIN);
    const decision = (who: string, body: object) =>
      site.ask(who, 'POST', `/v1/holds/${id}/decision`, {
        digest,
        decision: { kind: 'approve' },
        ...body,
      });

    expect(await decision(BOB, {})).toMatchObject({
      status: 403,
      body: { code: 'may-not-decide' },
    });
    expect((await decision(ADA, {})).status).toBe(403);
    expect((await decision(LIN, {})).status).toBe(200);
    expect(await decision(LIN, {})).toMatchObject({
      status: 409,
      body: { code: 'already-voted' },
    });
    expect(await decision(KIM, { decision: { kind: 'approve', args: { to: 1 } } })).toMatchObject({
      status: 422,
      body: { code: 'edit-does-not-fit', errors: [{ path: '/to' }] },
    });
    expect(await decision(KIM, { grant: { match: 'tool', scope: 'tenant' } })).toMatchObject({
      status: 422,
      body: { code: 'grant-does-not-fit' },
    });
    expect((await decision(KIM, { grant: { match: 'everything' } })).status).toBe(400);
    expect(site.bank.paid).toEqual([]);
  });

  it('list the holds that they may approve, and no others', async () => {
    await using opened = await open();
    const site = siteWith(opened.store, ({ args }) => {
      return (args as { to: string }).to === 'a' ? RULE : { count: 2 };
    });
    for (const to of ['a', 'b', 'c']) await startedRun(site, `pay ${to}`);
    const mine = async (who: string, limit = 50) => {
      const items: unknown[] = [];
      let after: string | undefined;
      do {
        const page = await site.client(who).holds({ mine: true, limit, after });
        items.push(...page.items.map(({ args }) => (args as { to: string }).to));
        after = page.next;
      } while (after !== undefined);
      return items.toSorted();
    };

    expect(await mine(LIN)).toEqual(['a', 'b', 'c']);
    expect(await mine(LIN, 1)).toEqual(['a', 'b', 'c']);
    expect(await mine(BOB)).toEqual(['b', 'c']);
    expect(await mine(ADA)).toEqual(['b', 'c']);
    const { items } = await site.client(BOB).holds({ mine: true });
    const { id, digest, args } = items[0]!;
    await site.client(BOB).decide(id, { digest, decision: { kind: 'approve' } });
    expect(await mine(BOB)).not.toContain((args as { to: string }).to);
    expect(await mine(LIN)).toHaveLength(3);
    expect((await site.ask(LIN, 'GET', '/v1/holds?mine=perhaps')).status).toBe(400);
  });

  it('create and revoke grants, which another tenant cannot read', async () => {
    await using opened = await open();
    const site = siteWith(opened.store, { grants: 'agent' });
    await startedRun(site, 'pay acme');
    const { id, digest } = await onlyHold(site, LIN);
    const match = { args: { to: 'acme' } };
    await site.client(LIN).decide(id, {
      digest,
      decision: { kind: 'approve' },
      grant: { match, scope: 'agent', uses: 5 },
    });
    const [grant] = (await site.client(BOB).grants()).items;
    expect(grant).toMatchObject({
      toolName: 'pay',
      scope: 'agent',
      match: { kind: 'contains', args: match.args },
      by: [{ id: 'lin', roles: ['lead'] }],
      uses: 5,
      used: 0,
    });

    const runId = await startedRun(site, 'pay acme');
    const [hold] = (await site.client(LIN).holds({ runId, states: ['decided', 'consumed'] })).items;
    expect(hold).toMatchObject({
      decidedBy: { kind: 'grant', grantId: grant!.id },
      votes: [{ by: { id: 'lin' }, kind: 'approve', counts: true }],
    });
    expect(await site.client(LIN).grant(grant!.id)).toMatchObject({ used: 1 });
    expect((await site.ask('other/eve', 'GET', `/v1/grants/${grant!.id}`)).status).toBe(404);
    expect((await site.ask('other/eve', 'POST', `/v1/grants/${grant!.id}/revoke`, {})).status).toBe(
      404,
    );

    expect(await site.client(BOB).revokeGrant(grant!.id)).toMatchObject({
      revokedBy: { id: 'bob' },
    });
    expect((await site.client(BOB).grants({ live: true })).items).toEqual([]);
  });

  it('preview edits without writing anything', async () => {
    await using opened = await open();
    const site = siteWith(opened.store, {});
    await startedRun(site, 'pay acme');
    const { id } = await onlyHold(site, LIN);

    const { problems } = await site.client(LIN).previewEdit(id, { args: { to: 1, euros: 'x' } });

    expect(problems.map(({ path }) => path)).toEqual(['/to', '/euros']);
    expect((await site.client(LIN).previewEdit(id, { args: { to: 'b' } })).problems).toEqual([]);
    expect((await site.client(LIN).hold(id)).decisions).toEqual([]);
  });

  it('see whether the audit of a run is complete', async () => {
    await using opened = await open();
    const site = siteWith(opened.store, {});
    const runId = await startedRun(site, 'pay acme');
    const intact = await site.client(LIN).verifyAudit(runId);
    expect(intact).toMatchObject({ ok: true, problems: [] });
    expect(intact.checkedEntries).toBeGreaterThan(3);
    expect(intact.blindSpots.length).toBeGreaterThan(0);

    await opened.store.write(async (tx) => {
      const run = await tx.runs.lock('acme', runId);
      await tx.runs.put({ ...run!, auditCount: run!.auditCount + 1 });
    });

    expect(await site.client(LIN).verifyAudit(runId)).toMatchObject({
      ok: false,
      problems: [{ kind: 'missing' }],
    });
  });
});

describe.each(STORES)('security M6: a check of edited arguments %s', (_, open) => {
  it('is rejected to callers who may not decide the hold', async () => {
    await using opened = await open();
    const site = siteWith(opened.store, { pay: RULE });
    await startedRun(site, 'pay acme');
    const { id } = await onlyHold(site, LIN);
    const check = (who: string) =>
      site.ask(who, 'POST', `/v1/holds/${id}/edit-preview`, { args: { to: 'acme', euros: -1 } });

    for (const who of [BOB, ADA]) {
      const rejected = await check(who);
      expect(rejected).toMatchObject({ status: 403, body: { code: 'may-not-decide' } });
      expect(rejected.text).not.toContain('euros');
    }
    expect(await check(LIN)).toMatchObject({
      status: 200,
      body: { problems: [{ path: '/euros' }] },
    });
  });
});

describe.each(STORES)('redacted arguments %s', (_, open) => {
  it('are in no edit, vote or grant, and cannot be guessed', async () => {
    await using opened = await open();
    const site = siteWith(opened.store, { count: 2, grants: 'agent' }, { redact: { pay: ['to'] } });
    await startedRun(site, 'pay hunter2secret');
    const { id, digest } = await onlyHold(site, LIN);
    const ask = (body: object) =>
      site.ask(LIN, 'POST', `/v1/holds/${id}/decision`, {
        digest,
        decision: { kind: 'approve' },
        ...body,
      });

    for (const to of ['hunter2secret', 'wrong']) {
      expect(await ask({ grant: { match: { args: { to } } } })).toMatchObject({
        status: 422,
        body: { code: 'grant-does-not-fit' },
      });
    }
    const edited = await ask({ decision: { kind: 'approve', args: { to: 'other9secret' } } });
    expect(edited.status).toBe(200);
    const seen = [
      edited,
      await site.ask(KIM, 'GET', `/v1/holds/${id}`),
      await site.ask(KIM, 'GET', '/v1/holds'),
    ];
    for (const { text } of seen) expect(text).not.toMatch(/hunter2secret|other9secret/);
  });
});
