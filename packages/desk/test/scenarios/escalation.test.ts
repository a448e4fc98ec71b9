import { type ApproverRule, type Desk, type HoldRow, openDesk, type Store } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { newBank, teller, type Bank } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { onlyHold } from '../support/people.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const RULE: ApproverRule = {
  roles: ['lead'],
  escalate: [
    { afterMs: 30 * MINUTE, also: { roles: ['manager'] } },
    { afterMs: 4 * HOUR, also: { roles: ['director'], people: ['zoe'] } },
  ],
};

const LIN = { by: { id: 'lin' }, roles: ['lead'] };
const MAX = { by: { id: 'max' }, roles: ['manager'] };
const DEE = { by: { id: 'dee' }, roles: ['director'] };
const ZOE = { by: { id: 'zoe' }, roles: [] };

function deskOn(store: Store, rule: ApproverRule, bank: Bank = newBank(), expiresAfter?: number) {
  const agents = { teller: { agent: teller, deps: () => bank } };
  return openDesk({ store, agents, approvers: rule, expiresAfter });
}

async function parked(desk: Desk): Promise<{ readonly runId: string; readonly hold: HoldRow }> {
  const runId = await desk.start('teller', 'pay acme', { requester: { id: 'ada' } });
  await desk.work({ runId });
  return { runId, hold: await onlyHold(desk, runId) };
}

function approve(desk: Desk, { id, digest }: HoldRow, who: typeof LIN) {
  return desk.decide(id, { kind: 'approve' }, { ...who, digest });
}

/** The kinds of events and audit entries about steps and reminders. */
async function records(desk: Desk, runId: string) {
  const isWanted = ({ kind }: { kind: string }) => /escalated|remind/.test(kind);
  const events = (await desk.events()).items.filter(isWanted);
  const audit = (await desk.audit(runId)).filter(isWanted);
  return {
    events: events.map(({ kind, data }) => [kind, data['afterMs']]),
    audit: audit.map(({ kind, data }) => [kind, data['afterMs']]),
  };
}

describe.each(STORES)('escalation %s', (_, open) => {
  it('lets further approvers decide from their step on, by the clock of the store', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, RULE, bank);
    const { runId, hold } = await parked(desk);

    opened.clock.advance(30 * MINUTE - 1);
    await expect(approve(desk, hold, MAX)).rejects.toThrow(/role lead\. Nothing was written/);
    opened.clock.advance(1);
    await expect(approve(desk, hold, DEE)).rejects.toThrow(/role lead or manager/);
    // No worker has performed the timer: the decision reads the clock itself.
    expect((await approve(desk, hold, MAX)).state).toBe('decided');

    await desk.drain();
    expect((await desk.run(runId)).state).toBe('finished');
    expect(bank.paid).toHaveLength(1);
    expect(await records(desk, runId)).toEqual({
      events: [['hold-escalated', 30 * MINUTE]],
      audit: [['hold-escalated', 30 * MINUTE]],
    });
  });

  it('is a task, so lists of an approver contain escalated holds', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, RULE);
    const { runId, hold } = await parked(desk);
    const listFor = async ({ by, roles }: typeof LIN) =>
      (await desk.holds({ eligible: { ...by, roles } })).items.map(({ id }) => id);

    await desk.drain();
    expect(await listFor(MAX)).toEqual([]);
    opened.clock.advance(31 * MINUTE);
    expect(await desk.drain()).toBe(1);
    expect(await listFor(MAX)).toEqual([hold.id]);
    expect(await listFor(ZOE)).toEqual([]);
    opened.clock.advance(4 * HOUR);
    await desk.drain();
    expect(await listFor(ZOE)).toEqual([hold.id]);
    expect(await listFor(LIN)).toEqual([hold.id]);
    expect(await desk.drain()).toBe(0);

    const { events } = await records(desk, runId);
    expect(events).toEqual([
      ['hold-escalated', 30 * MINUTE],
      ['hold-escalated', 4 * HOUR],
    ]);
    expect((await approve(desk, await desk.hold(hold.id), ZOE)).state).toBe('decided');
  });

  it('never lowers the count and never lifts separation of duties', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { ...RULE, count: 2, notRequester: true });
    const { hold } = await parked(desk);

    opened.clock.advance(5 * HOUR);

    const requester = { by: { id: 'ada' }, roles: ['director'] };
    await expect(approve(desk, hold, requester)).rejects.toThrow(/requested this yourself/);
    expect((await approve(desk, hold, DEE)).state).toBe('open');
    await expect(approve(desk, hold, DEE)).rejects.toThrow(/before/);
    expect((await approve(desk, hold, LIN)).state).toBe('decided');
  });

  it('sends reminders while the hold is open, and expires it afterwards', async () => {
    await using opened = await open();
    const rule = { roles: ['lead'], remindAfterMs: [10 * MINUTE, 20 * MINUTE, HOUR] };
    const desk = deskOn(opened.store, rule, newBank(), 2 * HOUR);
    const { runId, hold } = await parked(desk);

    opened.clock.advance(25 * MINUTE);
    await desk.drain();
    opened.clock.advance(36 * MINUTE);
    await desk.drain();
    opened.clock.advance(HOUR);
    await desk.drain();

    // A worker that comes late sends one reminder, not all that it missed.
    const expected = [20 * MINUTE, HOUR];
    const { events, audit } = await records(desk, runId);
    expect(events).toEqual(expected.map((age) => ['hold-reminder', age]));
    expect(audit).toEqual(expected.map((age) => ['hold-reminded', age]));
    expect(await desk.hold(hold.id)).toMatchObject({ outcome: 'expired' });
  });

  it('ends with the hold: no step and no reminder after the decision', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { ...RULE, remindAfterMs: [MINUTE] });
    const { runId, hold } = await parked(desk);
    await approve(desk, hold, LIN);

    opened.clock.advance(5 * HOUR);
    await desk.drain();

    expect(await records(desk, runId)).toEqual({ events: [], audit: [] });
    const due = await opened.store.read((tx) => tx.tasks.get(hold.tenant, 'expiry', hold.id));
    expect(due).toBeUndefined();
  });

  it('follows a step that a later version of the policy adds', async () => {
    await using opened = await open();
    const before = deskOn(opened.store, { roles: ['lead'], count: 2 });
    const { hold } = await parked(before);
    const desk = deskOn(opened.store, { ...RULE, count: 2 });

    await approve(desk, hold, LIN);
    opened.clock.advance(31 * MINUTE);
    await desk.drain();

    // The requirement with which the hold was opened has no step, and both must be met.
    expect((await approve(desk, hold, MAX)).state).toBe('open');
    const other = { by: { id: 'kim' }, roles: ['lead'] };
    expect((await approve(desk, hold, other)).state).toBe('decided');
  });

  it('does not accept a row that was escalated outside of the desk', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { ...RULE, remindAfterMs: [MINUTE] });
    const { runId, hold } = await parked(desk);

    await opened.store.write(async (tx) => {
      const row = await tx.holds.lock(hold.tenant, hold.id);
      await tx.holds.put({ ...row!, escalatedAfter: 4 * HOUR });
    });
    opened.clock.advance(2 * MINUTE);
    await desk.drain();

    await expect(approve(desk, hold, DEE)).rejects.toMatchObject({ code: 'tampered' });
    expect((await records(desk, runId)).audit).toEqual([]);
  });
});

describe('a rule with steps', () => {
  it.each([
    [{ escalate: RULE.escalate }, /every approver may decide from the beginning/],
    [{ roles: ['a'], escalate: [] }, /escalate/],
    [{ roles: ['a'], escalate: [{ afterMs: 0, also: { roles: ['b'] } }] }, /afterMs/],
    [{ roles: ['a'], escalate: [{ afterMs: 5, also: {} }] }, /names no approver/],
    [{ roles: ['a'], escalate: [{ afterMs: 5, also: { roles: ['b'], count: 1 } }] }, /count/],
    [{ roles: ['a'], escalate: [{ afterMs: 5, also: { people: ['b '] } }] }, /white space/],
    [{ roles: ['a'], remindAfterMs: [1.5] }, /remindAfterMs/],
  ] as const)('is rejected: %j', async (rule, message) => {
    await using opened = await STORES[0]![1]();
    // Programs without types pass anything.
    expect(() => deskOn(opened.store, rule as ApproverRule)).toThrow(message);
  });
});
