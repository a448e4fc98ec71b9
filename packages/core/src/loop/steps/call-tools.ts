import { type ModelResponse, toolCallsOf } from '../../messages/message.ts';
import { checkBeforeToolCalls } from '../../usage/limits.ts';
import { applyEndStrategy } from '../end-strategy.ts';
import { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { CallTools, Finished, Step } from '../step.ts';
import { takeAnswer, tryAnswer } from './take-answer.ts';

/** Runs the tool calls of a response; without any, the answer itself is taken. */
export async function callTools(run: Run, step: CallTools): Promise<Step> {
  const { response } = step;
  const calls = toolCallsOf(response);
  if (calls.length === 0) return takeAnswer(run, response);
  const round = new Round(run, calls);
  checkBeforeToolCalls(run.limits, run.usage, round.functionCalls.length);
  try {
    const answer = await answerBesideTools(run, round, response);
    if (answer === undefined) await applyEndStrategy(run, round);
    else round.skipAll(answer.output);
  } catch (error) {
    const finished = round.parts();
    if (finished.length > 0) run.append(run.request(finished, { state: 'interrupted' }));
    throw error;
  }
  return nextStep(run, round);
}

/** With the `early` strategy, valid JSON text beside plain function calls is the output. */
async function answerBesideTools(
  run: Run,
  round: Round,
  response: ModelResponse,
): Promise<Finished | undefined> {
  if (run.setup.endStrategy !== 'early' || run.outputPlan.text?.native === undefined)
    return undefined;
  return round.outputCalls.length === 0 ? tryAnswer(run, response) : undefined;
}

function nextStep(run: Run, round: Round): Step {
  const parts = round.parts();
  if (round.final === undefined) {
    if (round.outputFailed) run.outputRetriesUsed += 1;
    return { kind: 'request-model', parts };
  }
  if (parts.length > 0) run.append(run.request(parts));
  return { kind: 'finished', output: round.final.output };
}
