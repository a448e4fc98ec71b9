import { compose } from '../../capabilities/compose.ts';
import { chain, type MaybePromise } from '../../context/chain.ts';
import { Context } from '../../context/context.ts';
import { RequestScope } from '../../context/request-scope.ts';
import { noopTracer, traced } from '../../context/tracer.ts';
import { UserError } from '../../errors/user-error.ts';
import { deepFreeze } from '../../messages/json.ts';
import type {
  ModelRequest,
  ModelResponse,
  RequestUsage,
  SpentUsage,
} from '../../messages/message.ts';
import type { ResponsePart } from '../../messages/response-part.ts';
import type { ModelCall, ModelReply } from '../../models/model.ts';
import { checkBeforeRequest, checkTokens } from '../../usage/limits.ts';
import { processHistory } from '../../capabilities/history-processor.ts';
import { emitWhole, streamReply } from '../model-stream.ts';
import type { Run } from '../run.ts';
import { mergedSettings } from '../run-settings.ts';
import { RunModelCall } from '../run-model-call.ts';
import type { RequestModel, Step } from '../step.ts';

/** Adds the request to the history, asks the model, and adds its answer; of one that breaks off, what came in. */
export async function requestModel(run: Run, step: RequestModel): Promise<Step> {
  run.round = undefined;
  run.runStep += 1;
  run.counter.nextStep();
  const adding = addRequest(run, step);
  const request = adding instanceof Promise ? await adding : adding;
  if (run.setup.historyProcessors.length > 0) await applyProcessors(run);
  const preparing = run.prepareTools();
  if (preparing instanceof Promise) await preparing;
  checkBeforeRequest(run.limits, run.usage);
  const settings = mergedSettings(run);
  run.modelSettings = settings instanceof Promise ? await settings : settings;
  const call = new RunModelCall(run, request.instructions);
  let reply: ModelReply;
  run.streamed = false;
  try {
    let hasStarted = false;
    const asking = run.environment.step('model', () => {
      hasStarted = true;
      return attempt(run, call);
    });
    const asked = await run.cancellation.guard(asking);
    // A recorded request: what its hooks used was not counted in this attempt.
    if (!hasStarted && asked.spent !== undefined) run.usage.add(asked.spent);
    reply = replyOf(asked);
    // A model that does not stream, and an answer that was recorded before, come in one piece.
    if (run.setup.streaming && !run.streamed) await emitWhole(run, reply, !hasStarted);
  } catch (error) {
    keepReceived(run);
    throw error;
  } finally {
    run.receiving = undefined;
  }
  const response = stamp(run, reply);
  run.usage.addRequest(response.usage);
  run.fresh = 0;
  run.append(response);
  if (run.claims !== undefined) run.nameStep();
  checkTokens(run.limits, run.usage);
  return { kind: 'call-tools', response };
}

/** The request is part of the history even if its tools cannot be made ready. */
function addRequest(run: Run, { parts }: RequestModel): MaybePromise<ModelRequest> {
  const add = (instructions?: string): ModelRequest => {
    const request = run.request(parts, instructions === undefined ? undefined : { instructions });
    run.append(request);
    return request;
  };
  const fail = (error: unknown): never => {
    add();
    throw error;
  };
  let told: MaybePromise<string | undefined>;
  try {
    told = chain(run.toolset.enterStep(), () => run.instructions());
  } catch (error) {
    return fail(error);
  }
  return told instanceof Promise ? told.then(add, fail) : add(told);
}

async function applyProcessors(run: Run): Promise<void> {
  const { historyProcessors } = run.setup;
  const before = { messages: run.messages.slice(), fresh: run.fresh };
  const { messages } = await processHistory(
    historyProcessors,
    before,
    run.context(),
    run.cancellation,
  );
  const same =
    messages.length === run.messages.length &&
    messages.every((message, index) => message === run.messages[index]);
  if (!same) run.replaceHistory(messages);
}

/** How a model request ended, as data. */
type Asked = (
  | { readonly kind: 'reply'; readonly reply: ModelReply }
  | { readonly kind: 'error'; readonly error: unknown }
) & {
  /** The usage of hooks around the request, such as that of agents that they run. */
  readonly spent?: SpentUsage | undefined;
};

function replyOf(asked: Asked): ModelReply {
  if (asked.kind === 'error') throw asked.error;
  return asked.reply;
}

/** Executes a request. Its outcome is data: nothing is thrown through the step. */
async function attempt(run: Run, call: ModelCall): Promise<Asked> {
  const request = new RequestScope();
  try {
    const reply = await askTraced(run, call, request);
    return withSpent({ kind: 'reply', reply }, request);
  } catch (error) {
    return withSpent({ kind: 'error', error }, request);
  }
}

function withSpent(asked: Asked, { spent }: RequestScope): Asked {
  return spent === undefined ? asked : { ...asked, spent };
}

/** Keeps what came in of an answer that broke off. */
function keepReceived(run: Run): void {
  const parts = run.receiving?.() ?? [];
  if (parts.length === 0) return;
  const modelName = run.model.name;
  run.append(Object.freeze({ ...stamp(run, { parts, modelName }), state: 'interrupted' }));
}

function askTraced(run: Run, call: ModelCall, request: RequestScope): Promise<ModelReply> {
  if (run.tracer === noopTracer) return askModel(run, call, request);
  const attributes = () => ({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': run.model.system,
    'gen_ai.request.model': run.model.name,
  });
  return traced(run.tracer, `chat ${run.model.name}`, attributes, async (span) => {
    const reply = await askModel(run, call, request);
    span.setAttribute('gen_ai.usage.input_tokens', reply.usage?.inputTokens ?? 0);
    span.setAttribute('gen_ai.usage.output_tokens', reply.usage?.outputTokens ?? 0);
    return reply;
  });
}

function askModel(run: Run, call: ModelCall, request: RequestScope): Promise<ModelReply> {
  const hooks = run.hooks.wrapModelRequest;
  if (hooks === undefined) return askOnce(run, call);
  const ctx = new Context<never>(run, { request });
  // A plain object, so that a hook can copy it with everything that is in it.
  const plain: ModelCall = { ...call, signal: call.signal };
  return compose<(typeof hooks)[number], ModelCall, ModelReply>(
    hooks,
    plain,
    async (hook, given, next) => checkedReply(await hook(given, next, ctx)),
    (given) => askOnce(run, given),
  );
}

function checkedReply(reply: ModelReply): ModelReply {
  if (Array.isArray(reply?.parts)) return reply;
  throw new UserError(
    'A hook around a model request gave no reply. Return what next gives, or { parts: [ … ] }.',
  );
}

function askOnce(run: Run, call: ModelCall): Promise<ModelReply> {
  const { model } = run;
  if (!run.setup.streaming || model.stream === undefined) {
    // A model may answer at once.
    return Promise.resolve(model.request(call));
  }
  return streamReply(run, model.stream(call)).then((reply) => {
    run.streamed = true;
    return reply;
  });
}

/** The reply as a message of this run. */
function stamp(run: Run, reply: ModelReply): ModelResponse {
  const { runId, conversationId } = run;
  // A copy has no room left for more, and is of one kind, whatever the model has made its list with.
  const parts = [...reply.parts];
  for (let index = 0; index < parts.length; index++) {
    freezePart(parts[index]!);
    if (run.hasToolKinds) parts[index] = withToolKind(run, parts[index]!);
  }
  if (reply.usage !== undefined) freezeUsage(reply.usage);
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

function freezeUsage(usage: RequestUsage): void {
  if (usage.details !== undefined) Object.freeze(usage.details);
  Object.freeze(usage);
}

/** Freezes a part of the reply, which the run has taken over. */
function freezePart(part: ResponsePart): void {
  // The two kinds that most parts are of hold nothing to look for but these.
  if (part.kind === 'text' || part.kind === 'tool-call') {
    if (part.providerDetails !== undefined) deepFreeze(part.providerDetails);
    if (part.kind === 'tool-call' && typeof part.args === 'object') deepFreeze(part.args);
    Object.freeze(part);
  } else {
    deepFreeze(part);
  }
}

/** Marks a call whose tool has a meaning across providers. */
function withToolKind(run: Run, part: ResponsePart): ResponsePart {
  if (part.kind !== 'tool-call' || part.toolKind !== undefined) return part;
  const toolKind = run.tools.get(part.toolName)?.definition.toolKind;
  return toolKind === undefined ? part : Object.freeze({ ...part, toolKind });
}
