import { callsOf, type TellerCall } from '../crash/teller.ts';
import type { Effect } from '../crash/journal.ts';
import { decisionOn, holdsAbout, type StoredRun } from './stored-run.ts';

/** Compares the effects of a run with its calls and decisions. */
export function callProblems(stored: StoredRun, effects: readonly Effect[]): string[] {
  return callsOf(stored.run.idempotencyKey ?? '').flatMap((call, index) => {
    const done = effects.filter(({ name, to }) => name === call.name && to === call.to);
    const problems = [...timesProblems(stored, call, done), ...keyProblems(done)];
    const started = stored.audit.filter(
      ({ kind, data }) => kind === 'call-started' && data['slot'] === `call:${index}`,
    );
    if (done.length > started.length) problems.push('executed without a claim');
    return problems.map((problem) => `${call.name} ${call.to} ${problem}`);
  });
}

/** A call executes once per approval, and a second time only after a hold in doubt. */
function timesProblems(
  stored: StoredRun,
  { to, executesAtOnce }: TellerCall,
  { length: times }: readonly Effect[],
): string[] {
  const holds = holdsAbout(stored, to);
  const approved = holds.filter((hold) => decisionOn(stored, hold)?.kind === 'approve').length;
  const allowed = approved + (executesAtOnce ? 1 : 0);
  if (times > allowed) return [`executed ${times} times, and ${allowed} were allowed`];
  if (times > 1 && !holds.some((hold) => hold.inDoubt))
    return ['executed twice without a hold in doubt'];
  return times === 0 && allowed > 0 ? ['was approved and did not execute'] : [];
}

/** Every execution of a call has the same idempotency key in every process. */
function keyProblems(done: readonly Effect[]): string[] {
  return new Set(done.map(({ key }) => key)).size > 1 ? ['executed with two keys'] : [];
}
