import { openDesk, sqliteStore, type Store } from '@holdpoint/desk';
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { unfencedStore } from './support/unfenced-store.ts';
import { until } from './support/until.ts';

/** A function that resolves once it is opened. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** A desk whose model calls `book` with the name of the process, and waits for a gate in one of its requests. */
function deskOf(store: Store, name: string, effects: string[], wait: (request: number) => unknown) {
  const book = tool({
    name: 'book',
    inputSchema: z.object({ by: z.string() }),
    execute: ({ by }) => {
      effects.push(by);
      return 'booked';
    },
  });
  const model = functionModel(async ({ messages }) => {
    const request = messages.filter(({ kind }) => kind === 'response').length;
    await wait(request);
    return request === 0 ? calls('book', { by: name }) : says(`Done by ${name}.`);
  });
  const agents = { clerk: { agent: new Agent({ model, tools: [book] }) } };
  return openDesk({ store, agents, onError: () => {}, logger: silent });
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Lets a second performer take a run over while the first one awaits its model, which then continues. */
async function effectsOfTwo(storeOfFirst: (store: Store) => Store): Promise<readonly string[]> {
  await using store = await sqliteStore();
  const effects: string[] = [];
  const [first, second] = [gate(), gate()];
  let isRequested = false;
  const stale = deskOf(storeOfFirst(store), 'stale', effects, (request) => {
    isRequested = true;
    return request === 0 ? first.opened : undefined;
  });
  const next = deskOf(store, 'next', effects, (request) =>
    request === 1 ? second.opened : undefined,
  );
  const id = await next.start('clerk', 'Book it.');
  const task = { tenant: 'default', kind: 'run', id } as const;
  const performing = stale.perform(task, { owner: 'invocation' });
  await until(() => (isRequested ? true : undefined));
  const takingOver = next.perform(task, { owner: 'invocation' });
  await until(() => (effects.length > 0 ? true : undefined));

  first.open();
  await performing.catch(() => {});
  second.open();
  await takingOver.catch(() => {});
  return effects;
}

describe('the fence of a run that was taken over', () => {
  it('keeps the earlier performer from executing calls', async () => {
    expect(await effectsOfTwo((store) => store)).toEqual(['next']);
  });

  it('is necessary: without it, both performers execute calls', async () => {
    expect((await effectsOfTwo(unfencedStore)).toSorted()).toEqual(['next', 'stale']);
  });
});
