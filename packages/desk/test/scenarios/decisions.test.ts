import { DeskError, HoldSettledError, openDesk, type Store } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { ADA, GRACE, onlyHold, decide } from '../support/people.ts';

describe.each(STORES)('a decision at a desk %s', (_, open) => {
  const bank = newBank();
  const deskOn = (store: Store) =>
    openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });

  it('is recorded once: the error of a second decision has the first', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'pay acme');
    await desk.work({ runId });
    const hold = await onlyHold(desk, runId);
    await decide(desk, hold, { kind: 'deny', reason: 'Too much.' });

    const second = desk.decide(hold.id, { kind: 'approve' }, { by: ADA, digest: hold.digest });

    await expect(second).rejects.toThrow(HoldSettledError);
    await expect(second).rejects.toMatchObject({
      code: 'hold-settled',
      decision: { by: GRACE, decision: { kind: 'deny', reason: 'Too much.' } },
    });
    expect((await desk.work({ runId })).output).toBe('Results: "Too much."');
  });

  it('is recorded once if many approvers decide at the same time', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'pay acme');
    await desk.work({ runId });
    const hold = await onlyHold(desk, runId);

    const said = await Promise.allSettled(
      Array.from({ length: 20 }, (_person, index) =>
        desk.decide(hold.id, index % 2 === 0 ? { kind: 'approve' } : { kind: 'deny' }, {
          by: { id: `person-${index}` },
          digest: hold.digest,
        }),
      ),
    );

    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = said.findIndex(({ status }) => status === 'fulfilled');
    const { decisions } = await desk.hold(hold.id);
    expect(decisions).toMatchObject([{ by: { id: `person-${winner}` } }]);
  });

  it('is rejected with the digest of another hold', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'pay a, pay b');
    await desk.work({ runId });
    const [a, b] = (await desk.holds({ runId })).items;

    const forged = desk.decide(a!.id, { kind: 'approve' }, { by: GRACE, digest: b!.digest });

    await expect(forged).rejects.toMatchObject({ code: 'stale-digest' });
    expect((await desk.holds({ runId })).items).toHaveLength(2);
  });

  it('is rejected as `not-found` by another tenant', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'pay acme');
    await desk.work({ runId });
    const hold = await onlyHold(desk, runId);
    const other = desk.forTenant('other');

    await expect(decide(other, hold, { kind: 'approve' })).rejects.toMatchObject({
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

  it('is rejected with a kind that does not fit, an unknown kind, or no approver', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const runId = await desk.start('teller', 'pay a, look_up b');
    await desk.work({ runId });
    const [approval, external] = (await desk.holds({ runId })).items;
    const raw = desk.decide.bind(desk) as (
      id: string,
      decision: unknown,
      by: unknown,
    ) => Promise<unknown>;
    const as = { by: GRACE, digest: approval!.digest };

    await expect(decide(desk, approval!, { kind: 'result', value: 1 })).rejects.toMatchObject({
      code: 'decision-does-not-fit',
    });
    await expect(decide(desk, external!, { kind: 'approve' })).rejects.toMatchObject({
      code: 'decision-does-not-fit',
    });
    for (const decision of [
      true,
      'yes',
      {},
      { kind: 'yes' },
      { kind: 'edit', args: {} },
      { kind: 'approve', args: 'a' },
      null,
    ]) {
      await expect(raw(approval!.id, decision, as)).rejects.toThrow(UserError);
    }
    for (const by of [{ id: '' }, undefined]) {
      await expect(raw(approval!.id, { kind: 'approve' }, { ...as, by })).rejects.toThrow(
        UserError,
      );
    }
    expect((await desk.run(runId)).openHolds).toBe(2);
  });
});
