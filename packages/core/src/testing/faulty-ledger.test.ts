import { describe, expect, it } from 'vitest';
import type { Ledger } from '../ledger/ledger.ts';
import { callKey } from '../ledger/ledger-key.ts';
import { MemoryLedger } from '../ledger/memory-ledger.ts';
import { everyFault, faultyLedger, type LedgerFault, LedgerFaultError } from './faulty-ledger.ts';
import { ledgerCases } from './describe-ledger.ts';
import { nextTurn } from './next-turn.ts';

const key = callKey('step', 0);
const LEASE = 1000;

/** Something that may happen once, and the ledgers of those who could do it. */
function scene(fault?: LedgerFault) {
  const clock = { time: 0 };
  const ledger = new MemoryLedger({ now: () => clock.time });
  const effects: string[] = [];
  /** Does it if nobody has, in the way in which a run does. */
  const attempt = async (through: Ledger, name: string): Promise<unknown> => {
    const said = await through.claim(key, { lease: LEASE });
    if (said.state !== 'held') return said.state;
    if ((await through.extend(said.claim, LEASE)) === 'lost') {
      await through.release(said.claim);
      return 'lost';
    }
    effects.push(name);
    return through.settle(said.claim, name);
  };
  return { clock, ledger, effects, attempt, faulty: faultyLedger(ledger, fault) };
}

describe('a faulty ledger', () => {
  it('only counts without a fault', async () => {
    const { attempt, faulty, effects } = scene();

    expect(await attempt(faulty, 'a')).toBe('settled');

    expect(effects).toEqual(['a']);
    expect(faulty.operations).toEqual([
      { name: 'claim', key },
      { name: 'extend', key },
      { name: 'settle', key },
    ]);
    expect(faulty.hasStruck).toBe(false);
  });

  it('passes the suite for ledgers when nothing happens', async () => {
    const open = () => {
      const { clock, faulty } = scene();
      const advance = (ms: number) => void (clock.time += ms);
      return { ledger: faulty, clock: { now: () => clock.time, advance } };
    };

    for (const one of ledgerCases({ open })) await one.run();
  });

  it.each([
    ['before', 'held'],
    ['after', 'doubt'],
  ] as const)('throws once, %s the operation has its effect', async (when, then) => {
    const { ledger, clock } = scene();
    const faulty = faultyLedger(ledger, { at: 0, when, kind: 'throw' });

    await expect(faulty.claim(key, { lease: LEASE })).rejects.toThrow(LedgerFaultError);
    await faulty.struck;
    clock.time += LEASE;

    expect(await faulty.claim(key, { lease: LEASE })).toMatchObject({ state: then });
  });

  it('hangs, with everything after it, until it is resumed', async () => {
    const { ledger } = scene();
    const faulty = faultyLedger(ledger, { at: 1, when: 'before', kind: 'hang' });
    const said: string[] = [];
    const other = callKey('step', 1);

    await faulty.record(key, { outcome: 0 });
    void faulty.record(other, { outcome: 1 }).then(({ state }) => said.push(state));
    await faulty.struck;
    void faulty.read(key).then((entry) => said.push(entry?.state ?? 'free'));
    await nextTurn();

    expect(said).toEqual([]);
    expect(await ledger.read(other)).toBeUndefined();
    expect(faulty.operations).toHaveLength(3);

    faulty.resume();
    await nextTurn();

    expect(said.toSorted()).toEqual(['recorded', 'settled']);
  });

  it('can hang after the effect', async () => {
    const { ledger } = scene();
    const faulty = faultyLedger(ledger, { at: 0, when: 'after', kind: 'hang' });

    const record = faulty.record(key, { outcome: 1 });
    await faulty.struck;

    expect(await ledger.read(key)).toMatchObject({ state: 'settled' });
    faulty.resume();
    expect(await record).toEqual({ state: 'recorded' });
  });

  it('says where it was told to fail', async () => {
    const { ledger } = scene();
    const faulty = faultyLedger(ledger, { at: 0, when: 'before', kind: 'throw' });

    await expect(faulty.read(key)).rejects.toThrow(
      'The ledger was told to fail before operation 0, read of {"step":"step","slot":"call:0"}.',
    );
  });

  it('has every fault that can be, so that a run can be shown to survive them', async () => {
    const clean = scene();
    await clean.attempt(clean.faulty, 'clean');
    const faults = everyFault(clean.faulty.operations);
    expect(faults).toHaveLength(3 * 2 * 2);

    for (const fault of faults) {
      const { attempt, faulty, ledger, effects, clock } = scene(fault);
      const first = attempt(faulty, 'first').catch(() => 'failed');
      await Promise.race([first, faulty.struck]);
      const meanwhile = await attempt(ledger, 'second');
      clock.time += LEASE;
      const later = await attempt(ledger, 'third');
      faulty.resume();
      await first;

      const place = JSON.stringify({ fault, meanwhile, later, effects });
      expect(faulty.hasStruck, place).toBe(true);
      expect(effects.length, place).toBeLessThanOrEqual(1);
      // What had its effect is known to have, or in doubt; it is never free.
      const entry = await ledger.read(key);
      if (effects.length === 1) expect(entry?.state, place).toMatch(/settled|doubt/);
      if (entry?.state === 'settled') expect(entry.outcome, place).toBe(effects[0]);
    }
  });

  it('shows what a lease that frees would do', async () => {
    const broken: number[] = [];
    for (const fault of everyFault([
      { name: 'claim', key },
      { name: 'extend', key },
    ])) {
      const { attempt, faulty, ledger, effects, clock } = scene(fault);
      const first = attempt(faulty, 'first').catch(() => 'failed');
      await Promise.race([first, faulty.struck]);
      clock.time += LEASE;
      const entry = await ledger.read(key);
      // Somebody takes a lease that ran out for leave to go on, and the owner does not look again.
      if (entry?.state === 'doubt') await ledger.release(entry.claim);
      await attempt(ledger, 'second');
      faulty.resume();
      await first;
      broken.push(effects.length);
    }

    expect(Math.max(...broken)).toBe(2);
  });
});
