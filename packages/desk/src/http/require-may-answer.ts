import type { Desk } from '../desk/desk.ts';
import { whyNotAnswer } from '../approvers/may-answer.ts';
import { DeskError } from '../errors/desk-error.ts';
import { ANYBODY } from '../model/approver-rule.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { RunRow } from '../model/run-row.ts';
import type { Caller } from './caller.ts';
import type { DeskRules } from './desk-rules.ts';
import { ofApplication } from './of-application.ts';

/**
 * Throws unless somebody may answer a hold. What it goes by does not change while a hold waits, so it can
 * be asked before the answer is written.
 */
export async function requireMayAnswer(
  desk: Desk,
  caller: Caller,
  hold: HoldRow,
  rules: DeskRules,
): Promise<void> {
  const why = await whyMayNotAnswer(() => desk.run(hold.runId), caller, hold, rules);
  if (why !== undefined) throw mayNot(why);
}

/** Why somebody may not answer a hold, by its own rule and by what holds for all; `undefined` if they may. */
export async function whyMayNotAnswer(
  runOf: () => Promise<RunRow>,
  caller: Caller,
  hold: HoldRow,
  { mayAnswer, notRequester }: DeskRules,
): Promise<string | undefined> {
  const as = { by: caller.person, roles: caller.roles };
  const why = whyNotAnswer(hold, as);
  if (why !== undefined || (mayAnswer === undefined && !notRequester)) return why;
  const run = await runOf();
  const { requester, alsoAsked } = run;
  const approvers = { ...ANYBODY, notRequester };
  const whyNotHere = whyNotAnswer({ approvers, requester, alsoAsked }, as);
  if (whyNotHere !== undefined || mayAnswer === undefined) return whyNotHere;
  // Anything but a clear yes is a no.
  const said = await ofApplication('mayAnswer', async () => mayAnswer(caller, hold, run));
  return said === true ? undefined : 'You may not answer this hold.';
}

function mayNot(why: string): DeskError {
  return new DeskError('may-not-answer', `${why} Nothing was written.`);
}
