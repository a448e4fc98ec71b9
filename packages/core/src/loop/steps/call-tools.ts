import { deferAlwaysDeferred, executeBatch } from '../../execution/execute-batch.ts';
import { stepRecordOf } from '../../messages/step-record.ts';
import { checkBeforeToolCalls } from '../../usage/usage.ts';
import { applyEndStrategy } from '../end-strategy.ts';
import { recordApprovalRequests } from '../resume/approval-integrity.ts';
import { describeDeferred, restoreDeferral } from '../describe-deferred.ts';
import { Round } from '../round.ts';
import { parkingsBefore } from './park.ts';
import type { Run } from '../run.ts';
import type { FinishedRun } from '../../events/run-end.ts';
import type { CallTools, Step } from '../step.ts';
import { UnexpectedModelBehavior } from '../../errors/model-errors.ts';
import {
  isPlainText,
  type OutputOutcome,
  processNoOutput,
  processTextOutput,
} from '../../execution/process-output.ts';
import { type ModelResponse, textOf } from '../../messages/message.ts';
import type { RetryPromptPart } from '../../messages/request-part.ts';

/** Executes the tool calls of a response. The text of a response without calls becomes the output. */
export async function callTools(run: Run, { response, isResumed }: CallTools): Promise<Step> {
  // A provider that searches among the tools may call a tool that it has just found.
  if (run.nativeTools.some(({ kind }) => kind === 'tool-search'))
    await run.prepareTools(run.context());
  const calls = run.modelHistory.pendingCalls;
  if (calls.length === 0) return await finishWithText(run, response);
  if (run.setup.onToolCalls !== undefined) {
    await run.cancellation.guard(run.setup.onToolCalls(calls));
  }

  const round = new Round(run, calls);
  run.round = round;
  if (isResumed) await restoreDeferrals(run, round);
  checkBeforeToolCalls(run.limits, run.usage, round.unresolved(round.functionCalls).length);

  const text = acceptsTextAlongsideCalls(run, round)
    ? await tryTextOutput(run, response)
    : undefined;
  if (text !== undefined) round.skipAll(text.output);
  else if (round.outputCalls.length > 0) await applyEndStrategy(run, round);
  else await executeBatch(run, round.unresolved(round.functionCalls), round);
  round.trackDeferred(round.functionCalls);
  if (round.final !== undefined) return finish(run, round, round.final.output);
  run.outputRetriesUsed += round.failedOutputs;

  if (round.alwaysDeferredCalls.length > 0) {
    await deferAlwaysDeferred(run, round.unresolved(round.alwaysDeferredCalls), round);
    round.trackDeferred(round.alwaysDeferredCalls);
  }
  if (round.deferredCalls.length === 0) return { kind: 'request-model', parts: round.parts() };
  return await requestDecisions(run, round);
}

/** Restores the recorded deferrals, so that an approver does not review the same call twice. */
async function restoreDeferrals(run: Run, round: Round): Promise<void> {
  const record = stepRecordOf(run.messages);
  if (record === undefined) return;
  const alwaysDeferred = new Set(round.alwaysDeferredCalls);
  for (const batchCall of round.calls) {
    const { toolCallId } = batchCall.call;
    const open = record.open.get(toolCallId);
    if (open === undefined) continue;
    // A call that is always deferred is admitted again, unless it may have executed already.
    if (alwaysDeferred.has(batchCall) && !(open.kind === 'approval' && open.details?.inDoubt))
      continue;
    round.deferrals[batchCall.index] = await restoreDeferral(run, batchCall.call, open);
  }
}

/**
 * Returns whether valid JSON text alongside function calls is the output, as in the `early`
 * strategy.
 */
function acceptsTextAlongsideCalls(run: Run, round: Round): boolean {
  if (run.setup.endStrategy !== 'early' || run.outputPlan.text?.native === undefined) return false;
  return round.outputCalls.length === 0 && round.alwaysDeferredCalls.length === 0;
}

/** Ends the run with its output. Deferred calls are skipped. */
function finish(run: Run, round: Round, output: unknown): FinishedRun {
  round.skipDeferred();
  const parts = round.parts();
  if (parts.length > 0) run.append(run.request(parts));
  return { kind: 'finished', output };
}

/** Requests decisions about the deferred calls of a round. */
export async function requestDecisions(run: Run, round: Round): Promise<Step> {
  await describeDeferred(run, round);
  if (run.claims !== undefined) await run.cancellation.guard(recordApprovalRequests(run, round));
  const requests = round.requests(run, parkingsBefore(run, round));
  if (run.observed) await run.emit({ kind: 'deferred-requests', requests });
  return { kind: 'resolve-deferred', requests };
}

/** Makes the output from a response without tool calls, or requests another response from the model. */
async function finishWithText(run: Run, response: ModelResponse): Promise<Step> {
  const { text: textOutput, allowsNone } = run.outputPlan;
  const text = textOf(response);
  if (text !== '' && textOutput !== undefined) {
    if (isPlainText(run, textOutput)) return { kind: 'finished', output: text };
    return finishOrRetry(run, await processTextOutput(run, textOutput, text));
  }
  requireContent(response);
  if (text === '' && allowsNone) return finishOrRetry(run, await processNoOutput(run));
  return retryOutput(run, expectedOutput(run));
}

/** Throws if a response has no content because it was cut off or filtered: the next one would be as well. */
function requireContent({ parts, finishReason }: ModelResponse): void {
  const isThinking = parts.some(({ kind }) => kind === 'thinking');
  const hasContent = parts.some(
    (part) => part.kind !== 'thinking' && !(part.kind === 'text' && part.content === ''),
  );
  if (hasContent) return;
  if (finishReason === 'length') {
    throw new UnexpectedModelBehavior(
      'The model reached its token limit before it returned anything. Raise `maxTokens` in `modelSettings`, or shorten ' +
        'the prompt.',
    );
  }
  if (finishReason === 'content_filter' && !isThinking) {
    throw new UnexpectedModelBehavior(
      'The provider filtered the whole response, so there is no output. Change the prompt.',
    );
  }
}

/** Returns the output that the text of a response is; `undefined` if it is not a valid one. */
async function tryTextOutput(run: Run, response: ModelResponse): Promise<FinishedRun | undefined> {
  const text = textOf(response);
  if (text === '' || run.outputPlan.text === undefined) return undefined;
  const outcome = await processTextOutput(run, run.outputPlan.text, text);
  return outcome.kind === 'output' ? { kind: 'finished', output: outcome.output } : undefined;
}

function finishOrRetry(run: Run, outcome: OutputOutcome): Step {
  return outcome.kind === 'output'
    ? { kind: 'finished', output: outcome.output }
    : retryOutput(run, outcome.content, outcome.cause);
}

function retryOutput(run: Run, content: RetryPromptPart['content'], cause?: unknown): Step {
  if (run.outputRetriesUsed >= run.outputRetries) {
    throw new UnexpectedModelBehavior(
      `The model returned no valid output in ${run.outputRetries + 1} attempts. ` +
        'Raise `retries.output` of the agent, or simplify the output.',
      { cause: cause ?? content },
    );
  }
  run.outputRetriesUsed += 1;
  return { kind: 'request-model', parts: [Object.freeze({ kind: 'retry-prompt', content })] };
}

function expectedOutput(run: Run): string {
  const { text, tools } = run.outputPlan;
  const ways: string[] = [];
  if (text !== undefined) ways.push('respond with text');
  if (tools.size > 0) ways.push(`call ${[...tools.keys()].join(' or ')} with the output`);
  else if (run.tools.size > 0) ways.push('call a tool');
  if (run.outputPlan.allowsNone) ways.push('send an empty response');
  return `The response has no valid output. Please ${ways.join(' or ')}.`;
}
