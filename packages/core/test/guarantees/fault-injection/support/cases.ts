import * as fc from 'fast-check';
import { answersPlan } from './decisions.ts';
import { mishaps } from './mishaps.ts';
import { type Work, work } from './plans.ts';
import type { Mishap } from './stage.ts';
import type { ResumePlan } from './world.ts';

/** A parked run, those who resume it, and what happens to them. */
export interface Case {
  readonly work: Work;
  /** How many processes there are. */
  readonly places: number;
  /** All of a wave start at once, and the next one when nothing goes on any more. */
  readonly waves: readonly (readonly ResumePlan[])[];
  /** Who goes on, again and again. */
  readonly order: readonly number[];
  readonly mishaps: readonly Mishap[];
  /** How what is left over is answered afterwards. */
  readonly afterwards: readonly ResumePlan[];
  /** Whether those who stood still come back before what is left over is taken up, or after. */
  readonly comeBack: 'before' | 'after';
}

/** Any way to resume. */
export const resumePlan: fc.Arbitrary<ResumePlan> = fc.record({
  place: fc.nat({ max: 3 }),
  from: fc.nat({ max: 5 }),
  answers: answersPlan,
  asText: fc.boolean(),
  stale: fc.boolean(),
  onAlreadyResumed: fc.constantFrom(...(['replay', 'replay', 'replay', 'error'] as const)),
  onBusy: fc.constantFrom(...(['wait', 'error'] as const)),
  parallelMode: fc.constantFrom(
    ...(['parallel', 'sequential', 'parallel-ordered-events'] as const),
  ),
});

/** Any order in which those who wait go on. */
export const order: fc.Arbitrary<readonly number[]> = fc.array(fc.nat({ max: 99 }), {
  maxLength: 40,
});

/** Cases with at most so many who resume at once, and mishaps of some kinds. */
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
