import { type Desk, type HoldRow, openDesk, type Store } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { decide, GRACE, onlyHold } from '../support/people.ts';

const LIN = { id: 'lin', name: 'Lin' };

function deskOn(store: Store): Desk {
  const bank = newBank();
  return openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });
}

async function parked(desk: Desk): Promise<HoldRow> {
  const runId = await desk.start('teller', 'pay acme', { requester: { id: 'ada' } });
  await desk.work({ runId });
  return onlyHold(desk, runId);
}

describe.each(STORES)('a comment on a hold %s', (_, open) => {
  it('is stored as it was written, with an event and an audit entry without the text', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const hold = await parked(desk);
    const text = '<b>Is this invoice</b> correct?\u202Etxt';

    await desk.comment(hold.id, text, { by: LIN });
    await decide(desk, hold, { kind: 'approve' });
    await desk.comment(hold.id, 'It was.', { by: GRACE });

    expect(await desk.comments(hold.id)).toMatchObject([
      { number: 1, by: LIN, text },
      { number: 2, by: GRACE, text: 'It was.' },
    ]);
    const events = (await desk.events()).items.filter(({ kind }) => kind === 'hold-commented');
    expect(events.map(({ data }) => data)).toEqual([
      { holdId: hold.id, number: 1 },
      { holdId: hold.id, number: 2 },
    ]);
    const audit = await desk.audit(hold.runId);
    expect(audit.filter(({ kind }) => kind === 'hold-commented')).toMatchObject([
      { by: LIN, data: { number: 1 } },
      { by: GRACE, data: { number: 2 } },
    ]);
    expect(JSON.stringify(audit)).not.toContain('invoice');
    await desk.drain();
    const { conversationId } = hold;
    expect(JSON.stringify(await desk.history(conversationId))).not.toContain('invoice');
  });

  it('does not hide that the row of the hold was changed', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const hold = await parked(desk);
    await opened.store.write(async (tx) => {
      const row = await tx.holds.lock(hold.tenant, hold.id);
      await tx.holds.put({ ...row!, preview: '1 euro goes to acme' });
    });

    await desk.comment(hold.id, 'Looks good.', { by: LIN });

    await expect(decide(desk, hold, { kind: 'approve' })).rejects.toMatchObject({
      code: 'tampered',
    });
  });

  it('is deleted with its conversation, and loses an erased author', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const [first, second] = [await parked(desk), await parked(desk)];
    for (const hold of [first, second]) {
      await desk.comment(hold.id, 'Hm.', { by: LIN });
      await decide(desk, hold, { kind: 'deny' });
    }
    await desk.drain();
    const cause = { by: GRACE, reason: 'request' };

    await desk.eraseConversation(first.conversationId, cause);
    await desk.erasePerson('lin', cause);

    expect(await desk.comments(first.id)).toEqual([]);
    const [left] = await desk.comments(second.id);
    expect(left).toMatchObject({ text: 'Hm.', by: { id: expect.stringMatching(/^erased-/) } });
    expect(left?.by).not.toHaveProperty('name');
  });

  it('needs a text, and a hold of this tenant', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const { id } = await parked(desk);

    await expect(desk.comment(id, ' \n', { by: LIN })).rejects.toThrow(/empty/);
    await expect(desk.comment(id, 'x'.repeat(4_001), { by: LIN })).rejects.toThrow(/4000/);
    const foreign = desk.forTenant('other').comment(id, 'x', { by: LIN });
    await expect(foreign).rejects.toMatchObject({ code: 'not-found' });
  });

  it('has a limit per hold', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const { id, tenant } = await parked(desk);
    await opened.store.write(async (tx) => {
      for (let number = 1; number <= 200; number++) {
        await tx.comments.insert({ tenant, holdId: id, number, by: LIN, text: 'x', at: 1 });
      }
    });

    const more = desk.comment(id, 'x', { by: LIN });

    await expect(more).rejects.toMatchObject({ code: 'comment-does-not-fit' });
  });
});

describe('prepared reasons', () => {
  it.each([['too expensive'], [[' ']], [[7]], [['x'.repeat(501)]]])(
    'are rejected: %j',
    async (denyReasons) => {
      await using opened = await STORES[0]![1]();
      const { store } = opened;
      // Programs without types pass anything.
      const options = { store, agents: {}, denyReasons: denyReasons as string[] };
      expect(() => openDesk(options)).toThrow(/`denyReasons`/);
    },
  );
});
