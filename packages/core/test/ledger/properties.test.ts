import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callKey, type Ledger, type LedgerClaim } from '../../src/ledger/ledger.ts';
import { MemoryLedger } from '../../src/ledger/memory-ledger.ts';
import { present } from '../support/present.ts';

/** An operation on the ledger, for one of two calls. */
interface Deed {
  readonly kind:
    | 'claim'
    | 'extend'
    | 'release'
    | 'settle'
    | 'doubt'
    | 'deny'
    | 'run-again'
    | 'find-out'
    | 'wait';
  readonly call: number;
  /** The attempt that it uses, counted from the last one. */
  readonly back: number;
  readonly digest: string | undefined;
}

const deed: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constantFrom(
    ...(['claim', 'claim', 'extend', 'release', 'settle', 'doubt'] as const),
    ...(['deny', 'run-again', 'find-out', 'wait'] as const),
  ),
  call: fc.nat({ max: 1 }),
  back: fc.nat({ max: 2 }),
  digest: fc.constantFrom(undefined, 'd', 'e'),
});

/** The attempts at a call, and those that are known to have ended. */
class Attempts {
  readonly claims: LedgerClaim[] = [];
  readonly ended = new Set<string>();
  outcome: unknown;

  back(count: number): LedgerClaim | undefined {
    return this.claims.at(-1 - count);
  }

  /** Attempts that have not ended; their owners may execute. */
  get live(): readonly string[] {
    return this.claims.map(({ attempt }) => attempt).filter((one) => !this.ended.has(one));
  }
}

const LEASE = 10;

/** Executes an operation, and obeys the result of the ledger. */
async function doDeed(ledger: Ledger, { kind, call, back, digest }: Deed, attempts: Attempts) {
  const key = callKey('step', call);
  if (kind === 'claim') {
    const said = await ledger.claim(key, { digest, lease: LEASE });
    if (said.state === 'held') attempts.claims.push(said.claim);
    return;
  }
  if (kind === 'deny') {
    await ledger.record(key, { digest, outcome: 'denied' });
    return;
  }
  const claim = attempts.back(back);
  if (claim === undefined) return;
  const { attempt } = claim;
  if (kind === 'extend') await ledger.extend(claim, LEASE);
  if (kind === 'doubt') await ledger.doubt(claim, attempt);
  if (kind === 'settle' && (await ledger.settle(claim, attempt)) === 'settled') {
    attempts.ended.add(attempt);
  }
  if (kind === 'release') {
    await ledger.release(claim);
    // The entry shows the effect: an existing entry was not released.
    const entry = await ledger.read(key);
    if (entry === undefined) attempts.ended.add(attempt);
  }
  if (kind === 'run-again' || kind === 'find-out') {
    const resolution =
      kind === 'run-again'
        ? ({ kind } as const)
        : ({ kind: 'outcome', outcome: `found ${attempt}` } as const);
    if ((await ledger.resolve(claim, resolution)) === 'resolved') attempts.ended.add(attempt);
  }
}

describe('random operations on a ledger', () => {
  it('leave one attempt per call at a time, and never change an outcome', async () => {
    const reached = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 40 }), async (deeds) => {
        let time = 0;
        const ledger = new MemoryLedger({ now: () => time });
        const calls = [new Attempts(), new Attempts()];
        for (const one of deeds) {
          const attempts = present(calls[one.call]);
          if (one.kind === 'wait') time += LEASE;
          else await doDeed(ledger, one, attempts);

          for (const [index, { live, outcome }] of calls.entries()) {
            const entry = await ledger.read(callKey('step', index));
            reached.add(`${entry?.state}`);
            expect(live.length).toBeLessThanOrEqual(1);
            // The ledger knows the live attempt, and permits no other.
            if (live.length === 1) expect(entry?.state).toMatch(/busy|doubt/);
            if (outcome !== undefined) expect(entry).toMatchObject({ outcome });
            if (entry?.state === 'settled') present(calls[index]).outcome = entry.outcome;
          }
        }
      }),
      { numRuns: 2000 },
    );

    expect(reached).toEqual(new Set(['undefined', 'busy', 'doubt', 'settled']));
  });
});
