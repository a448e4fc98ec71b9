import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { liveEnvironment } from './environment.ts';

const { all, newId, race, random, replaying, sleep, step } = liveEnvironment;

/** Returns the state of a promise after `ms` milliseconds. */
const after = (ms: number, promise: Promise<void>) =>
  Promise.race([
    promise.then(() => 'over'),
    new Promise((resolve) => setTimeout(resolve, ms, 'still waiting')),
  ]);

describe('id from the environment', () => {
  it('is a UUID of version 7 with the time of its creation', () => {
    const before = Date.now();
    const id = newId();
    const time = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
  });

  it('sorts after older ids', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      ids.push(newId());
      await sleep(3);
    }

    expect(ids.toSorted()).toEqual(ids);
  });

  it('is unique', () => {
    const ids = new Set(Array.from({ length: 10_000 }, newId));

    expect(ids.size).toBe(10_000);
  });
});

describe('sleep', () => {
  it('lasts as long as requested', async () => {
    expect(await after(5, sleep(50))).toBe('still waiting');
    expect(await after(50, sleep(1))).toBe('over');
  });

  it('ends early, without an error, when the signal aborts', async () => {
    const controller = new AbortController();
    const sleeping = sleep(10_000, controller.signal);

    controller.abort(new Error('Enough.'));

    expect(await after(20, sleeping)).toBe('over');
    expect(await after(20, sleep(10_000, controller.signal))).toBe('over');
  });

  it('removes its listener from the signal when it ends', async () => {
    const { signal } = new AbortController();

    await sleep(1, signal);

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it.each([2 ** 31, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])(
    'of %d milliseconds does not end immediately',
    async (ms) => {
      const controller = new AbortController();

      expect(await after(20, sleep(ms, controller.signal))).toBe('still waiting');
      controller.abort();
    },
  );
});

describe('several awaited promises', () => {
  it('returns all values in order, and passes each to the callback as it arrives', async () => {
    const arrived: unknown[] = [];
    const slow = sleep(5).then(() => 'slow');

    const values = await all([slow, Promise.resolve('quick')], (value, index) =>
      arrived.push([value, index]),
    );

    expect(values).toEqual(['slow', 'quick']);
    expect(arrived).toEqual([
      ['quick', 1],
      ['slow', 0],
    ]);
  });

  it('rejects with the error that the callback throws', async () => {
    const broken = new Error('Broken.');
    const waiting = all([Promise.resolve(1), new Promise(() => {})], () => {
      throw broken;
    });

    await expect(waiting).rejects.toBe(broken);
  });

  it('returns the first value of a race', async () => {
    expect(await race([sleep(20).then(() => 'slow'), Promise.resolve('quick')])).toBe('quick');
  });
});

describe('live environment', () => {
  it('executes steps at once, returns random numbers, and never replays', async () => {
    let done = false;
    const doing = step('work', async () => {
      done = true;
      return 1;
    });

    expect(done).toBe(true);
    expect(await doing).toBe(1);
    expect(random()).toBeGreaterThanOrEqual(0);
    expect(random()).toBeLessThan(1);
    expect(replaying()).toBe(false);
  });
});
