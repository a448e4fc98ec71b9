import { join } from 'node:path';
import { openDesk, sqliteStore, type Store } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../platform/support/scratch-folder.ts';
import { newBank, teller } from '../support/bank.ts';
import { onlyHold, decide } from '../support/people.ts';

type Open = (now: () => number) => Promise<Store>;

const STORES: readonly (readonly [string, Open])[] = [
  ['in memory', async (now) => await sqliteStore({ now })],
  ['in SQLite', (now) => sqliteStore({ path: join(scratchFolder('clocks'), 'desk.sqlite'), now })],
];

const HOUR = 3_600_000;

describe.each(STORES)('security L4: an approved call %s', (_, open) => {
  it.each([
    ['ahead of that of the process', () => HOUR],
    ['behind that of the process', () => -HOUR],
    ['set back after the database was made', (begun: boolean) => (begun ? -HOUR : 0)],
  ])('executes although the clock of the store is %s', async (_name, offset) => {
    let begun = false;
    const store = await open(() => Date.now() + offset(begun));
    begun = true;
    const bank = newBank();
    const desk = openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });
    const runId = await desk.start('teller', 'pay acme');
    await desk.work({ runId });
    await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });

    const { state, error } = await desk.work({ runId });

    expect({ state, error }).toEqual({ state: 'finished', error: undefined });
    expect(bank.paid).toHaveLength(1);
    await store.close();
  });

  it('does not execute after a restore, whatever the clock of the process says', async () => {
    const store = await open(() => Date.now() - HOUR);
    const bank = newBank();
    const desk = openDesk({ store, agents: { teller: { agent: teller, deps: () => bank } } });
    const runId = await desk.start('teller', 'pay acme');
    await desk.work({ runId });
    await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });

    await store.markRestoredFromBackup((await store.read((tx) => tx.now())) + 1);

    expect(await desk.work({ runId })).toMatchObject({
      state: 'stuck',
      error: { code: 'step-forgotten' },
    });
    expect(bank.paid).toEqual([]);
    await store.close();
  });
});
