import assert from 'node:assert/strict';
import type { CommentRow } from '../../model/comment-row.ts';
import type { DelegationRow } from '../../model/delegation-row.ts';
import { insertHold, sampleHold } from '../sample-rows.ts';
import { idList, type StoreChecks, TENANT } from '../store-bench.ts';

function sampleDelegation(fields: Partial<DelegationRow> = {}): DelegationRow {
  return {
    tenant: TENANT,
    id: 'delegation-1',
    delegator: { id: 'Lin', name: 'Lin' },
    delegate: { id: 'Bob' },
    roles: ['lead'],
    endsAt: 2_000,
    createdBy: { id: 'lin' },
    createdAt: 1_000,
    ...fields,
  };
}

function sampleComment(fields: Partial<CommentRow> = {}): CommentRow {
  return {
    tenant: TENANT,
    holdId: 'hold-1',
    number: 1,
    by: { id: 'lin' },
    text: '"quoted" \u202E text',
    at: 1_000,
    ...fields,
  };
}

const LATE = { limit: 10 };

/** Delegations between people, and comments on holds. */
export const delegationsAndComments: StoreChecks = {
  'finds the delegations to a person that are valid, and lists all of them': async ({ store }) => {
    const revoked = { revokedAt: 1_500, revokedBy: { id: 'lin' } };
    await store.write(async (tx) => {
      assert.equal(await tx.delegations.insert(sampleDelegation()), true);
      assert.equal(await tx.delegations.insert(sampleDelegation()), false);
      await tx.delegations.insert(sampleDelegation({ tenant: 'other' }));
      await tx.delegations.insert(sampleDelegation({ id: 'delegation-2', createdAt: 900 }));
      await tx.delegations.insert(
        sampleDelegation({ id: 'delegation-3', delegator: { id: 'bob' }, delegate: { id: 'kim' } }),
      );
      await tx.delegations.insert(sampleDelegation({ id: 'delegation-4', ...revoked }));
    });

    const live = (id: string, now: number) =>
      store.read((tx) => tx.delegations.liveTo(TENANT, { id }, now));
    assert.deepEqual(idList(await live('BOB', 1_999)), ['delegation-2', 'delegation-1']);
    assert.deepEqual(await live('bob', 2_000), []);
    assert.deepEqual(await live('lin', 1_000), []);
    const list = async (query: object, now = 1_999) =>
      idList((await store.read((tx) => tx.delegations.list(TENANT, query, now))).items);
    assert.deepEqual(await list(LATE), [
      'delegation-4',
      'delegation-3',
      'delegation-1',
      'delegation-2',
    ]);
    assert.deepEqual(await list({ person: 'kim' }), ['delegation-3']);
    assert.deepEqual(await list({ person: 'lin', live: false }), ['delegation-4']);
    assert.deepEqual(await list({ live: true }, 2_000), []);
    const first = await store.read((tx) => tx.delegations.list(TENANT, { limit: 3 }, 0));
    assert.deepEqual(await list({ after: first.next }), ['delegation-2']);

    const row = await store.read((tx) => tx.delegations.get(TENANT, 'delegation-4'));
    assert.deepEqual({ ...row }, sampleDelegation({ id: 'delegation-4', ...revoked }));
    await store.write((tx) => tx.delegations.removeOf(TENANT, 'lin'));
    assert.deepEqual(await list(LATE), ['delegation-3']);
    assert.notEqual(
      await store.read((tx) => tx.delegations.get('other', 'delegation-1')),
      undefined,
    );
  },

  'keeps the comments on a hold in their order, until the hold is removed': async ({ store }) => {
    await store.write(async (tx) => {
      await insertHold(tx);
      await tx.holds.insert(sampleHold({ id: 'hold-2' }));
      await tx.comments.insert(sampleComment({ number: 2, text: 'later' }));
      assert.equal(await tx.comments.insert(sampleComment()), true);
      assert.equal(await tx.comments.insert(sampleComment()), false);
      await tx.comments.insert(sampleComment({ holdId: 'hold-2' }));
    });

    const ofHold = (id: string) => store.read((tx) => tx.comments.ofHold(TENANT, id));
    const [first, second, ...others] = await ofHold('hold-1');
    assert.deepEqual({ ...first }, sampleComment());
    assert.equal(second?.text, 'later');
    assert.deepEqual(others, []);
    await store.write((tx) => tx.holds.remove(TENANT, 'hold-1'));
    assert.deepEqual(await ofHold('hold-1'), []);
    assert.equal((await ofHold('hold-2')).length, 1);
  },
};
