import { describe, expect, it } from 'vitest';
import { callKey, type Ledger } from '../ledger/ledger.ts';
import { MemoryLedger } from '../ledger/memory-ledger.ts';
import { everyFault, faultyLedger, type LedgerFault, LedgerFaultError } from './faulty-ledger.ts';
import { ledgerCases } from './describe-ledger.ts';
import { nextTurn } from './fake-clock.ts';

const key = callKey('step', 0);
const LEASE = 1000;

/** An effect that may occur once, and the ledgers of two processes that attempt it. */
function scene(fault?: LedgerFault) {
  const clock = { time: 0 };
  const ledger = new MemoryLedger({ now: () => clock.time });
  const effects: string[] = [];
  /** Executes the effect if it is not claimed, like a run. */
  const attempt = async (through: Ledger, name: string): Promise<unknown> => {
    const result = await through.claim(key, { lease: LEASE });
    if (result.state !== 'held') return result.state;
    if ((await through.extend(result.claim, LEASE)) === 'lost') {
      await through.release(result.claim);
      return 'lost';
    }
    effects.push(name);
    return through.settle(result.claim, name);
  };
  return { clock, ledger, effects, attempt, faulty: faultyLedger(ledger, fault) };
}

describe('faultyLedger', () => {
  it('only records operations without a fault', async () => {
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

  it('passes the ledger suite without a fault', async () => {
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
  ] as const)('throws once, %s the operation takes effect', async (when, then) => {
    const { ledger, clock } = scene();
    const faulty = faultyLedger(ledger, { index: 0, when, kind: 'throw' });

    await expect(faulty.claim(key, { lease: LEASE })).rejects.toThrow(LedgerFaultError);
    await faulty.struck;
    clock.time += LEASE;

    expect(await faulty.claim(key, { lease: LEASE })).toMatchObject({ state: then });
  });

  it('hangs with all later operations until it is resumed', async () => {
    const { ledger } = scene();
    const faulty = faultyLedger(ledger, { index: 1, when: 'before', kind: 'hang' });
    const result: string[] = [];
    const other = callKey('step', 1);

    await faulty.record(key, { outcome: 0 });
    void faulty.record(other, { outcome: 1 }).then(({ state }) => result.push(state));
    await faulty.struck;
    void faulty.read(key).then((entry) => result.push(entry?.state ?? 'free'));
    await nextTurn();

    expect(result).toEqual([]);
    expect(await ledger.read(other)).toBeUndefined();
    expect(faulty.operations).toHaveLength(3);

    faulty.resume();
    await nextTurn();

    expect(result.toSorted()).toEqual(['recorded', 'settled']);
  });

  it('can hang after the effect', async () => {
    const { ledger } = scene();
    const faulty = faultyLedger(ledger, { index: 0, when: 'after', kind: 'hang' });

    const record = faulty.record(key, { outcome: 1 });
    await faulty.struck;

    expect(await ledger.read(key)).toMatchObject({ state: 'settled' });
    faulty.resume();
    expect(await record).toEqual({ state: 'recorded' });
  });

  it('throws an error that contains the operation', async () => {
    const { ledger } = scene();
    const faulty = faultyLedger(ledger, { index: 0, when: 'before', kind: 'throw' });

    await expect(faulty.read(key)).rejects.toThrow(
      'The ledger failed as planned, before operation 0: `read` of {"step":"step","slot":"call:0"}.',
    );
  });

  it('produces every possible fault, each of which a correct run survives', async () => {
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

      const details = JSON.stringify({ fault, meanwhile, later, effects });
      expect(faulty.hasStruck, details).toBe(true);
      expect(effects.length, details).toBeLessThanOrEqual(1);
      // After its effect, a key is settled or in doubt, never free.
      const entry = await ledger.read(key);
      if (effects.length === 1) expect(entry?.state, details).toMatch(/settled|doubt/);
      if (entry?.state === 'settled') expect(entry.outcome, details).toBe(effects[0]);
    }
  });

  it('detects that a lease must not free a key', async () => {
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
      // Another process frees an expired lease, and the owner does not check its claim again.
      if (entry?.state === 'doubt') await ledger.release(entry.claim);
      await attempt(ledger, 'second');
      faulty.resume();
      await first;
      broken.push(effects.length);
    }

    expect(Math.max(...broken)).toBe(2);
  });
});
