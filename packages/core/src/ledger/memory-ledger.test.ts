import { describe, expect, it } from 'vitest';
import { InvalidJsonError, UserError } from '../errors/user-errors.ts';
import type { JsonValue } from '../internal/json.ts';
import { callKey } from './ledger.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { isDeeplyFrozen } from '../../test/support/frozen.ts';

// The contract of all ledgers is tested in `test/ledger`.

const key = callKey('step', 0);

function clocked(options: { readonly retention?: number } = {}) {
  const clock = { time: 1_000_000 };
  return { clock, ledger: new MemoryLedger({ now: () => clock.time, ...options }) };
}

async function held(ledger: MemoryLedger, at = key, digest?: string) {
  const said = await ledger.claim(at, { digest, lease: 1000 });
  if (said.state !== 'held') throw new Error(`It is ${said.state}.`);
  return said.claim;
}

describe('a memory ledger', () => {
  it('returns only frozen data', async () => {
    const { ledger, clock } = clocked();
    const said: unknown[] = [];

    said.push(await ledger.claim({ ...key }, { digest: 'd', lease: 1000 }));
    said.push(await ledger.claim(key, { lease: 1000 }), await ledger.read(key));
    said.push(await ledger.claim(key, { digest: 'other', lease: 1000 }));
    clock.time += 1000;
    said.push(await ledger.read(key));
    const other = callKey('step', 1);
    said.push(await ledger.record(other, { outcome: { list: [{}] } }), await ledger.read(other));

    const states = said.map((one) => (one as { state: string }).state);
    expect(states).toEqual(['held', 'busy', 'busy', 'conflict', 'doubt', 'recorded', 'settled']);
    for (const one of said) expect(isDeeplyFrozen(one)).toBe(true);
  });

  it('returns no absent members', async () => {
    const { ledger, clock } = clocked();
    await held(ledger);

    expect(await ledger.read(key)).toEqual({ state: 'busy', until: clock.time + 1000 });
    expect(Object.keys((await ledger.read(key))!)).not.toContain('digest');
  });

  it('ends a lease at its last millisecond', async () => {
    const { ledger, clock } = clocked();
    const claim = await held(ledger, key, 'd');

    clock.time += 999;
    expect(await ledger.read(key)).toMatchObject({ state: 'busy' });

    clock.time += 1;
    expect(await ledger.read(key)).toEqual({
      state: 'doubt',
      claim,
      digest: 'd',
      reason: expect.stringContaining('lease ran out'),
      since: clock.time,
    });
  });

  it('uses the clock of the machine by default', async () => {
    const before = Date.now();
    const ledger = new MemoryLedger();
    await held(ledger);

    expect(ledger.retainedSince()).toBeGreaterThanOrEqual(before);
    expect(ledger.retainedSince()).toBeLessThanOrEqual(Date.now());
  });

  it('changes nothing for an outcome that is not JSON', async () => {
    const { ledger } = clocked();
    const claim = await held(ledger);
    const bad = { at: [1n] } as unknown as JsonValue;

    await expect(ledger.settle(claim, bad)).rejects.toThrow(InvalidJsonError);
    await expect(ledger.settle(claim, bad)).rejects.toThrow('outcome.at[0]');
    expect(await ledger.read(key)).toMatchObject({ state: 'busy' });

    await ledger.doubt(claim, 'why');
    await expect(ledger.resolve(claim, { kind: 'outcome', outcome: bad })).rejects.toThrow(
      InvalidJsonError,
    );
    expect(await ledger.read(key)).toMatchObject({ state: 'doubt' });

    const free = callKey('step', 1);
    await expect(ledger.record(free, { outcome: bad })).rejects.toThrow(InvalidJsonError);
    expect(await ledger.read(free)).toBeUndefined();
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('rejects a lease of %s', async (lease) => {
    const { ledger } = clocked();

    await expect(ledger.claim(key, { lease })).rejects.toThrow(UserError);
    expect(await ledger.read(key)).toBeUndefined();
    await expect(ledger.extend(await held(ledger), lease)).rejects.toThrow(UserError);
  });

  it.each([0, -1, Number.NaN])('rejects a retention of %s', (retention) => {
    expect(() => new MemoryLedger({ retention })).toThrow(
      /^Option `retention` of `MemoryLedger` .*more than 0 milliseconds/,
    );
  });
});

describe('a memory ledger with a retention', () => {
  it('deletes old entries when new ones are added', async () => {
    const { ledger, clock } = clocked({ retention: 1000 });
    const known = async (last: number) => {
      const found: number[] = [];
      for (let index = 0; index <= last; index++) {
        if (await ledger.read(callKey('step', index))) found.push(index);
      }
      return found.length;
    };

    for (let index = 0; index < 5000; index++) {
      clock.time++;
      await ledger.record(callKey('step', index), { outcome: null });
    }

    expect(await known(4999)).toBeLessThanOrEqual(1002);
    expect(await known(4999)).toBeGreaterThanOrEqual(1000);

    // After a pause all entries are old, and a few new ones are enough to delete them.
    clock.time += 10_000;
    for (let index = 5000; index < 5300; index++) {
      await ledger.record(callKey('step', index), { outcome: null });
    }
    expect(await known(5299)).toBe(300);
  });

  it('retains old entries that changed recently', async () => {
    const { ledger, clock } = clocked({ retention: 1000 });
    const claim = await held(ledger);
    clock.time += 900;
    await ledger.doubt(claim, 'why');
    clock.time += 900;

    await held(ledger, callKey('step', 1));

    expect(await ledger.read(key)).toMatchObject({ state: 'doubt' });
  });

  it('deletes other entries although it retains long leases', async () => {
    const { ledger, clock } = clocked({ retention: 1000 });
    for (let index = 0; index < 10; index++) {
      await ledger.claim(callKey('long', index), { lease: 1_000_000 });
    }
    await ledger.record(key, { outcome: null });
    clock.time += 2000;

    for (let index = 1; index < 10; index++) {
      await ledger.record(callKey('step', index), { outcome: null });
    }

    expect(await ledger.read(key)).toBeUndefined();
    for (let index = 0; index < 10; index++) {
      expect(await ledger.read(callKey('long', index))).toMatchObject({ state: 'busy' });
    }
  });

  it('deletes nothing early when the clock is set back', async () => {
    const { ledger, clock } = clocked({ retention: 1000 });
    clock.time += 5000;
    const parkedAt = clock.time;
    const since = ledger.retainedSince();
    clock.time -= 5000;

    await ledger.record(key, { outcome: 'done' });
    for (let index = 1; index < 10; index++) {
      await ledger.record(callKey('step', index), { outcome: null });
    }

    expect(ledger.retainedSince()).toBe(since);
    expect(ledger.retainedSince()).toBeLessThanOrEqual(parkedAt);
    expect(await ledger.read(key)).toMatchObject({ outcome: 'done' });
  });
});
