import { type Desk, exportAudit, openDesk, type Store, verifyAudit } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';

const ADA = { id: 'ada@example.com', name: 'Ada Lovelace' };
const EVE = { id: 'eve@example.com', name: 'Eve' };
const ROOT = { id: 'root' };
const BECAUSE = { by: ROOT, reason: 'Request 17' };

function openTeller(store: Store) {
  const bank = newBank();
  const agents = { teller: { agent: teller, deps: () => bank } };
  const approvers = { pay: { count: 2, grants: 'tenant' } } as const;
  return { bank, desk: openDesk({ store, agents, approvers }) };
}

/** Approves all open holds as these people. */
async function approveAll(desk: Desk, ...people: readonly { readonly id: string }[]) {
  for (const { id } of (await desk.holds()).items) {
    for (const by of people) {
      const { digest } = await desk.hold(id);
      await desk.decide(id, { kind: 'approve', reason: 'Fine.' }, { by, digest });
    }
  }
}

async function payFor(desk: Desk, requester: { readonly id: string }, conversationId: string) {
  const runId = await desk.start('teller', 'pay bob', { requester, conversationId });
  await desk.drain();
  await approveAll(desk, ADA, { id: 'carl' });
  await desk.drain();
  expect((await desk.run(runId)).state).toBe('finished');
  return runId;
}

async function verify(store: Store) {
  return verifyAudit({ tenant: 'default', entries: exportAudit(store, { tenant: 'default' }) });
}

/** Everything that the desk returns about a tenant, as one text. */
async function allOf(desk: Desk): Promise<string> {
  const runs = (await desk.runs({ includeErased: true })).items;
  const parts: unknown[] = [runs, (await desk.grants()).items];
  const states = ['open', 'consumed', 'cancelled', 'decided'] as const;
  for (const hold of (await desk.holds({ states })).items) parts.push(await desk.hold(hold.id));
  for (const { id, conversationId } of runs) {
    parts.push(await desk.audit(id), await desk.history(conversationId));
  }
  return JSON.stringify(parts);
}

describe.each(STORES)('erasure of a conversation %s', (_, open) => {
  it('deletes its content, keeps its audit verifiable, and records who erased it and why', async () => {
    await using opened = await open();
    const { desk } = openTeller(opened.store);
    const runId = await payFor(desk, EVE, 'c1');
    const other = await payFor(desk, EVE, 'c2');

    expect(await desk.eraseConversation('c1', BECAUSE)).toEqual({ runs: 1 });

    expect(await desk.history('c1')).toEqual([]);
    const run = await desk.run(runId);
    expect(run).not.toHaveProperty('prompt');
    expect(run).not.toHaveProperty('requester');
    expect((await desk.holds({ runId, states: ['consumed'] })).items).toEqual([]);
    const erasures = (await desk.audit(runId)).filter(({ kind }) => kind === 'data-erased');
    expect(erasures.map(({ data, by }) => [data['part'], data['reason'], by])).toEqual([
      ['history', 'Request 17', ROOT],
      ['holds', 'Request 17', ROOT],
      ['content', 'Request 17', ROOT],
    ]);
    expect(await verify(opened.store)).toMatchObject({ status: 'intact', runs: 2 });
    expect(await desk.history('c2')).toHaveLength(4);
    expect(await desk.run(other)).toHaveProperty('output');
  });

  it('is rejected while a run is live, and changes nothing', async () => {
    await using opened = await open();
    const { desk, bank } = openTeller(opened.store);
    const runId = await desk.start('teller', 'pay bob', { conversationId: 'c1', requester: EVE });
    await desk.drain();
    const before = await allOf(desk);

    const erasing = desk.eraseConversation('c1', BECAUSE);
    await expect(erasing).rejects.toMatchObject({ code: 'conversation-busy' });

    expect(await allOf(desk)).toBe(before);
    await approveAll(desk, ADA, { id: 'carl' });
    await desk.drain();
    expect((await desk.run(runId)).state).toBe('finished');
    expect(bank.paid).toHaveLength(1);
  });

  it('rejects an unknown conversation and a missing reason', async () => {
    await using opened = await open();
    const { desk } = openTeller(opened.store);

    const unknown = desk.eraseConversation('c9', BECAUSE);
    await expect(unknown).rejects.toMatchObject({ code: 'not-found' });
    await expect(desk.eraseConversation('c9', { ...BECAUSE, reason: '' })).rejects.toThrow(
      UserError,
    );
  });
});

describe.each(STORES)('erasure of a person %s', (_, open) => {
  it('erases an approver from decisions and audits of other conversations', async () => {
    await using opened = await open();
    const { desk } = openTeller(opened.store);
    const runId = await payFor(desk, EVE, 'c1');
    expect(await allOf(desk)).toContain('Ada Lovelace');

    const report = await desk.erasePerson('ADA@example.com', BECAUSE);

    expect(report).toEqual({
      conversations: 0,
      runs: 0,
      auditEntries: 1,
      tokens: 0,
      pendingRuns: [],
    });
    const left = await allOf(desk);
    expect(left).not.toContain('Ada');
    expect(left).not.toContain('ada@example.com');
    expect(left).toContain('carl');
    expect(await desk.history('c1')).toHaveLength(4);
    const [hold] = (await desk.holds({ runId, states: ['consumed'] })).items;
    const [first] = (await desk.hold(hold!.id)).decisions;
    expect(first!.by.id).toMatch(/^erased-[0-9a-f]{16}$/);
    expect(await verify(opened.store)).toMatchObject({ status: 'intact' });
    expect(await desk.erasePerson(ADA.id, BECAUSE)).toMatchObject({ auditEntries: 0 });
  });

  it('erases the conversations of a requester', async () => {
    await using opened = await open();
    const { desk } = openTeller(opened.store);
    await payFor(desk, EVE, 'c1');
    await payFor(desk, EVE, 'c2');
    await payFor(desk, { id: 'zoe' }, 'c3');

    const report = await desk.erasePerson(EVE.id, BECAUSE);

    expect(report).toMatchObject({ conversations: 2, runs: 2, auditEntries: 2, pendingRuns: [] });
    expect(await allOf(desk)).not.toContain('eve@example.com');
    expect(await desk.history('c3')).toHaveLength(4);
    expect(await verify(opened.store)).toMatchObject({ status: 'intact', runs: 3 });
  });

  it('leaves live runs as they are, reports them, and erases them when they have ended', async () => {
    await using opened = await open();
    const { desk, bank } = openTeller(opened.store);
    const runId = await desk.start('teller', 'pay bob', { requester: EVE });
    await desk.drain();
    await approveAll(desk, ADA);

    const early = await desk.erasePerson(ADA.id, BECAUSE);
    expect(early).toMatchObject({ auditEntries: 0, pendingRuns: [runId] });
    await approveAll(desk, { id: 'carl' });
    await desk.drain();
    expect((await desk.run(runId)).state).toBe('finished');
    expect(bank.paid).toHaveLength(1);

    const late = await desk.erasePerson(ADA.id, BECAUSE);
    expect(late).toMatchObject({ auditEntries: 1, pendingRuns: [] });
    expect(await allOf(desk)).not.toContain('Ada');
  });

  it('is noticed if the audit has no entry about it', async () => {
    await using opened = await open();
    const { desk } = openTeller(opened.store);
    const runId = await payFor(desk, EVE, 'c1');
    await opened.store.write((tx) =>
      tx.retention.removePersonFromAudit('default', runId, 'ada@example.com'),
    );

    const { status, problems } = await verify(opened.store);
    expect(status).toBe('damaged');
    expect(problems).toMatchObject([{ kind: 'edited', runId }]);
  });
});

describe.each(STORES)('an export %s', (_, open) => {
  it('contains every row of a conversation, or of a person', async () => {
    await using opened = await open();
    const { desk } = openTeller(opened.store);
    await payFor(desk, EVE, 'c1');
    await payFor(desk, { id: 'zoe' }, 'c2');
    const kindsOf = async (records: ReturnType<typeof desk.exportPerson>) => {
      const kinds: Record<string, number> = {};
      for await (const { record } of records) kinds[record] = (kinds[record] ?? 0) + 1;
      return kinds;
    };

    const conversation = await kindsOf(desk.exportConversation('c1'));
    expect(conversation).toMatchObject({ run: 1, message: 4, hold: 1, decision: 2 });
    expect(await kindsOf(desk.exportPerson(EVE.id))).toEqual(conversation);
    // As an approver, a person has decisions in both conversations, and no messages.
    expect(await kindsOf(desk.exportPerson(ADA.id))).toEqual({ hold: 2, decision: 2, audit: 2 });
    await expect(kindsOf(desk.exportConversation('c9'))).rejects.toMatchObject({
      code: 'not-found',
    });
  });
});
