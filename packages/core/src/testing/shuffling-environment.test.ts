import { describe, expect, it } from 'vitest';
import { fakeClock } from './fake-clock.ts';
import { shufflingEnvironment } from './shuffling-environment.ts';

const names = ['a', 'b', 'c', 'd'];

async function orderOf(seed: number, act = async (name: string) => name): Promise<string> {
  // Time stands still: a busy machine does not change the order.
  const environment = shufflingEnvironment(seed, fakeClock());
  const seen: string[] = [];
  const values = await environment.all(
    names.map((name) => environment.step(name, () => act(name))),
    (value) => seen.push(value),
  );
  expect(values).toEqual(names);
  return seen.join('');
}

const seeds = Array.from({ length: 40 }, (_, seed) => seed);

describe('shufflingEnvironment', () => {
  it('ends the steps of a batch in an order that depends on the seed alone', async () => {
    const first = await Promise.all(seeds.map((seed) => orderOf(seed)));
    const again = await Promise.all(seeds.map((seed) => orderOf(seed)));

    expect(again).toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(10);
    expect(new Set(first.map((order) => order[0]))).toEqual(new Set(names));
  });

  it('does not depend on the duration of short steps', async () => {
    const uneven = async (name: string) => {
      for (let ticks = 20 * (names.length - names.indexOf(name)); ticks > 0; ticks--)
        await Promise.resolve();
      return name;
    };

    for (const seed of seeds.slice(0, 5)) {
      expect(await orderOf(seed, uneven)).toBe(await orderOf(seed));
    }
  });

  it('starts actions synchronously and in call order', () => {
    const environment = shufflingEnvironment(1);
    const started: string[] = [];

    for (const name of names) void environment.step(name, async () => started.push(name));

    expect(started).toEqual(names);
  });

  it('permits awaiting steps one by one', async () => {
    const environment = shufflingEnvironment(2);
    const steps = names.map((name) => environment.step(name, async () => name));

    for (const [index, step] of steps.entries()) expect(await step).toBe(names[index]);
  });

  it('rejects with the error of a step', async () => {
    const environment = shufflingEnvironment(3);

    await expect(
      environment.all([
        environment.step('a', async () => 1),
        environment.step('b', async () => Promise.reject(new Error('no'))),
        environment.step('c', () => {
          throw new Error('no');
        }),
      ]),
    ).rejects.toThrow('no');
  });

  it('does not wait for a step that needs another one to end first', async () => {
    const environment = shufflingEnvironment(4);
    const gate = new AbortController();
    const released = new Promise<string>((resolve) => {
      gate.signal.addEventListener('abort', () => resolve('held'));
    });

    const all = environment.all(
      [environment.step('held', () => released), environment.step('quick', async () => 'quick')],
      (value) => {
        if (value === 'quick') gate.abort();
      },
    );

    expect(await all).toEqual(['held', 'quick']);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'never ends a step before one that ended long ago, for any length of a turn, with seed %i',
    async (seed) => {
      const environment = shufflingEnvironment(seed);
      const seen: string[] = [];
      const waitFor = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
      const ended = environment.all(
        [
          environment.step('slow', () => waitFor(30).then(() => 'slow')),
          environment.step('quick', async () => 'quick'),
        ],
        (name) => seen.push(name),
      );
      for (let ticks = 0; ticks < 20; ticks++) await Promise.resolve();
      const until = performance.now() + 40;
      while (performance.now() < until);
      await ended;

      expect(seen).toEqual(['quick', 'slow']);
    },
  );

  it.each([1, 2, 3, 4])(
    'never ends a sleep before a step that ended earlier, with seed %i',
    async (seed) => {
      const clock = fakeClock();
      const environment = shufflingEnvironment(seed, clock);
      const hung = environment.step('hung', () => new Promise<string>(() => {}));
      const quick = environment.step('quick', async () => 'quick');
      const limited = [hung, quick].map((step) =>
        environment.race<string | void>([step, environment.sleep(50)]),
      );

      await clock.advance(50);

      expect(await environment.all(limited)).toEqual([undefined, 'quick']);
    },
  );
});
