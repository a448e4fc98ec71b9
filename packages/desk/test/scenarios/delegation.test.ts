import {
  type Desk,
  type HoldRow,
  openDesk,
  type ServedDeskOptions,
  type Store,
} from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { type Bank, newBank, teller } from '../support/bank.ts';
import { STORES } from '../support/opened-store.ts';
import { onlyHold, shownFor } from '../support/people.ts';

const DAY = 24 * 60 * 60_000;

const ADA = { id: 'ada' };
const LIN = { id: 'lin', name: 'Lin' };
const KIM = { id: 'kim' };
const BOB = { id: 'bob' };

type Extra = Partial<Omit<ServedDeskOptions<never>, 'store' | 'agents'>>;

const LEADS: Extra = { approvers: { roles: ['lead'], notRequester: true } };

function deskOn(store: Store, extra: Extra = LEADS, bank: Bank = newBank()): Desk {
  return openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } }, ...extra });
}

async function parked(desk: Desk, requester = ADA): Promise<HoldRow> {
  const runId = await desk.start('teller', 'pay acme', { requester });
  await desk.work({ runId });
  return onlyHold(desk, runId);
}

/** Approves a hold, on behalf of a person if one is given. */
function approve(
  desk: Desk,
  { id, digest }: HoldRow,
  by: { readonly id: string },
  { onBehalfOf, roles }: { onBehalfOf?: { id: string }; roles?: readonly string[] } = {},
): Promise<HoldRow> {
  return desk.decide(id, { kind: 'approve' }, { by, digest, onBehalfOf, roles });
}

describe.each(STORES)('a delegate %s', (_, open) => {
  it('decides as themselves, with the authority of the delegator, until the end', async () => {
    await using opened = await open();
    const bank = newBank();
    const desk = deskOn(opened.store, LEADS, bank);
    const until = opened.clock.now() + DAY;
    const delegation = await desk.delegate({ from: LIN, to: BOB, roles: ['lead'], until });
    const hold = await parked(desk);
    const late = await parked(desk);

    await expect(approve(desk, hold, BOB)).rejects.toMatchObject({ code: 'may-not-decide' });
    await expect(approve(desk, hold, KIM, { onBehalfOf: LIN })).rejects.toThrow(/not delegated/);
    const decided = await approve(desk, hold, { id: 'BOB' }, { onBehalfOf: { id: 'Lin' } });

    expect(decided).toMatchObject({ state: 'decided' });
    const onBehalfOf = { ...LIN, roles: ['lead'], delegationId: delegation.id };
    expect(decided.votes).toMatchObject([{ id: 'BOB', onBehalfOf }]);
    const { decisions } = await desk.hold(hold.id);
    expect(decisions).toMatchObject([{ by: { id: 'BOB' }, onBehalfOf }]);
    const entry = (await desk.audit(hold.runId)).find(({ kind }) => kind === 'hold-decided');
    expect(entry).toMatchObject({ by: { id: 'BOB' }, data: { delegation: delegation.id } });
    await desk.drain();
    expect(bank.paid).toHaveLength(1);

    opened.clock.advance(DAY);
    await expect(approve(desk, late, BOB, { onBehalfOf: LIN })).rejects.toThrow(/has ended/);
  });

  it('has no authority after the delegation is revoked', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const until = opened.clock.now() + DAY;
    const { id } = await desk.delegate({ from: LIN, to: BOB, roles: ['lead'], until });
    const hold = await parked(desk);

    const revoked = await desk.revokeDelegation(id, { by: LIN });

    expect(revoked).toMatchObject({ revokedBy: LIN, revokedAt: opened.clock.now() });
    await expect(approve(desk, hold, BOB, { onBehalfOf: LIN })).rejects.toThrow(/has ended/);
    expect((await desk.delegations({ live: true })).items).toEqual([]);
    expect((await desk.delegations({ person: 'bob', live: false })).items).toEqual([revoked]);
    // Another one can replace it now.
    await desk.delegate({ from: LIN, to: BOB, roles: ['lead'], until });
    expect((await approve(desk, hold, BOB, { onBehalfOf: LIN })).state).toBe('decided');
  });

  it('never counts twice: neither with their own vote, nor for two delegators', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, { approvers: { roles: ['lead'], count: 2 } });
    const until = opened.clock.now() + DAY;
    for (const from of [LIN, KIM]) await desk.delegate({ from, to: BOB, roles: ['lead'], until });
    const roles = ['lead'];

    const first = await parked(desk);
    await approve(desk, first, BOB, { roles });
    await expect(approve(desk, first, BOB, { onBehalfOf: LIN })).rejects.toMatchObject({
      code: 'already-voted',
    });

    const second = await parked(desk);
    await approve(desk, second, BOB, { onBehalfOf: LIN });
    for (const again of [
      () => approve(desk, second, BOB, { onBehalfOf: KIM }),
      () => approve(desk, second, BOB, { roles }),
      // The delegator is a part of the vote.
      () => approve(desk, second, LIN, { roles }),
    ]) {
      await expect(again()).rejects.toMatchObject({ code: 'already-voted' });
    }
    expect((await approve(desk, second, KIM, { roles })).state).toBe('decided');
  });

  it('decides nothing that they or the delegator requested, if duties are separated', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const until = opened.clock.now() + DAY;
    await desk.delegate({ from: LIN, to: BOB, roles: ['lead'], until });

    const ofDelegator = await parked(desk, LIN);
    await expect(approve(desk, ofDelegator, BOB, { onBehalfOf: LIN })).rejects.toThrow(
      /on whose behalf you decide requested this/,
    );
    const ofDelegate = await parked(desk, BOB);
    await expect(approve(desk, ofDelegate, BOB, { onBehalfOf: LIN })).rejects.toThrow(
      /requested this yourself/,
    );
  });

  it('does not pass the authority on', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const until = opened.clock.now() + DAY;
    await desk.delegate({ from: LIN, to: BOB, roles: ['lead'], until });
    await desk.delegate({ from: BOB, to: KIM, roles: [], until });
    const hold = await parked(desk);

    await expect(approve(desk, hold, KIM, { onBehalfOf: LIN })).rejects.toThrow(/not delegated/);
    await expect(approve(desk, hold, KIM, { onBehalfOf: BOB })).rejects.toThrow(/role lead/);
  });

  it('has only the lent roles that the delegator still has', async () => {
    await using opened = await open();
    const directory = new Map([['lin', ['lead', 'board']]]);
    const desk = deskOn(opened.store, { ...LEADS, rolesOf: ({ id }) => directory.get(id) });
    const until = opened.clock.now() + DAY;
    await desk.delegate({ from: LIN, to: BOB, roles: ['lead'], until });
    const hold = await parked(desk);

    directory.set('lin', ['board']);
    await expect(approve(desk, hold, BOB, { onBehalfOf: LIN })).rejects.toThrow(/role lead/);
    directory.delete('lin');
    await expect(approve(desk, hold, BOB, { onBehalfOf: LIN })).rejects.toThrow(/has ended/);
    expect(await desk.delegatorsOf(BOB)).toEqual([]);
    directory.set('lin', ['lead']);
    expect((await approve(desk, hold, BOB, { onBehalfOf: LIN })).state).toBe('decided');
  });

  it('needs `mayDecide` to permit both people', async () => {
    await using opened = await open();
    const seen: unknown[] = [];
    let barred = '';
    const desk = deskOn(opened.store, {
      ...LEADS,
      mayDecide({ person, roles, delegate, onBehalfOf }) {
        seen.push([person.id, roles, delegate?.id, onBehalfOf?.id]);
        return person.id !== barred;
      },
    });
    const until = opened.clock.now() + DAY;
    await desk.delegate({ from: LIN, to: BOB, roles: ['lead'], until });
    const hold = await parked(desk);

    for (barred of ['lin', 'bob']) {
      await expect(approve(desk, hold, BOB, { onBehalfOf: LIN })).rejects.toThrow(/policy of this/);
    }
    seen.length = 0;
    barred = '';
    await approve(desk, hold, BOB, { onBehalfOf: LIN });
    expect(seen).toEqual([
      ['lin', ['lead'], 'bob', undefined],
      ['bob', ['lead'], undefined, 'lin'],
    ]);
  });

  it('creates no grant', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, {
      approvers: { roles: ['lead'], count: 2, grants: 'tenant' },
    });
    const until = opened.clock.now() + DAY;
    await desk.delegate({ from: LIN, to: BOB, roles: ['lead'], until });
    const hold = await parked(desk);
    const grant = { match: 'tool' } as const;
    const { id, digest } = hold;

    await expect(
      desk.decide(id, { kind: 'approve' }, { by: BOB, digest, onBehalfOf: LIN, grant }),
    ).rejects.toMatchObject({ code: 'grant-does-not-fit' });
    const roles = ['lead'];
    const proposed = await desk.decide(id, { kind: 'approve' }, { by: KIM, roles, digest, grant });
    await expect(approve(desk, proposed, BOB, { onBehalfOf: LIN })).rejects.toMatchObject({
      code: 'grant-does-not-fit',
    });
    expect((await desk.grants()).items).toEqual([]);
  });

  it('does not approve what the delegator edited, nor the delegator what they edited', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const until = opened.clock.now() + DAY;
    await desk.delegate({ from: LIN, to: BOB, roles: ['lead'], until });
    const roles = ['lead'];
    const edit = { kind: 'approve', args: { to: 'acme', euros: 5 } } as const;

    const first = await parked(desk);
    const shown = await shownFor(desk, first, edit);
    const byLin = await desk.decide(first.id, edit, {
      by: LIN,
      roles,
      digest: first.digest,
      shown,
    });
    await expect(approve(desk, byLin, BOB, { onBehalfOf: LIN })).rejects.toThrow(/edited these/);

    const second = await parked(desk);
    const again = await shownFor(desk, second, edit);
    const byBob = await desk.decide(second.id, edit, {
      by: BOB,
      onBehalfOf: LIN,
      digest: second.digest,
      shown: again,
    });
    await expect(approve(desk, byBob, LIN, { roles })).rejects.toThrow(/edited these/);
    expect((await approve(desk, byBob, KIM, { roles })).state).toBe('decided');
  });

  it('finds the holds of the delegator in lists', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const until = opened.clock.now() + DAY;
    await desk.delegate({ from: LIN, to: BOB, roles: ['lead'], until });
    const hold = await parked(desk);

    const delegators = await desk.delegatorsOf(BOB);

    expect((await desk.holds({ eligible: BOB })).items).toEqual([]);
    const { items } = await desk.holds({ eligible: { ...BOB, delegators } });
    expect(items.map(({ id }) => id)).toEqual([hold.id]);
  });

  it('is erased with the delegator: from votes, decisions and delegations', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store);
    const until = opened.clock.now() + DAY;
    await desk.delegate({ from: LIN, to: BOB, roles: ['lead'], until });
    const hold = await parked(desk);
    await approve(desk, hold, BOB, { onBehalfOf: LIN });
    await desk.drain();

    await desk.erasePerson('lin', { by: ADA, reason: 'request' });

    const left = JSON.stringify([await desk.hold(hold.id), (await desk.delegations()).items]);
    expect(left).not.toMatch(/"lin"/i);
    expect(left).toContain('bob');
  });
});

describe('a delegation', () => {
  it.each([
    [{ to: { id: 'LIN' } }, /same person/],
    [{ until: Date.now() - 1 }, /in the past/],
    [{ until: Date.now() + 400 * DAY }, /more than a year/],
    [{ until: Number.NaN }, /`until` is/],
    [{ to: { id: 'bob ' } }, /white space/],
    [{ forever: true }, /forever/],
  ])('is rejected: %j', async (wrong, message) => {
    await using opened = await STORES[0]![1]();
    const desk = deskOn(opened.store);
    const options = { from: LIN, to: BOB, until: opened.clock.now() + DAY, ...wrong };
    await expect(desk.delegate(options)).rejects.toThrow(message);
  });

  it('is unique between two people, and belongs to a tenant', async () => {
    await using opened = await STORES[0]![1]();
    const desk = deskOn(opened.store);
    const options = { from: LIN, to: BOB, until: new Date(opened.clock.now() + DAY) };
    const { id } = await desk.delegate(options);

    await expect(desk.delegate(options)).rejects.toMatchObject({ code: 'delegation-does-not-fit' });
    await expect(desk.forTenant('other').revokeDelegation(id, { by: LIN })).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(await desk.forTenant('other').delegatorsOf(BOB)).toEqual([]);
  });
});
