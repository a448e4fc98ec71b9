import { chain, type MaybePromise } from '../../context/chain.ts';
import { deferMarked } from '../../execution/defer-marked.ts';
import type { ModelResponse } from '../../messages/message.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { recordOf } from '../../messages/step-record.ts';
import { checkBeforeToolCalls } from '../../usage/limits.ts';
import { applyEndStrategy } from '../end-strategy.ts';
import { noteAsked } from '../asked-calls.ts';
import { describeWaiting } from '../describe-waiting.ts';
import { recordedDeferral } from '../recorded-deferral.ts';
import { Round } from '../round.ts';
import type { Run } from '../run.ts';
import type { FinishedRun } from '../../capabilities/ended.ts';
import type { CallTools, Step } from '../step.ts';
import { takeAnswer, tryAnswer } from './take-answer.ts';

/** Runs the tool calls of a response; without any, the answer itself is taken. */
export function callTools(run: Run, step: CallTools): MaybePromise<Step> {
  // A provider that searches among the tools may call what it has just found.
  const searches = run.nativeTools.some(({ kind }) => kind === 'tool-search');
  return chain(searches ? run.prepareTools() : undefined, () => {
    const calls = run.wire.openCalls;
    if (calls.length === 0) return takeAnswer(run, step.response);
    return run.setup.onToolCalls === undefined
      ? runCalls(run, step, calls)
      : runReportedCalls(run, step, calls);
  });
}

async function runReportedCalls(
  run: Run,
  step: CallTools,
  calls: readonly ToolCallPart[],
): Promise<Step> {
  await run.cancellation.wait(run.setup.onToolCalls?.(calls));
  return runCalls(run, step, calls);
}

function runCalls(
  run: Run,
  { response, isOld }: CallTools,
  calls: readonly ToolCallPart[],
): MaybePromise<Step> {
  const round = new Round(run, calls);
  run.round = round;
  return chain(isOld ? keepWaiting(run, round) : undefined, () => {
    checkBeforeToolCalls(run.limits, run.usage, round.toRun(round.functionCalls).length);
    return chain(execute(run, round, response), () => afterExecution(run, round));
  });
}

/** Runs the calls that nobody has to be asked about. */
function execute(run: Run, round: Round, response: ModelResponse): MaybePromise<unknown> {
  if (mayAnswerBeside(run, round)) return answerOrExecute(run, round, response);
  const waitsOnly = round.markedCalls.length === round.calls.length;
  return waitsOnly ? undefined : applyEndStrategy(run, round);
}

async function answerOrExecute(run: Run, round: Round, response: ModelResponse): Promise<void> {
  const answer = await tryAnswer(run, response);
  if (answer === undefined) await applyEndStrategy(run, round);
  else round.skipAll(answer.output);
}

/** With an output the run is over; otherwise somebody is asked about the calls that always wait. */
function afterExecution(run: Run, round: Round): MaybePromise<Step> {
  round.noteWaiting(round.functionCalls);
  if (round.final !== undefined) return finish(run, round, round.final.output);
  if (round.outputFailed) run.outputRetriesUsed += 1;
  return chain(deferMarked(run, round.toRun(round.markedCalls), round), () => {
    round.noteWaiting(round.markedCalls);
    return afterTools(run, round);
  });
}

/** Calls that are recorded as waiting go on waiting: their tools are not asked again. */
async function keepWaiting(run: Run, round: Round): Promise<void> {
  const record = recordOf(run.messages);
  if (record === undefined) return;
  const marked = new Set(round.markedCalls);
  for (const placed of round.calls) {
    const { toolCallId } = placed.call;
    const open = record.open.get(toolCallId);
    if (open === undefined) continue;
    // Calls to tools that always ask are looked at anew, unless it is known that they may have run.
    if (marked.has(placed) && !(open.kind === 'approval' && open.details?.inDoubt)) continue;
    round.deferrals[placed.place] = await recordedDeferral(run, placed.call, open);
  }
}

/** With the `early` strategy, valid JSON text beside plain function calls is the output. */
function mayAnswerBeside(run: Run, round: Round): boolean {
  if (run.setup.endStrategy !== 'early' || run.outputPlan.text?.native === undefined) return false;
  return round.outputCalls.length === 0 && round.markedCalls.length === 0;
}

/** The run has its output: what would have to wait is closed. */
function finish(run: Run, round: Round, output: unknown): FinishedRun {
  round.skipDeferred();
  const parts = round.parts();
  if (parts.length > 0) run.append(run.request(parts));
  return { kind: 'finished', output };
}

/** With calls that wait, they are to be answered; otherwise the results go to the model. */
export function afterTools(run: Run, round: Round): MaybePromise<Step> {
  return round.waiting.length === 0
    ? { kind: 'request-model', parts: round.parts() }
    : chain(describeWaiting(run, round), () => askFor(run, round));
}

function askFor(run: Run, round: Round): MaybePromise<Step> {
  const noting = run.claims && run.cancellation.guard(noteAsked(run, round));
  return chain(noting, () => {
    const requests = round.requests(run);
    const telling = run.observed ? run.emit({ kind: 'deferred-requests', requests }) : undefined;
    return chain(telling, () => ({ kind: 'resolve-deferred', requests }));
  });
}
