import { AgentError, UserError } from 'holdpoint';
import { present } from '../../../support/present.ts';
import type { World } from './world.ts';

/** Returns the situations that a case covered, so that tests can check their coverage. */
export function reachedIn({ runs, journal }: World): ReadonlySet<string> {
  const reached = new Set<string>();
  for (const { status, error, process, given, id } of runs) {
    if (status !== undefined) reached.add(status);
    if (error instanceof AgentError || error instanceof UserError) reached.add(error.code);
    if (process.isDead) reached.add('died');
    if (given !== undefined && given.by !== id && status !== 'failed') reached.add('stale answers');
    for (const { shownAttempt, kind } of given?.decisions.values() ?? []) {
      if (shownAttempt !== undefined) reached.add(`${kind} in doubt`);
    }
  }
  for (const { label } of journal.calls.values()) {
    const executions = journal.of(label);
    if (executions.length > 1) reached.add('ran again');
    if (executions.some(({ said }) => said === undefined)) reached.add('not over');
    const { value } = present(journal.calls.get(label)).plan;
    if (executions.some((execution) => execution.value !== value)) reached.add('edited');
  }
  return reached;
}

/** Counts the cases that cover a situation. */
export class Tally {
  readonly counts = new Map<string, number>();

  add(reached: ReadonlySet<string>): void {
    for (const what of reached) this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Returns the names that fewer than `least` cases cover. */
  fewerThan(least: number, names: readonly string[]): readonly string[] {
    return names.filter((name) => (this.counts.get(name) ?? 0) < least);
  }
}
