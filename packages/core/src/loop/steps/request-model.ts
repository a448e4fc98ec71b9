import { compose } from '../../capabilities/compose.ts';
import { Context } from '../../context/context.ts';
import { RequestState } from '../../context/request-state.ts';
import { traced } from '../../context/tracer.ts';
import { UserError } from '../../errors/user-errors.ts';
import { deepFreeze } from '../../internal/json.ts';
import type { ModelResponse, SpentUsage } from '../../messages/message.ts';
import type { ResponsePart } from '../../messages/response-part.ts';
import type { ModelCall, ModelResponseData } from '../../models/model.ts';
import { checkBeforeRequest, checkTokens } from '../../usage/limits.ts';
import { processHistory } from '../../capabilities/history-processor.ts';
import { emitWhole, streamReply } from '../model/stream.ts';
import type { Run } from '../run.ts';
import { mergedSettings } from '../model/settings.ts';
import { modelCallFor } from '../model/model-call.ts';
import type { RequestModel, Step } from '../step.ts';

/** Adds the request to the history, sends it to the model, and adds the response. */
export async function requestModel(run: Run, step: RequestModel): Promise<Step> {
  run.state.round = undefined;
  run.state.runStep += 1;
  run.counter.nextStep();

  const instructions = await addRequest(run, step);
  if (run.setup.historyProcessors.length > 0) await applyProcessors(run);
  await run.prepareTools();
  checkBeforeRequest(run.limits, run.usage);
  run.state.modelSettings = await mergedSettings(run);
  const reply = await receiveReply(run, modelCallFor(run, instructions));

  const response = stamp(run, reply);
  run.usage.addRequest(response.usage);
  run.state.unprocessedCount = 0;
  run.state.append(response);
  if (run.claims !== undefined) run.state.recordStepName();
  checkTokens(run.limits, run.usage);
  return { kind: 'call-tools', response };
}

/** Sends a request and returns the reply. If the reply breaks off, the parts that arrived stay in the history. */
async function receiveReply(run: Run, call: ModelCall): Promise<ModelResponseData> {
  run.state.streamed = false;
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
    // A model that does not stream, and a reply that was recorded before, arrive in one piece.
    if (run.setup.streaming && !run.state.streamed)
      await emitWhole(run, attempt.reply, !hasStarted);
    return attempt.reply;
  } catch (error) {
    recordPartialResponse(run);
    throw error;
  } finally {
    run.state.partialResponse = undefined;
  }
}

/** Adds the request to the history, also if the toolset or the instructions fail. Returns its instructions. */
async function addRequest(run: Run, { parts }: RequestModel): Promise<string | undefined> {
  let instructions: string | undefined;
  try {
    await run.toolset.enterStep();
    instructions = await run.instructions();
    return instructions;
  } finally {
    run.state.append(run.request(parts, instructions === undefined ? undefined : { instructions }));
  }
}

async function applyProcessors(run: Run): Promise<void> {
  const { historyProcessors } = run.setup;
  const before = { messages: run.state.messages.slice(), fresh: run.state.unprocessedCount };
  const { messages } = await processHistory(
    historyProcessors,
    before,
    run.context(),
    run.cancellation,
  );
  const same =
    messages.length === run.state.messages.length &&
    messages.every((message, index) => message === run.state.messages[index]);
  if (!same) run.state.replaceHistory(messages);
}

/** The outcome of a model request, as data. */
type ModelAttempt = (
  | { readonly kind: 'reply'; readonly reply: ModelResponseData }
  | { readonly kind: 'error'; readonly error: unknown }
) & {
  /** The usage of the hooks around the request, such as that of agents that they execute. */
  readonly spent?: SpentUsage | undefined;
};

/** Executes a request. Its outcome is data: nothing is thrown through the step. */
async function attemptRequest(run: Run, call: ModelCall): Promise<ModelAttempt> {
  const request = new RequestState();
  try {
    const reply = await requestTraced(run, call, request);
    return withSpent({ kind: 'reply', reply }, request);
  } catch (error) {
    return withSpent({ kind: 'error', error }, request);
  }
}

function withSpent(attempt: ModelAttempt, { spent }: RequestState): ModelAttempt {
  return spent === undefined ? attempt : { ...attempt, spent };
}

/** Records the parts of a reply that broke off. */
function recordPartialResponse(run: Run): void {
  const parts = run.state.partialResponse?.() ?? [];
  if (parts.length === 0) return;
  const modelName = run.model.name;
  run.state.append(Object.freeze({ ...stamp(run, { parts, modelName }), state: 'interrupted' }));
}

function requestTraced(
  run: Run,
  call: ModelCall,
  request: RequestState,
): Promise<ModelResponseData> {
  const attributes = () => ({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': run.model.system,
    'gen_ai.request.model': run.model.name,
  });
  return traced(run.tracer, `chat ${run.model.name}`, attributes, async (span) => {
    const reply = await requestWithHooks(run, call, request);
    span.setAttribute('gen_ai.usage.input_tokens', reply.usage?.inputTokens ?? 0);
    span.setAttribute('gen_ai.usage.output_tokens', reply.usage?.outputTokens ?? 0);
    return reply;
  });
}

function requestWithHooks(
  run: Run,
  call: ModelCall,
  request: RequestState,
): Promise<ModelResponseData> {
  const hooks = run.hooks.wrapModelRequest;
  if (hooks === undefined) return requestOnce(run, call);
  const ctx = new Context<never>(run, { request });
  return compose<(typeof hooks)[number], ModelCall, ModelResponseData>(
    hooks,
    call,
    async (hook, given, next) => checkedReply(await hook(given, next, ctx)),
    (given) => requestOnce(run, given),
  );
}

function checkedReply(reply: ModelResponseData): ModelResponseData {
  if (Array.isArray(reply?.parts)) return reply;
  throw new UserError(
    'A hook around a model request gave no reply. Return what next gives, or { parts: [ … ] }.',
  );
}

async function requestOnce(run: Run, call: ModelCall): Promise<ModelResponseData> {
  const { model } = run;
  if (!run.setup.streaming || model.stream === undefined) return model.request(call);
  const reply = await streamReply(run, model.stream(call));
  run.state.streamed = true;
  return reply;
}

/** Returns the reply as a frozen message of this run. */
function stamp(run: Run, reply: ModelResponseData): ModelResponse {
  const { runId, conversationId } = run;
  const parts = reply.parts.map((part) => withToolKind(run, freezeWithMembers(part)));
  if (reply.usage !== undefined) freezeWithMembers(reply.usage);
  if (reply.providerDetails !== undefined) deepFreeze(reply.providerDetails);
  return Object.freeze({
    kind: 'response',
    ...reply,
    parts: Object.freeze(parts),
    timestamp: reply.timestamp ?? run.timestamp(),
    runId,
    conversationId,
  });
}

/** Freezes an object of the reply, also the members of one that the model has frozen. */
function freezeWithMembers<Value extends object>(value: Value): Value {
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/** Marks a call whose tool has a meaning across providers. */
function withToolKind(run: Run, part: ResponsePart): ResponsePart {
  if (part.kind !== 'tool-call' || part.toolKind !== undefined) return part;
  const toolKind = run.tools.get(part.toolName)?.definition.toolKind;
  return toolKind === undefined ? part : Object.freeze({ ...part, toolKind });
}
