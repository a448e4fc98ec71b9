import { everyFault, type FaultyLedger, faultyLedger, type LedgerFault } from 'holdpoint/testing';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { present } from '../../support/present.ts';
import { SOAK_TIMES } from '../../support/soak.ts';
import { type Case, order, resumePlan } from './support/cases.ts';
import { inOneThread } from './support/one-thread.ts';
import { comeBack, finishCase, park, type Played, takeUp } from './support/play.ts';
import { type CallPlan, type ToolPlan, work } from './support/plans.ts';
import { LEASE } from './support/stage.ts';
import type { PlayedRun, ResumePlan, World } from './support/world.ts';

inOneThread();

/** A resume with one ledger fault. */
interface Attempt extends Pick<Case, 'work' | 'order' | 'afterwards'> {
  readonly plan: ResumePlan;
  /** A hanging resume continues before another run finishes the rest, after it, or never. */
  readonly returns: 'before' | 'after' | 'never';
}

interface Faulty {
  readonly world: World;
  readonly run: PlayedRun;
  readonly ledger: FaultyLedger;
}

/** Resumes a parked run with a ledger that has one fault; returns `undefined` if nothing is parked. */
async function resumeWith(one: Attempt, fault?: LedgerFault): Promise<Faulty | undefined> {
  const world = await park({ work: one.work, order: one.order, places: 1 });
  if (world.stored.length === 0) return undefined;
  let ledger: FaultyLedger | undefined;
  const run = world.resume({ ...one.plan, process: 0 }, (real) => {
    ledger = faultyLedger(real, fault);
    return ledger;
  });
  await world.stage.play();
  return { world, run, ledger: present(ledger) };
}

/** Returns all faults that a resume can have. */
async function faultsOf(one: Attempt): Promise<readonly LedgerFault[]> {
  const clean = await resumeWith(one);
  return everyFault(clean?.ledger.operations ?? []);
}

async function playWith(one: Attempt, fault: LedgerFault): Promise<Played> {
  const { world, ledger } = present(await resumeWith(one, fault));
  if (one.returns === 'never') present(world.stage.processes[0]).isDead = true;
  vi.advanceTimersByTime(2 * LEASE);
  if (one.returns === 'before') {
    ledger.resume();
    await comeBack(world);
  }
  const problems = await takeUp(world, one.afterwards);
  ledger.resume();
  await comeBack(world);
  return finishCase(world, problems);
}

const attempt: fc.Arbitrary<Attempt> = fc.record({
  work,
  order,
  plan: resumePlan.map((plan) => ({ ...plan, stale: false })),
  afterwards: fc.array(resumePlan, { minLength: 3, maxLength: 3 }),
  returns: fc.constantFrom('before', 'after', 'never'),
});

const TOOL: ToolPlan = {
  asks: 'always',
  once: false,
  sequential: false,
  onInDoubt: 'ask',
  timeout: undefined,
  preview: true,
};

const CALL: CallPlan = { tool: 0, value: 1, does: 'returns', times: 1, awaits: 1 };

const PLAN: ResumePlan = {
  process: 0,
  from: 0,
  decisions: { choices: [0, 6, 11, 0], spoiled: undefined, digests: true },
  asText: true,
  stale: false,
  onAlreadyResumed: 'error',
  onBusy: 'error',
  parallelMode: 'parallel',
};

/** Calls of every kind: one is approved, one edited, one denied, one gets a result. */
const everyKind: Pick<Attempt, 'work' | 'order' | 'plan'> = {
  work: {
    tools: [TOOL, { ...TOOL, asks: 'raised', sequential: true }, { ...TOOL, asks: 'external' }],
    batches: [
      [CALL, { ...CALL, tool: 1 }, { ...CALL, tool: 0, does: 'throws' }, { ...CALL, tool: 2 }],
    ],
  },
  order: [],
  plan: PLAN,
};

describe('a resume with a fault at one ledger operation', () => {
  it('violates no guarantee, whichever operation fails', async () => {
    let count = 0;
    for (const returns of ['before', 'after', 'never'] as const) {
      for (const choices of [[0], [6], [11]]) {
        const afterwards = [{ ...PLAN, decisions: { ...PLAN.decisions, choices } }];
        const one = { ...everyKind, afterwards, returns };
        for (const fault of await faultsOf(one)) {
          const { broken } = await playWith(one, fault);
          expect(broken, JSON.stringify({ fault, returns, choices })).toEqual([]);
          count += 1;
        }
      }
    }

    expect(count).toBeGreaterThan(300);
  }, 120_000);

  it(
    'violates no guarantee for random calls and decisions',
    async () => {
      let count = 0;
      await fc.assert(
        fc.asyncProperty(attempt, fc.nat(), async (one, choice) => {
          const faults = await faultsOf(one);
          if (faults.length === 0) return;
          count += 1;

          const { broken } = await playWith(one, present(faults[choice % faults.length]));

          expect(broken).toEqual([]);
        }),
        { numRuns: 400 * SOAK_TIMES },
      );

      expect(count).toBeGreaterThan(280 * SOAK_TIMES);
    },
    120_000 * SOAK_TIMES,
  );

  it('ends when the run is aborted during the faulty operation', async () => {
    const one: Attempt = { ...everyKind, afterwards: [PLAN], returns: 'never' };
    const standing: string[] = [];
    for (const fault of await faultsOf(one)) {
      if (fault.kind === 'throw') continue;
      const { world, run, ledger } = present(await resumeWith(one, fault));
      run.controller.abort(new Error('Stop.'));
      await world.stage.play();
      const { name, key } = present(ledger.operations[fault.index]);
      if (run.status === undefined) standing.push(`${fault.when} ${name} ${key?.slot}`);
    }

    expect(standing).toEqual([]);
  });
});
