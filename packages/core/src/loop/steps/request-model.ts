import { applyHistoryProcessors } from '../../capabilities/history-processor.ts';
import { compose, type HookSet } from '../../capabilities/hook-set.ts';
import { Context, RequestState } from '../../context/context.ts';
import { withToolKind } from '../../messages/tool-kind.ts';
import type { RunContext } from '../../context/run-context.ts';
import { UserError } from '../../errors/user-errors.ts';
import { deepFreeze } from '../../internal/json.ts';
import type { Message, ModelResponse, SpentUsage } from '../../messages/message.ts';
import type { Model, ModelCall, ModelResponseData, SnapshotCall } from '../../models/model.ts';
import { mergeSettings, type ModelSettings } from '../../models/settings.ts';
import { checkBeforeRequest, checkTokens } from '../../usage/usage.ts';
import { emitComplete, streamResponse } from '../model/stream.ts';
import type { Run } from '../run.ts';
import type { RequestModel, Step } from '../step.ts';

/** Adds the request to the history, sends it to the model, and adds the response. */
export async function requestModel(run: Run, { parts }: RequestModel): Promise<Step> {
  run.round = undefined;
  const request = run.request(parts);
  run.resent = undefined;
  // The toolset and the instructions see the request. The history has it also if one of them fails.
  run.messages.push(request);
  let ctx: RunContext<never>;
  let instructions: string | undefined;
  try {
    await run.enterStep();
    ctx = new Context<never>(run);
    const given =
      run.setup.instructions.length === 0
        ? run.toolset.current.getInstructions?.(ctx)
        : run.instructions(ctx);
    instructions =
      (typeof given === 'object' ? await run.cancellation.guard(given) : given) || undefined;
  } finally {
    run.messages.pop();
    run.append(instructions === undefined ? request : Object.freeze({ ...request, instructions }));
  }
  if (run.setup.historyProcessors.length > 0) await applyProcessors(run, ctx);
  checkBeforeRequest(run.limits, run.usage);
  run.modelSettings =
    run.setup.settings.length === 0 ? run.model.settings : await mergedSettings(run, ctx);

  const received = await sendRequest(run, modelCallFor(run, instructions));
  const response = toMessage(run, received);
  run.usage.addRequest(response.usage);
  run.unprocessedCount = 0;
  run.append(response);
  if (run.claims !== undefined) run.recordStepName();
  if (run.limits !== undefined) checkTokens(run.limits, run.usage);
  return { kind: 'call-tools', response };
}

async function applyProcessors(run: Run, ctx: RunContext<never>): Promise<void> {
  const { historyProcessors } = run.setup;
  const before = { messages: run.messages.slice(), unprocessedCount: run.unprocessedCount };
  const { messages } = await applyHistoryProcessors(
    historyProcessors,
    before,
    ctx,
    run.cancellation,
  );
  const isSame =
    messages.length === run.messages.length &&
    messages.every((message, index) => message === run.messages[index]);
  if (isSame) return;
  run.replaceHistory(messages);
  // The processors may have removed the search that found a hidden tool.
  if (run.hasToolSearch) await run.prepareTools(ctx);
}

/** Merges the settings for the next request; later sources win over earlier ones and over the model. */
async function mergedSettings(
  run: Run,
  ctx: RunContext<never>,
): Promise<ModelSettings | undefined> {
  let merged = run.model.settings;
  for (const source of run.setup.settings) {
    const layer = typeof source === 'function' ? await run.cancellation.guard(source(ctx)) : source;
    merged = mergeSettings(merged, layer);
  }
  return merged;
}

/** Returns the model call of the current step. Pending calls are closed in the model history. */
function modelCallFor(run: Run, instructions: string | undefined): SnapshotCall {
  const { text, definitions: outputTools } = run.outputPlan;
  run.modelHistory.cancelPendingCalls();
  const historySnapshot = run.modelHistory.snapshot();
  return {
    historySnapshot,
    messages: historySnapshot.messages,
    instructions: instructions ?? instructionsBefore(historySnapshot.messages),
    functionTools: run.definitions,
    outputTools,
    nativeTools: run.nativeTools,
    allowText: text !== undefined,
    outputSchema: text?.native,
    settings: run.modelSettings,
    signal: run.cancellation.signal,
  };
}

/**
 * Returns the instructions of the request that the last one continues: a request with only results
 * or retries, and without its own instructions, belongs to the same exchange.
 */
function instructionsBefore(messages: readonly Message[]): string | undefined {
  const last = messages.at(-1);
  if (last?.kind !== 'request') return undefined;
  if (last.instructions) return last.instructions;
  const isContinued = last.parts.every(
    ({ kind }) => kind === 'tool-return' || kind === 'retry-prompt',
  );
  if (!isContinued) return undefined;
  const previous = messages.findLast((one) => one.kind === 'request' && one !== last);
  return previous?.kind === 'request' ? previous.instructions : undefined;
}

/** Sends a request and returns the response. If it breaks off, the parts that arrived stay in the history. */
async function sendRequest(run: Run, call: ModelCall): Promise<ModelResponseData> {
  run.streamed = false;
  run.isStreaming = run.setup.isStreaming();
  try {
    let hasStarted = false;
    const step = run.environment.step('model', () => {
      hasStarted = true;
      return attemptRequest(run, call);
    });
    const attempt = await run.cancellation.guard(step);
    // The usage of the hooks of a recorded request is not yet counted in this run.
    if (!hasStarted && attempt.spent !== undefined) run.usage.add(attempt.spent);
    if (attempt.kind === 'error') throw attempt.error;
    // A model that does not stream, and a recorded response, arrive in one piece.
    if (run.isStreaming && !run.streamed) await emitComplete(run, attempt.response, !hasStarted);
    return attempt.response;
  } catch (error) {
    recordPartialResponse(run);
    throw error;
  } finally {
    run.partialResponse = undefined;
  }
}

/** The outcome of a model request, as data. */
type ModelAttempt = (
  | { readonly kind: 'response'; readonly response: ModelResponseData }
  | { readonly kind: 'error'; readonly error: unknown }
) & {
  /** The usage of the hooks around the request, such as that of agents that they execute. */
  readonly spent?: SpentUsage | undefined;
};

/** Executes a request. Its outcome is data: nothing is thrown through the step. */
async function attemptRequest(run: Run, call: ModelCall): Promise<ModelAttempt> {
  const hooks = run.hooks.wrapModelRequest;
  const request = new RequestState();
  try {
    const response = await (hooks === undefined
      ? requestOnce(run, call)
      : requestWithHooks(run, hooks, call, request));
    return { kind: 'response', response, spent: hooks && request.spent };
  } catch (error) {
    return { kind: 'error', error, spent: hooks && request.spent };
  }
}

/** Records the parts of a response that broke off. */
function recordPartialResponse(run: Run): void {
  const parts = run.partialResponse?.() ?? [];
  if (parts.length === 0) return;
  const modelName = run.model.name;
  run.append(Object.freeze({ ...toMessage(run, { parts, modelName }), state: 'interrupted' }));
}

/** Sends a request inside the hooks of the run. */
function requestWithHooks(
  run: Run,
  hooks: NonNullable<HookSet['wrapModelRequest']>,
  call: ModelCall,
  request: RequestState,
): Promise<ModelResponseData> {
  const ctx = new Context<never>(run, { request });
  return compose<(typeof hooks)[number], ModelCall, ModelResponseData>(
    hooks,
    call,
    async (hook, given, next) =>
      requireResponse(await hook(given, next, ctx), {
        source: 'A `wrapModelRequest` hook',
        advice: 'Return the value of `next(call)`, or `{ parts: [ … ] }`.',
      }),
    (given) => requestOnce(run, given),
  );
}

function requireResponse(
  response: ModelResponseData,
  { source, advice }: { readonly source: string; readonly advice: string },
): ModelResponseData {
  if (Array.isArray(response?.parts)) return response;
  throw new UserError(`${source} returned no response. ${advice}`);
}

async function requestOnce(run: Run, call: ModelCall): Promise<ModelResponseData> {
  const { model } = run;
  if (run.isStreaming && model.stream !== undefined) {
    return requestStreamed(run, model.stream(call));
  }
  return requireResponse(await model.request(call), {
    source: `Model \`${model.name}\``,
    advice: 'Return `{ parts: [ … ] }`.',
  });
}

async function requestStreamed(
  run: Run,
  stream: ReturnType<NonNullable<Model['stream']>>,
): Promise<ModelResponseData> {
  const response = await streamResponse(run, stream);
  run.streamed = true;
  return response;
}

/** Returns the response as a frozen message of this run. */
function toMessage(run: Run, received: ModelResponseData): ModelResponse {
  const { usage, providerDetails, timestamp } = received;
  const parts = received.parts.map((part) => {
    freezeWithMembers(part);
    if (part.kind !== 'tool-call' || part.toolKind !== undefined) return part;
    // Some tools have a meaning across providers.
    const toolKind = run.tools.get(part.toolName)?.definition.toolKind;
    return toolKind === undefined ? part : withToolKind(part, toolKind);
  });
  if (usage !== undefined) freezeWithMembers(usage);
  if (providerDetails !== undefined) deepFreeze(providerDetails);
  return Object.freeze({
    kind: 'response',
    ...received,
    parts: Object.freeze(parts),
    timestamp: timestamp ?? new Date(run.environment.now()).toISOString(),
    runId: run.runId,
    conversationId: run.conversationId,
  });
}

/** Freezes an object of the response. The model may have frozen it without its members. */
function freezeWithMembers(value: object): void {
  for (const member of Object.values(value)) {
    if (typeof member === 'object') deepFreeze(member);
  }
  Object.freeze(value);
}
