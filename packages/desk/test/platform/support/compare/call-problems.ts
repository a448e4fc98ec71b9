import { callsOf, type TellerCall } from '../crash/teller.ts';
import type { Effect } from '../crash/journal.ts';
import { answerTo, holdsAbout, type RunAsStored } from './run-as-stored.ts';

/** Everything that is wrong about what the calls of a run have done; these are all the effects of the run. */
export function callProblems(stored: RunAsStored, effects: readonly Effect[]): string[] {
  return callsOf(stored.run.idempotencyKey ?? '').flatMap((call, index) => {
    const done = effects.filter(({ name, to }) => name === call.name && to === call.to);
    const problems = [...timesProblems(stored, call, done), ...keyProblems(done)];
    const started = stored.audit.filter(
      ({ kind, data }) => kind === 'call-started' && data['slot'] === `call:${index}`,
    );
    if (done.length > started.length) problems.push(`ran without being claimed`);
    return problems.map((problem) => `${call.name} ${call.to} ${problem}`);
  });
}

/** A call runs once if somebody said so, and once more only if somebody said so of a call in doubt. */
function timesProblems(
  stored: RunAsStored,
  { to, runsAtOnce }: TellerCall,
  { length: times }: readonly Effect[],
): string[] {
  const holds = holdsAbout(stored, to);
  const approved = holds.filter((hold) => answerTo(stored, hold)?.kind === 'approve').length;
  const most = approved + (runsAtOnce ? 1 : 0);
  if (times > most) return [`ran ${times} times, and ${most} were allowed`];
  if (times > 1 && !holds.some((hold) => hold.inDoubt)) return ['ran twice, without doubt'];
  return times === 0 && most > 0 ? ['was to run and has not'] : [];
}

/** Whoever is told the key can tell that a call was made before, whichever process made it. */
function keyProblems(done: readonly Effect[]): string[] {
  return new Set(done.map(({ key }) => key)).size > 1 ? ['ran under two keys'] : [];
}
