import assert from 'node:assert/strict';
import { seededRandom } from 'holdpoint/testing';
import { isMember } from '../../approvers/eligibility.ts';
import { requirementsOf } from '../../approvers/requirements.ts';
import type { HoldApprovers } from '../../model/approver-rule.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import { compareCursors, cursorOf, HOLD_ORDER, type HoldQuery } from '../../model/page.ts';
import type { Store } from '../../store/store.ts';
import { insertHold, sampleHold } from '../sample-rows.ts';
import { idList, idsOfPages, type StoreChecks, TENANT } from '../store-bench.ts';

const RULE = { count: 1, notRequester: false, grants: 'never' } as const;
const ROLES = ['lead', 'cfo', 'auditor'];
const PEOPLE = ['Kim', 'ada', 'BOB'];
const TOOLS = ['pay', 'ship'];
/** More holds than a search sorts. */
const MANY_HOLDS = 510;
const HOLDS = 60;
const QUERIES = 24;

/** Lists of the open holds that an approver may decide. */
export const eligibleApprovers: StoreChecks = {
  'finds the open holds that an approver may decide': async ({ store }) => {
    const lead = sampleHold({ id: 'lead', approvers: { ...RULE, roles: ['lead'] } });
    await store.write(async (tx) => {
      await insertHold(tx, { id: 'everyone' });
      await insertHold(tx, lead);
      await insertHold(tx, {
        id: 'named',
        approvers: { ...RULE, roles: ['cfo'], people: ['Kim'] },
      });
      await insertHold(tx, { id: 'settled', state: 'decided' });
      await insertHold(tx, { id: 'everyone', tenant: 'other' });
    });
    const idsFor = async (id: string, ...roles: readonly string[]) => {
      const query = { eligible: { id, roles } };
      return idList((await store.read((tx) => tx.holds.list(TENANT, query))).items);
    };

    assert.deepEqual(await idsFor('ada'), ['everyone']);
    assert.deepEqual(await idsFor('ada', 'lead', 'other'), ['everyone', 'lead']);
    assert.deepEqual(await idsFor('kim'), ['everyone', 'named']);

    const requirements = [{ ...RULE, roles: ['auditor'] }];
    await store.write((tx) => tx.holds.put({ ...lead, requirements }));
    assert.deepEqual(await idsFor('ada', 'auditor'), ['everyone', 'lead']);
    await store.write((tx) => tx.holds.put({ ...lead, state: 'decided' }));
    assert.deepEqual(await idsFor('ada', 'lead'), ['everyone']);
    await store.write((tx) => tx.holds.put(lead));
    assert.deepEqual(await idsFor('ada', 'lead'), ['everyone', 'lead']);
  },

  'finds holds by a word that hundreds of holds have, the oldest first': async ({ store }) => {
    const ids = Array.from({ length: MANY_HOLDS }, (_, index) => `hold-${1_000 + index}`);
    await store.write(async (tx) => {
      for (const [index, id] of ids.toReversed().entries()) {
        const createdAt = 10_000 - index;
        await insertHold(tx, { id, searchText: `pay order-${index}`, createdAt });
      }
      await insertHold(tx, { id: 'other', searchText: 'ship order-1' });
      await insertHold(tx, { id: 'foreign', searchText: 'pay order-1', tenant: 'other' });
    });

    assert.deepEqual(await listAll(store, { text: 'pay', limit: 300 }), ids);
    const sevens = ids.filter((_, index) => String(MANY_HOLDS - 1 - index).startsWith('7'));
    assert.deepEqual(await listAll(store, { text: 'pay order-7 order', limit: 300 }), sevens);
    assert.deepEqual(await listAll(store, { text: 'refund' }), []);
    const eligible = { id: 'ada' };
    assert.deepEqual(await listAll(store, { text: 'pay', eligible, limit: 300 }), ids);
  },

  'finds the same holds for an approver as a filter over all holds': async ({ store }) => {
    const random = seededRandom(20_261_118);
    const holds = Array.from({ length: HOLDS }, (_, index) => randomHold(index, random));
    await store.write(async (tx) => {
      for (const hold of holds) await insertHold(tx, hold);
    });

    for (let turn = 0; turn < QUERIES; turn++) {
      const query = randomQuery(random);
      const expected = idList(holds.filter((hold) => isSelected(hold, query)).toSorted(byAge));
      const limit = 3 + Math.floor(random() * 20);
      assert.deepEqual(await listAll(store, { ...query, limit }), expected, JSON.stringify(query));
    }
  },
};

type EligibleQuery = HoldQuery & Required<Pick<HoldQuery, 'eligible' | 'states'>>;

function listAll(store: Store, query: HoldQuery): Promise<readonly string[]> {
  return idsOfPages((after) => store.read((tx) => tx.holds.list(TENANT, { ...query, after })));
}

function isSelected(
  hold: HoldRow,
  { states, eligible, tool, runId, text }: EligibleQuery,
): boolean {
  return (
    eligible !== undefined &&
    hold.state === 'open' &&
    (states?.includes(hold.state) ?? true) &&
    (tool === undefined || hold.toolName === tool) &&
    (runId === undefined || hold.runId === runId) &&
    (text === undefined || hold.searchText.includes(text)) &&
    requirementsOf(hold).some((requirement) => isMember(requirement, eligible))
  );
}

function byAge(one: HoldRow, other: HoldRow): number {
  return compareCursors(cursorOf(one, HOLD_ORDER), cursorOf(other, HOLD_ORDER));
}

/** Returns a hold with a random age and random requirements. Several holds have the same age. */
function randomHold(index: number, random: () => number): HoldRow {
  const toolName = pick(TOOLS, random);
  const isOpen = random() < 0.8;
  const runId = `run-${Math.floor(random() * 10)}`;
  return sampleHold({
    id: `hold-${index}`,
    runId,
    conversationId: `conversation of ${runId}`,
    callIndex: Math.floor(random() * 3),
    toolName,
    state: isOpen ? 'open' : 'decided',
    searchText: toolName,
    createdAt: 1_000 + Math.floor(random() * 30),
    ...(random() < 0.8 && { approvers: randomRule(random) }),
    ...(random() < 0.3 && { requirements: [randomRule(random)] }),
  });
}

function randomRule(random: () => number): HoldApprovers {
  return {
    ...RULE,
    ...(random() < 0.6 && { roles: some(ROLES, random) }),
    ...(random() < 0.4 && { people: some(PEOPLE, random) }),
  };
}

function randomQuery(random: () => number): EligibleQuery {
  const id = pick([...PEOPLE, 'eve'], random).toLowerCase();
  return {
    states: random() < 0.8 ? ['open'] : ['open', 'decided'],
    eligible: { id, ...(random() < 0.7 && { roles: some([...ROLES, 'intern'], random) }) },
    ...(random() < 0.3 && { tool: pick(TOOLS, random) }),
    ...(random() < 0.2 && { runId: 'run-1' }),
    ...(random() < 0.2 && { text: pick(TOOLS, random) }),
  };
}

function some<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items.filter(() => random() < 0.4);
}

function pick(items: readonly string[], random: () => number): string {
  return items[Math.floor(random() * items.length)] ?? '';
}
