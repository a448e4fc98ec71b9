import { notApproved, executionsOfDenied } from './promises/approvals.ts';
import {
  executionsAfterTheEnd,
  executionsAfterCancel,
  tooManyExecutions,
  unstableKeys,
} from './promises/at-most-once.ts';
import { resumedTwice, strangeEnd } from './promises/ends.ts';
import { disagreements, callsWithoutResult } from './promises/histories.ts';
import { lostResults } from './promises/results.ts';
import type { World } from './world.ts';

/** Returns the violated guarantees. */
export async function brokenPromises(world: World): Promise<readonly string[]> {
  const { journal, runs, complaints } = world;
  const found = [...complaints, ...callsWithoutResult(world), ...resumedTwice(world)];
  for (const run of runs) found.push(...strangeEnd(run));
  for (const execution of journal.executions) found.push(...notApproved(world, execution));
  for (const call of journal.calls.values()) {
    found.push(
      ...tooManyExecutions(world, call),
      ...executionsAfterTheEnd(world, call),
      ...executionsAfterCancel(world, call),
      ...executionsOfDenied(world, call),
      ...unstableKeys(world, call),
      ...disagreements(world, call),
      ...(await lostResults(world, call)),
    );
  }
  return found;
}
