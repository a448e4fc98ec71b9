import { applyAnswer } from '../../execution/apply-answer.ts';
import { executeBatch } from '../../execution/execute-batch.ts';
import { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { ApplyResults, Step } from '../step.ts';
import { userPrompt } from '../user-prompt.ts';
import { afterTools } from './call-tools.ts';
import { keepFinished } from './keep-finished.ts';

/** Runs the calls that were approved and tells the results of the others. The answers were checked before. */
export function applyResults(run: Run, { results }: ApplyResults): Promise<Step> {
  const answers = results.toToolCallResults();
  const round = new Round(run, run.openToolCalls());
  run.round = round;
  const calls = round.calls.map((placed) => {
    const { toolCallId } = placed.call;
    return applyAnswer(placed, answers[toolCallId]!, results.metadata[toolCallId]);
  });
  round.inCallOrder();
  return keepFinished(run, async () => {
    await executeBatch(run, calls, round);
    round.noteWaiting(round.calls);
    if (run.prompt !== undefined) round.prompt = userPrompt(run.prompt);
    return afterTools(run, round);
  });
}
