import { deferMarked } from '../../execution/execute-batch.ts';
import { type ModelResponse, toolCallsOf } from '../../messages/message.ts';
import { readStepRecord } from '../../messages/step-record.ts';
import { checkBeforeToolCalls } from '../../usage/limits.ts';
import { applyEndStrategy } from '../end-strategy.ts';
import { noteAsked } from '../asked-calls.ts';
import { describeWaiting } from '../describe-waiting.ts';
import { recordedDeferral } from '../recorded-deferral.ts';
import { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { Finished } from '../../capabilities/ended.ts';
import type { CallTools, Step } from '../step.ts';
import { keepFinished } from './keep-finished.ts';
import { takeAnswer, tryAnswer } from './take-answer.ts';

/** Runs the tool calls of a response; without any, the answer itself is taken. */
export async function callTools(run: Run, step: CallTools): Promise<Step> {
  const { response, isOld } = step;
  // A provider that searches among the tools may call what it has just found.
  if (run.nativeTools.some(({ kind }) => kind === 'tool-search')) await run.prepareTools();
  const calls = isOld ? run.wire.openCalls : toolCallsOf(response);
  if (calls.length === 0) return takeAnswer(run, response);
  const round = new Round(run, calls);
  run.round = round;
  if (isOld) await keepWaiting(run, round);
  checkBeforeToolCalls(run.limits, run.usage, round.toRun(round.functionCalls).length);
  return keepFinished(run, async () => {
    const answer = await answerBesideTools(run, round, response);
    if (answer === undefined) await applyEndStrategy(run, round);
    else round.skipAll(answer.output);
    round.noteWaiting(round.functionCalls);
    return nextStep(run, round);
  });
}

/** Calls that are recorded as waiting go on waiting: their tools are not asked again. */
async function keepWaiting(run: Run, round: Round): Promise<void> {
  const record = readStepRecord(run.messages);
  if (record === undefined) return;
  for (const { call, place } of round.functionCalls) {
    if (!Object.hasOwn(record.open, call.toolCallId)) continue;
    round.deferrals[place] = await recordedDeferral(run, call, record.open[call.toolCallId]!);
  }
}

/** With the `early` strategy, valid JSON text beside plain function calls is the output. */
async function answerBesideTools(
  run: Run,
  round: Round,
  response: ModelResponse,
): Promise<Finished | undefined> {
  if (run.setup.endStrategy !== 'early' || run.outputPlan.text?.native === undefined)
    return undefined;
  const onlyFunctions = round.outputCalls.length === 0 && round.markedCalls.length === 0;
  return onlyFunctions ? tryAnswer(run, response) : undefined;
}

async function nextStep(run: Run, round: Round): Promise<Step> {
  if (round.final !== undefined) {
    round.skipDeferred();
    const parts = round.parts();
    if (parts.length > 0) run.append(run.request(parts));
    return { kind: 'finished', output: round.final.output };
  }
  if (round.outputFailed) run.outputRetriesUsed += 1;
  if (round.markedCalls.length > 0) await deferMarked(run, round.markedCalls, round);
  round.noteWaiting(round.markedCalls);
  return afterTools(run, round);
}

/** With calls that wait, they are to be answered; otherwise the results go to the model. */
export async function afterTools(run: Run, round: Round): Promise<Step> {
  if (round.waiting.length === 0) return { kind: 'request-model', parts: round.parts() };
  await describeWaiting(run, round);
  if (run.claims !== undefined) await run.cancellation.guard(noteAsked(run, round));
  const requests = round.requests();
  if (run.observed) await run.emit({ kind: 'deferred-requests', requests });
  return { kind: 'resolve-deferred', requests };
}
