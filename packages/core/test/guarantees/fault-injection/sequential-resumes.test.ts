import { AlreadyResumedError, requestsFromMessages } from 'holdpoint';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { present } from '../../support/present.ts';
import { SOAK_TIMES } from '../../support/soak.ts';
import { decisionsPlan } from './support/decisions.ts';
import { resumePlan } from './support/cases.ts';
import { inOneThread } from './support/one-thread.ts';
import { finishCase, park } from './support/play.ts';
import { type Work, work } from './support/plans.ts';
import { PlannedError } from './support/stage.ts';
import type { ResumePlan, World } from './support/world.ts';

inOneThread();

/** One resume of a parked run. */
interface Round {
  readonly plan: ResumePlan;
  /** A way to make the results of an earlier resume invalid; `undefined` without one. */
  readonly spoiled: ResumePlan['decisions']['spoiled'];
  /** True if the same history is resumed once more afterwards. */
  readonly again: boolean;
}

const round: fc.Arbitrary<Round> = fc.record({
  plan: fc.tuple(resumePlan, decisionsPlan).map(([plan, decisions]) => ({
    ...plan,
    stale: false,
    decisions: { ...decisions, spoiled: undefined },
  })),
  spoiled: fc.constantFrom(undefined, 'partial', 'forged', 'duplicated', 'swapped', 'digest'),
  again: fc.boolean(),
});

const rounds = fc.array(round, { minLength: 1, maxLength: 4 });

/** Work whose tools never hang. */
const quietWork: fc.Arbitrary<Work> = work.map(({ tools, batches }) => ({
  tools,
  batches: batches.map((batch) =>
    batch.map((call) => (call.does === 'hangs' ? { ...call, does: 'returns' } : call)),
  ),
}));

const MAX_ROUNDS = 24;

/** Resumes the parked run until it finishes; returns the problems. */
async function resumeUntilFinished(world: World, plans: readonly Round[]): Promise<string[]> {
  const problems: string[] = [];
  let onAlreadyResumed: ResumePlan['onAlreadyResumed'] = 'error';
  let from = 0;
  for (let count = 0; count < MAX_ROUNDS; count++) {
    const { plan, spoiled, again } = present(plans[count % plans.length]);
    const next = { ...plan, from, onAlreadyResumed };
    const resume = async (more: Partial<ResumePlan>) => {
      const run = world.resume({ ...next, ...more });
      await world.stage.play();
      return run;
    };
    if (spoiled) await resume({ decisions: { ...plan.decisions, spoiled } });
    const run = await resume({});
    const broke = run.error instanceof PlannedError;
    if (run.error !== undefined && !broke) problems.push(`refused: ${String(run.error)}`);
    if (again && !broke) {
      const executed = world.journal.executions.length;
      const { error } = await resume({ onAlreadyResumed: 'error' });
      if (!(error instanceof AlreadyResumedError)) problems.push('was resumed twice');
      if (world.journal.executions.length > executed) problems.push('ran something twice');
    }
    if (run.status === 'finished') return problems;
    from = run.left ?? from;
    // After a tool error the same run is resumed again.
    onAlreadyResumed = broke ? 'replay' : 'error';
  }
  return [...problems, 'what was left over is not done'];
}

/** Reports calls that are in doubt although their execution never started. */
function needlessDoubts({ stored, journal }: World): string[] {
  return stored.flatMap(({ messages }) => {
    const requests = present(requestsFromMessages(messages));
    return requests.approvals.flatMap((call) => {
      const label = (requests.get(call).args as { call: string }).call;
      const { inDoubt } = requests.get(call).details;
      return inDoubt && journal.of(label).length === 0 ? [`in doubt, and not begun: ${label}`] : [];
    });
  });
}

describe('a run that parks and resumes repeatedly', () => {
  it(
    'resumes exactly once from each history, also after invalid decisions',
    async () => {
      await fc.assert(
        fc.asyncProperty(quietWork, rounds, async (toDo, plans) => {
          const world = await park({ work: toDo, places: 1, order: [] });
          const problems = world.stored.length === 0 ? [] : await resumeUntilFinished(world, plans);

          const { broken } = await finishCase(world, [...problems, ...needlessDoubts(world)]);
          expect(broken).toEqual([]);
        }),
        { numRuns: 400 * SOAK_TIMES },
      );
    },
    120_000 * SOAK_TIMES,
  );
});
