import { applyAnswers } from '../../execution/apply-answer.ts';
import { executeBatch, type PlacedCall } from '../../execution/execute-batch.ts';
import type { DeferredToolResults } from '../../deferred/results.ts';
import { NO_DETAILS } from '../../messages/call-details.ts';
import { readStepRecord, type WaitingCall } from '../../messages/step-record.ts';
import { recordedDeferral } from '../recorded-deferral.ts';
import { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { ApplyResults, Step } from '../step.ts';
import { userPrompt } from '../user-prompt.ts';
import { afterTools } from './call-tools.ts';
import { keepFinished } from './keep-finished.ts';

/** Runs the calls that were approved and tells the results of the others. The answers were checked before. */
export async function applyResults(run: Run, { results }: ApplyResults): Promise<Step> {
  const round = new Round(run, run.openToolCalls());
  run.round = round;
  round.inCallOrder();
  try {
    await executeBatch(run, await answeredCalls(run, round, results), round);
    round.noteWaiting(round.calls);
    if (run.prompt !== undefined) round.prompt = userPrompt(run.prompt);
    return await afterTools(run, round);
  } catch (error) {
    await keepFinished(run, round);
    throw error;
  }
}

/** What was known about a call when somebody was asked; nothing in histories from elsewhere. */
function askedBefore(open: WaitingCall | undefined) {
  return { details: open && (open.details ?? NO_DETAILS) };
}

/** The calls with their answers; those without one go on waiting. */
async function answeredCalls(
  run: Run,
  round: Round,
  results: DeferredToolResults,
): Promise<PlacedCall[]> {
  const record = readStepRecord(run.messages);
  const calls: PlacedCall[] = [];
  for (const placed of round.calls) {
    const { toolCallId } = placed.call;
    const open =
      record && Object.hasOwn(record.open, toolCallId) ? record.open[toolCallId] : undefined;
    const recorded = open?.kind === 'agent' ? open : askedBefore(open);
    const answered = applyAnswers(placed, recorded, results);
    if (answered !== undefined) calls.push(answered);
    else if (open) round.deferrals[placed.place] = await recordedDeferral(run, placed.call, open);
  }
  return calls;
}
