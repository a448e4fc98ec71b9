import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeClock, seededRandom } from './fake-clock.ts';

afterEach(() => {
  vi.useRealTimers();
});

describe('fakeClock', () => {
  it('stands still until the test advances it', async () => {
    const clock = fakeClock({ start: 1000 });
    expect(clock.now()).toBe(1000);

    await clock.advance(500);

    expect(clock.now()).toBe(1500);
  });

  it('ends each sleep at its time, the earliest first', async () => {
    const clock = fakeClock({ start: 0 });
    const woken: [string, number][] = [];
    const sleep = (name: string, ms: number) =>
      clock.sleep(ms).then(() => woken.push([name, clock.now()]));
    void sleep('long', 300);
    void sleep('short', 100);
    void sleep('too long', 301);

    await clock.advance(300);

    expect(woken).toEqual([
      ['short', 100],
      ['long', 300],
    ]);
    expect(clock.sleeping).toBe(1);
  });

  it('includes sleeps that start while it advances', async () => {
    const clock = fakeClock({ start: 0 });
    const woken: number[] = [];
    const run = (async () => {
      for (let turn = 0; turn < 3; turn++) {
        await clock.sleep(100);
        woken.push(clock.now());
      }
    })();

    await clock.advance(1000);
    await run;

    expect(woken).toEqual([100, 200, 300]);
    expect(clock.now()).toBe(1000);
  });

  it('ends a sleep early when its signal aborts', async () => {
    const clock = fakeClock();
    const controller = new AbortController();
    const sleeping = clock.sleep(100, controller.signal);
    expect(clock.sleeping).toBe(1);

    controller.abort();

    await sleeping;
    await clock.sleep(100, controller.signal);
    expect(clock.sleeping).toBe(0);
  });

  it('returns ids of version 7 and random numbers, equal for every clock', () => {
    const take = () => {
      const clock = fakeClock();
      return [clock.newId(), clock.newId(), clock.random(), clock.random()];
    };

    expect(take()).toEqual(take());
    expect(new Set(take()).size).toBe(4);
    expect(take()[0]).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('executes steps immediately', async () => {
    const clock = fakeClock();
    const race = clock.race<unknown>([clock.step('model', async () => 'quick'), clock.sleep(1)]);

    expect(await race).toBe('quick');
    expect(
      await clock.all([clock.step('a', async () => 1), clock.step('b', async () => 2)]),
    ).toEqual([1, 2]);
    expect(clock.replaying()).toBe(false);
  });

  it('works while timers are faked', async () => {
    vi.useFakeTimers();
    const clock = fakeClock({ start: 0 });

    await clock.advance(10);

    expect(clock.now()).toBe(10);
  });
});

const take = (seed: number, count: number) => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random());
};

describe('seededRandom', () => {
  it('returns the same numbers for the same seed, and others for another seed', () => {
    expect(take(7, 20)).toEqual(take(7, 20));
    expect(take(7, 20)).not.toEqual(take(8, 20));
  });

  it('spreads its numbers evenly from 0 to 1', () => {
    const numbers = take(1, 10_000);
    const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(mean).toBeCloseTo(0.5, 1);
  });
});
