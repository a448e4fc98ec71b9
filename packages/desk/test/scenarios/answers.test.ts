import { DeskError, HoldSettledError, openDesk, type Store } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, GRACE, onlyHold, say } from '../support/people.ts';

describe.each(STORES)('an answer at a desk %s', (_, open) => {
  const bank = newBank();
  const deskOn = (store: Store) =>
    openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });

  it('is written once: a second one gets the first', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'pay acme');
    await desk.work({ runId });
    const hold = await onlyHold(desk, runId);
    await say(desk, hold, { kind: 'deny', message: 'Too much.' });

    const second = desk.answer(hold.id, { kind: 'approve' }, { by: ADA, digest: hold.digest });

    await expect(second).rejects.toThrow(HoldSettledError);
    await expect(second).rejects.toMatchObject({
      code: 'hold-settled',
      answer: { by: GRACE, answer: { kind: 'deny', message: 'Too much.' } },
    });
    expect((await desk.work({ runId })).output).toBe('I was told: "Too much."');
  });

  it('is that of one of many who answer at once', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'pay acme');
    await desk.work({ runId });
    const hold = await onlyHold(desk, runId);

    const said = await Promise.allSettled(
      Array.from({ length: 20 }, (_person, index) =>
        desk.answer(hold.id, index % 2 === 0 ? { kind: 'approve' } : { kind: 'deny' }, {
          by: { id: `person-${index}` },
          digest: hold.digest,
        }),
      ),
    );

    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = said.findIndex(({ status }) => status === 'fulfilled');
    const { answers } = await desk.hold(hold.id);
    expect(answers).toMatchObject([{ by: { id: `person-${winner}` } }]);
  });

  it('is refused for anything but what was shown', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'pay a, pay b');
    await desk.work({ runId });
    const [a, b] = (await desk.holds({ runId })).items;

    const forged = desk.answer(a!.id, { kind: 'approve' }, { by: GRACE, digest: b!.digest });

    await expect(forged).rejects.toMatchObject({ code: 'stale-digest' });
    expect((await desk.holds({ runId })).items).toHaveLength(2);
  });

  it('is refused by another tenant, who is not told that the hold is there', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'pay acme');
    await desk.work({ runId });
    const hold = await onlyHold(desk, runId);
    const other = desk.forTenant('other');

    await expect(say(other, hold, { kind: 'approve' })).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(other.run(runId)).rejects.toThrow(DeskError);
    await expect(other.hold(hold.id)).rejects.toThrow(DeskError);
    await expect(other.cancel(runId, { by: ADA })).rejects.toMatchObject({ code: 'not-found' });
    expect((await other.holds()).items).toEqual([]);
    expect((await other.runs()).items).toEqual([]);
    expect(await other.audit(runId)).toEqual([]);
    expect((await desk.run(runId)).state).toBe('parked');
  });

  it('is refused if it is of the wrong kind, of no kind, or of nobody', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'pay a, look_up b');
    await desk.work({ runId });
    const [approval, external] = (await desk.holds({ runId })).items;
    const raw = desk.answer.bind(desk) as (
      id: string,
      answer: unknown,
      by: unknown,
    ) => Promise<unknown>;
    const as = { by: GRACE, digest: approval!.digest };

    await expect(say(desk, approval!, { kind: 'result', value: 1 })).rejects.toMatchObject({
      code: 'answer-does-not-fit',
    });
    await expect(say(desk, external!, { kind: 'approve' })).rejects.toMatchObject({
      code: 'answer-does-not-fit',
    });
    for (const answer of [true, 'yes', {}, { kind: 'yes' }, { kind: 'approve', args: {} }, null]) {
      await expect(raw(approval!.id, answer, as)).rejects.toThrow(UserError);
    }
    for (const by of [{ id: '' }, undefined]) {
      await expect(raw(approval!.id, { kind: 'approve' }, { ...as, by })).rejects.toThrow(
        UserError,
      );
    }
    expect((await desk.run(runId)).openHolds).toBe(2);
  });
});
