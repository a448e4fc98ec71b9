import { Context } from '../../context/context.ts';
import type { RunContext } from '../../context/run-context.ts';
import { isThrown } from '../../errors/thrown.ts';
import type { RequestUsage } from '../../messages/message.ts';
import type { ToolCallPart } from '../../messages/response-part.ts';
import type { ModelCall, ModelResponseData } from '../../models/model.ts';
import { isDeferral } from '../../outcomes/outcome.ts';
import { ModelRetry, ToolFailed, toSignal } from '../../tools/signals.ts';
import type { OtelAttribute, OtelAttributes } from './api-library.ts';

/** Returns the attributes of a run at its start. */
export function runAttributes({ agent, conversationId, runId }: RunContext): OtelAttributes {
  return present({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': agent.name,
    'gen_ai.conversation.id': conversationId,
    'holdpoint.run.id': runId,
  });
}

/** Returns the attributes of a model request at its start. */
export function requestAttributes(ctx: RunContext, call: ModelCall): OtelAttributes {
  const { settings = {}, outputSchema } = call;
  return present({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': ctx.model.system,
    'gen_ai.request.model': ctx.model.name,
    'gen_ai.conversation.id': ctx.conversationId,
    'gen_ai.output.type': outputSchema === undefined ? undefined : 'json',
    'gen_ai.request.max_tokens': settings.maxTokens,
    'gen_ai.request.temperature': settings.temperature,
    'gen_ai.request.top_p': settings.topP,
    'gen_ai.request.top_k': settings.topK,
    'gen_ai.request.presence_penalty': settings.presencePenalty,
    'gen_ai.request.frequency_penalty': settings.frequencyPenalty,
    'gen_ai.request.seed': settings.seed,
    'gen_ai.request.stop_sequences': settings.stopSequences && [...settings.stopSequences],
  });
}

/** Returns the attributes of a response. */
export function responseAttributes(response: ModelResponseData): OtelAttributes {
  const { usage = {}, finishReason } = response;
  return present({
    'gen_ai.response.id': response.providerResponseId,
    'gen_ai.response.model': response.modelName,
    'gen_ai.response.finish_reasons': finishReason && [finishReason],
    ...usageAttributes('gen_ai.usage', usage),
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
  });
}

/** Returns the numbers of tokens under a prefix. */
export function usageAttributes(
  prefix: 'gen_ai.usage' | 'gen_ai.aggregated_usage',
  { inputTokens, outputTokens }: RequestUsage,
): OtelAttributes {
  return present({
    [`${prefix}.input_tokens`]: inputTokens,
    [`${prefix}.output_tokens`]: outputTokens,
  });
}

/** Returns the attributes of a tool call at its start. */
export function toolAttributes({ toolName, toolCallId }: ToolCallPart): OtelAttributes {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': toolName,
    'gen_ai.tool.call.id': toolCallId,
    'gen_ai.tool.type': 'function',
  };
}

/** Returns the attributes of the approval of a call, without the approvers; none if the call needed no approval. */
export function approvalAttributes(
  ctx: RunContext,
  waitSeconds: number | undefined,
): OtelAttributes {
  const approval = Context.factsOf(ctx)?.call.approval;
  if (approval === undefined) return {};
  return present({
    'holdpoint.approval.outcome': approval.overrideArgs === undefined ? 'approved' : 'edited',
    'holdpoint.approval.wait': waitSeconds,
    'holdpoint.approval.votes': approval.given?.by.length,
    'holdpoint.approval.digest': approval.given?.digest,
  });
}

/** The outcome of a tool's execution. */
export type ExecutionOutcome = 'success' | 'retry' | 'failed' | 'deferred' | 'error' | 'cancelled';

/** Returns the outcome of an execution that threw. */
export function outcomeOfError(thrown: unknown): ExecutionOutcome {
  if (isDeferral(thrown)) return 'deferred';
  const signal = toSignal(thrown);
  if (isThrown(signal, ModelRetry)) return 'retry';
  return isThrown(signal, ToolFailed) ? 'failed' : 'error';
}

/** Returns the attributes that have a value. */
function present(given: Readonly<Record<string, OtelAttribute | undefined>>): OtelAttributes {
  const attributes: OtelAttributes = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) attributes[name] = value;
  }
  return attributes;
}
