import { openDesk } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultInjector } from './support/crash/fault-injector.ts';
import type { Duel, ChildMessage } from './support/crash/messages.ts';
import { openStore } from './support/crash/store-spec.ts';
import { promptOf, tellerAgent } from './support/crash/teller.ts';
import { Child } from './support/child.ts';
import { SHARED_STORES, ProcessFixture } from './support/process-fixture.ts';

const RUNS = 20;
const HOLDS = RUNS * 3;
/** The time until both processes know the start time, and the time for one decision each. */
const START_MS = 300;
const EVERY_MS = 60;

let fixture: ProcessFixture;

beforeAll(async () => {
  fixture = await ProcessFixture.open('duels');
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Makes two processes decide the same holds in opposite ways at the same times. Returns their messages. */
async function fight(common: Omit<Duel, 'by' | 'kind'>): Promise<readonly ChildMessage[][]> {
  const people = [
    { ...common, by: 'ada', kind: 'approve' },
    { ...common, by: 'grace', kind: 'deny' },
  ] as const;
  const duelists = people.map((duel) => {
    const messages: ChildMessage[] = [];
    const child = new Child(fixture.programs, 'duelist', duel, (one) => messages.push(one));
    return { child, messages };
  });
  await Promise.all(
    duelists.map(({ child }) => Promise.race([child.receives('ready'), child.exited])),
  );
  const beginsAt = Date.now() + START_MS;
  for (const { child } of duelists) child.beginAt(beginsAt);
  return Promise.all(
    duelists.map(async ({ child, messages }) => {
      await child.exited;
      expect(child.errorOutput).toBe('');
      return messages.filter(({ kind }) => kind !== 'ready');
    }),
  );
}

describe.each(SHARED_STORES)(
  'two people who decide one hold in the same millisecond, on %s',
  (name) => {
    it('get one recorded decision, and an error that names the other person', async () => {
      const spec = await fixture.newStore(name);
      const effects = fixture.newEffects(name);
      await using store = await openStore(spec);
      const agent = tellerAgent(effects, new FaultInjector(undefined));
      const desk = openDesk({ store, agents: { teller: { agent } } });
      for (let index = 0; index < RUNS; index++)
        await desk.start('teller', promptOf(String(index)));
      await desk.drain();
      const { items } = await desk.holds({ limit: 500 });
      const approvals = items.filter((hold) => hold.kind === 'approval');
      expect(approvals).toHaveLength(HOLDS);
      const holds = approvals.map(({ id: holdId, digest }) => ({ holdId, digest }));

      const [ada, grace] = await fight({ store: spec, holds, everyMs: EVERY_MS });

      const winners = { ada: 0, grace: 0 };
      let together = 0;
      for (const [index, { holdId }] of holds.entries()) {
        const [one, other] = [ada![index]!, grace![index]!];
        expect([one.kind, other.kind].toSorted()).toEqual(['decided', 'rejected']);
        const [won, lost] = one.kind === 'decided' ? [one, other] : [other, one];
        if (won.kind !== 'decided' || lost.kind !== 'rejected') continue;
        expect(lost.by).toBe(won.by);
        const { decisions } = await desk.hold(holdId);
        expect(decisions).toMatchObject([{ by: { id: won.by }, decision: won.decision }]);
        winners[won.by === 'ada' ? 'ada' : 'grace'] += 1;
        if (won.at === lost.at) together += 1;
      }
      console.log(`${name}: ${together} of ${HOLDS} in the same millisecond`, winners);
      expect(together).toBeGreaterThan(0);
    });
  },
);
