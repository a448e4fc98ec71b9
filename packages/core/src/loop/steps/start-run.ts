import { JsonPath, userPromptFormat } from '../../messages/codec/index.ts';
import { quoteCalls, UserError } from '../../errors/user-errors.ts';
import { invariant } from '../../internal/invariant.ts';
import type { UserContent, UserPrompt } from '../../messages/content.ts';
import { lastResponse, type Message, type ModelRequest } from '../../messages/message.ts';
import type { RequestPart, UserPromptPart } from '../../messages/request-part.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import { stepRecordOf } from '../../messages/step-record.ts';
import { isAlwaysDeferred } from '../../models/tool-definition.ts';
import { validateResume } from '../resume/validate-resume.ts';
import type { Run } from '../run.ts';
import type { Step } from '../step.ts';

/** Returns the first step of a run: from decisions, a prompt, pending calls, or a request without a response. */
export async function startRun(run: Run): Promise<Step> {
  const { deferredToolResults } = run.setup;
  if (deferredToolResults !== undefined) {
    const { step, results } = await validateResume(run, deferredToolResults);
    run.parkedStep = step;
    return { kind: 'apply-results', results };
  }
  const last = run.messages.at(-1);
  if (last === undefined) {
    const { systemPrompts } = run.setup;
    const parts: RequestPart[] =
      systemPrompts.length === 0 ? [] : await renderSystemPrompts(run, systemPrompts);
    if (run.prompt !== undefined) parts.push(userPromptPart(run.prompt));
    return parts.length > 0 ? { kind: 'request-model', parts } : await requestWithInstructions(run);
  }
  if (run.prompt !== undefined) return requestWithPrompt(run, run.prompt);
  if (run.pendingToolCalls().length > 0 || last.kind === 'response')
    return await continueFromResponse(run);
  return resendRequest(run, last);
}

async function renderSystemPrompts(
  run: Run,
  prompts: Run['setup']['systemPrompts'],
): Promise<RequestPart[]> {
  const parts: RequestPart[] = [];
  for (const prompt of prompts) {
    const content =
      typeof prompt === 'string' ? prompt : await run.cancellation.guard(prompt(run.context()));
    if (content) parts.push(Object.freeze({ kind: 'system-prompt', content }));
  }
  return parts;
}

async function requestWithInstructions(run: Run): Promise<Step> {
  if ((await run.instructions(run.context())) !== undefined)
    return { kind: 'request-model', parts: [] };
  run.append(run.request([]));
  throw new UserError(
    'The run has no prompt, no history and no instructions, so there is nothing to send. Pass one of them.',
  );
}

function requestWithPrompt(run: Run, prompt: UserPrompt): Step {
  const pending = run.pendingToolCalls();
  const mayCancel = wasInterrupted(run.messages) || run.setup.onPendingCalls === 'cancel';
  if (pending.length > 0 && !mayCancel) {
    throw new UserError(
      `The history ends with pending calls: ${quoteCalls(pending)}. A model accepts no prompt before their results. Pass ` +
        "`deferredToolResults`, or set `onPendingCalls: 'cancel'` to cancel the calls.",
      { code: 'pending-calls' },
    );
  }
  if (run.modelHistory.pendingCalls.length > 0) cancelPendingCalls(run);
  return { kind: 'request-model', parts: [userPromptPart(prompt)] };
}

/** Returns a prompt as a part of a request. It is a frozen copy, because the caller may change the prompt. */
export function userPromptPart(prompt: UserPrompt): UserPromptPart {
  const content =
    typeof prompt === 'string' ? prompt : userPromptFormat.read(prompt, JsonPath.of('prompt'));
  return Object.freeze({ kind: 'user-prompt', content });
}

/** Returns whether the last response, or the request after it, was interrupted. */
function wasInterrupted(messages: readonly Message[]): boolean {
  return (
    messages.at(-1)?.state === 'interrupted' || lastResponse(messages)?.state === 'interrupted'
  );
}

/** Cancels pending calls in the history, not only in the model history. */
function cancelPendingCalls(run: Run, except?: ReadonlySet<ToolCallPart>): void {
  const { length } = run.modelHistory.messages;
  const hasRecord = run.messages.length !== length;
  const pending = run.modelHistory.pendingCalls.filter((call) => !except?.has(call));
  run.modelHistory.cancelPendingCalls(except);
  const { messages } = run.modelHistory;
  const cancelled = invariant(messages.at(-1), 'cancelled calls follow a response');
  if (hasRecord) {
    // The step record is on a request between the real results and the synthetic ones.
    const ids = new Set(pending.map((call) => call.toolCallId));
    const parts = (cancelled as ModelRequest).parts.filter(
      (part) =>
        part.kind === 'tool-return' && part.outcome === 'interrupted' && ids.has(part.toolCallId),
    );
    run.messages.push(Object.freeze({ kind: 'request', parts: Object.freeze(parts) }));
    run.unprocessedCount += 1;
  } else if (messages.length === length) {
    run.replaceLast(() => cancelled);
  } else {
    run.messages.push(cancelled);
    run.unprocessedCount += 1;
  }
  run.firstNewIndex = run.messages.length;
}

/** Sends the last request of the history again: it has no response. It keeps its ids, and does not count as new. */
function resendRequest(run: Run, request: ModelRequest): Step {
  run.prompt = promptOf(request);
  run.resent = request;
  run.dropLast();
  return { kind: 'request-model', parts: request.parts };
}

function promptOf(request: ModelRequest): UserPrompt | undefined {
  const prompts: UserPrompt[] = [];
  for (const part of request.parts) if (part.kind === 'user-prompt') prompts.push(part.content);
  if (prompts.length < 2) return prompts[0];
  return prompts.flatMap((prompt): readonly UserContent[] =>
    typeof prompt === 'string' ? [prompt] : prompt,
  );
}

/** Continues from the last response: with its pending calls, or with its text as the output. */
async function continueFromResponse(run: Run): Promise<Step> {
  const response = invariant(lastResponse(run.messages), 'a history with calls has a response');
  if (run.modelHistory.pendingCalls.length === 0) {
    await run.enterStep();
    run.isStepEntered = true;
    return (await run.instructions(run.context())) === undefined
      ? { kind: 'call-tools', response }
      : { kind: 'request-model', parts: [] };
  }
  await run.toolset.enterStep();
  await run.prepareTools(run.context());
  if (wasInterrupted(run.messages)) cancelPendingCalls(run, unstartedCalls(run));
  const last = invariant(run.messages.at(-1), 'the history has a response');
  return last.kind === 'request' && run.pendingToolCalls().length === 0
    ? resendRequest(run, last)
    : { kind: 'call-tools', response, isResumed: true };
}

/** Returns the pending calls that did not start: their tools always defer, or their deferral is recorded. */
function unstartedCalls(run: Run): ReadonlySet<ToolCallPart> {
  const record = stepRecordOf(run.messages);
  return new Set(
    run.pendingToolCalls().filter(({ toolName, toolCallId }) => {
      const definition = run.tools.get(toolName)?.definition;
      const recorded = record?.open.has(toolCallId);
      return recorded || (definition !== undefined && isAlwaysDeferred(definition));
    }),
  );
}
