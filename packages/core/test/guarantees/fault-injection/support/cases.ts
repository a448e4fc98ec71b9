import * as fc from 'fast-check';
import { decisionsPlan } from './decisions.ts';
import { mishaps } from './mishaps.ts';
import { type Work, work } from './plans.ts';
import type { Mishap } from './stage.ts';
import type { ResumePlan } from './world.ts';

/** A parked run, its resumes and the faults during them. */
export interface Case {
  readonly work: Work;
  /** Number of processes. */
  readonly places: number;
  /** The resumes of a wave start together; the next wave starts when none can continue. */
  readonly waves: readonly (readonly ResumePlan[])[];
  /** The order in which the stage opens gates, repeated. */
  readonly order: readonly number[];
  readonly mishaps: readonly Mishap[];
  /** Resumes that finish the run after the faults. */
  readonly afterwards: readonly ResumePlan[];
  /** Frozen processes continue before or after those resumes. */
  readonly comeBack: 'before' | 'after';
}

/** Generates a resume. */
export const resumePlan: fc.Arbitrary<ResumePlan> = fc.record({
  process: fc.nat({ max: 3 }),
  from: fc.nat({ max: 5 }),
  decisions: decisionsPlan,
  asText: fc.boolean(),
  stale: fc.boolean(),
  onAlreadyResumed: fc.constantFrom(...(['replay', 'replay', 'replay', 'error'] as const)),
  onBusy: fc.constantFrom(...(['wait', 'error'] as const)),
  parallelMode: fc.constantFrom(
    ...(['parallel', 'sequential', 'parallel-ordered-events'] as const),
  ),
});

/** Generates an order of opening gates. */
export const order: fc.Arbitrary<readonly number[]> = fc.array(fc.nat({ max: 99 }), {
  maxLength: 40,
});

/** Cases with limited concurrency and the given kinds of faults. */
export function cases(most: {
  readonly atOnce: number;
  readonly waves: number;
  readonly mishaps: readonly Mishap['kind'][];
}): fc.Arbitrary<Case> {
  const wave = fc.array(resumePlan, { minLength: 1, maxLength: most.atOnce, size: 'max' });
  return fc.record({
    work,
    places: fc.integer({ min: 1, max: 4 }),
    waves: fc.array(wave, { minLength: 1, maxLength: most.waves, size: 'max' }),
    order,
    mishaps: most.mishaps.length === 0 ? fc.constant([]) : mishaps(most.mishaps, 6),
    afterwards: fc.array(resumePlan, { minLength: 3, maxLength: 3 }),
    comeBack: fc.constantFrom(...(['before', 'after'] as const)),
  });
}
