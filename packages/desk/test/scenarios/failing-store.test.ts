import { type Desk, type HoldState, sqliteStore, openDesk, type Store } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { type Bank, newBank, teller } from '../support/bank.ts';
import { type FailingStore, failingStore } from '../support/failing-store.ts';
import { TestClock } from '../support/opened-store.ts';
import { decide } from '../support/people.ts';

const LEASE = 60_000;
const EVERY_STATE: readonly HoldState[] = [
  'open',
  'decided',
  'expired',
  'superseded',
  'cancelled',
  'consumed',
];

const deskOn = (store: Store, bank: Bank): Desk =>
  openDesk({
    store,
    lease: LEASE,
    agents: { teller: { agent: teller, deps: () => bank } },
    onError: () => {},
  });

async function decideAll(desk: Desk, bank: Bank, runId: string): Promise<void> {
  const { items } = await desk.holds({ runId });
  for (const hold of items) {
    const { to } = hold.args as { to: string };
    const isDone = bank.paid.some((one) => one.to === to);
    const decision =
      hold.inDoubt && isDone
        ? ({ kind: 'result', value: 'It has run.' } as const)
        : ({ kind: 'approve' } as const);
    // An event without a confirmation is emitted again.
    await decide(desk, hold, decision).catch(() => decide(desk, hold, decision).catch(() => {}));
  }
}

/** Executes all steps in one process, and ignores errors of its store. */
async function finish(failing: FailingStore, clock: TestClock, bank: Bank, runId: string) {
  const desk = deskOn(failing.store, bank);
  for (let rounds = 0; rounds < 20; rounds++) {
    await desk.work({ runId }).catch(() => {});
    const run = await desk.run(runId);
    if (run.state === 'finished') return run;
    clock.advance(LEASE * 10);
    // A worker may claim the run again before the approvers decide.
    if (rounds % 2 === 1) await decideAll(desk, bank, runId);
  }
  throw new Error(`The run is ${(await desk.run(runId)).state}.`);
}

describe('a desk', () => {
  for (const side of ['before', 'after'] as const) {
    it.each([1, 2, 3])(
      `loses nothing and opens no hold twice when its store fails ${side} any %i writes in a row`,
      async (count) => {
        let nth = 1;
        for (let hasFailed = true; hasFailed; nth++) {
          const clock = new TestClock();
          const store = await sqliteStore({ now: clock.now });
          const bank = newBank();
          const runId = await deskOn(store, bank).start('teller', 'book x, pay a, pay b');
          const failing = failingStore(store, { nth, count, side });

          await finish(failing, clock, bank, runId);
          hasFailed = failing.hasFailed();

          const done = bank.paid.map(({ to }) => to).toSorted();
          expect(done, `write ${nth}`).toEqual(['a', 'b', 'x']);
          const query = { runId, states: EVERY_STATE };
          const { items } = await deskOn(store, bank).holds(query);
          const certain = items.filter((hold) => hold.inDoubt === undefined);
          expect(
            certain.map((hold) => `${hold.toolName} ${hold.state}`),
            `write ${nth}`,
          ).toEqual(['pay consumed', 'pay consumed']);
        }
        expect(nth).toBeGreaterThan(10);
      },
    );
  }
});
