import { openDesk } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Doom } from './support/crash/doom.ts';
import type { Duel, Said } from './support/crash/messages.ts';
import { openStore } from './support/crash/store-spec.ts';
import { promptOf, tellerAgent } from './support/crash/teller.ts';
import { Child } from './support/child.ts';
import { SHARED, Surroundings } from './support/surroundings.ts';

const RUNS = 20;
const HOLDS = RUNS * 3;
/** Two processes that are ready need as long as this to hear of the beginning, and for one answer each. */
const START_MS = 300;
const EVERY_MS = 60;

let around: Surroundings;

beforeAll(async () => {
  around = await Surroundings.open('duels');
});
afterAll(() => around[Symbol.asyncDispose]());

/** Has both say the opposite to the same holds at the same time; gives what each was told. */
async function fight(common: Omit<Duel, 'by' | 'kind'>): Promise<readonly Said[][]> {
  const people = [
    { ...common, by: 'ada', kind: 'approve' },
    { ...common, by: 'grace', kind: 'deny' },
  ] as const;
  const duelists = people.map((duel) => {
    const said: Said[] = [];
    const child = new Child(around.programs, 'duelist', duel, (one) => said.push(one));
    return { child, said };
  });
  await Promise.all(duelists.map(({ child }) => Promise.race([child.hears('ready'), child.gone])));
  const beginsAt = Date.now() + START_MS;
  for (const { child } of duelists) child.sayBegin(beginsAt);
  return Promise.all(
    duelists.map(async ({ child, said }) => {
      await child.gone;
      expect(child.complaints).toBe('');
      return said.filter(({ kind }) => kind !== 'ready');
    }),
  );
}

describe.each(SHARED)('two people in two processes, on %s', (name) => {
  it('answer the same hold in the same millisecond, and one of them is told that the other has', async () => {
    const spec = await around.newStore(name);
    const effects = around.newEffects(name);
    await using store = await openStore(spec);
    const agent = tellerAgent(effects, new Doom(undefined));
    const desk = openDesk({ store, agents: { teller: { agent } } });
    for (let index = 0; index < RUNS; index++) await desk.start('teller', promptOf(String(index)));
    await desk.workOff();
    const { items } = await desk.holds({ limit: 500 });
    const approvals = items.filter((hold) => hold.kind === 'approval');
    expect(approvals).toHaveLength(HOLDS);
    const holds = approvals.map(({ id: holdId, digest }) => ({ holdId, digest }));

    const [ada, grace] = await fight({ store: spec, holds, everyMs: EVERY_MS });

    const winners = { ada: 0, grace: 0 };
    let together = 0;
    for (const [index, { holdId }] of holds.entries()) {
      const [one, other] = [ada![index]!, grace![index]!];
      expect([one.kind, other.kind].toSorted()).toEqual(['answered', 'refused']);
      const [won, lost] = one.kind === 'answered' ? [one, other] : [other, one];
      if (won.kind !== 'answered' || lost.kind !== 'refused') continue;
      expect(lost.by).toBe(won.by);
      const { answers } = await desk.hold(holdId);
      expect(answers).toMatchObject([{ by: { id: won.by }, answer: won.answer }]);
      winners[won.by === 'ada' ? 'ada' : 'grace'] += 1;
      if (won.at === lost.at) together += 1;
    }
    console.log(`${name}: ${together} of ${HOLDS} in the same millisecond`, winners);
    expect(together).toBeGreaterThan(0);
  });
});
