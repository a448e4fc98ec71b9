import { Context } from '../../context/context.ts';
import type { RunContext } from '../../context/run-context.ts';
import { isThrown, messageOf } from '../../errors/thrown.ts';
import type { FileContent, UserContent, UserPrompt } from '../../messages/content.ts';
import type { Message, RequestUsage } from '../../messages/message.ts';
import { type RequestPart, renderRetryPrompt } from '../../messages/request-part.ts';
import type { ResponsePart, ToolCallPart } from '../../messages/response-part.ts';
import { renderSpeech } from '../../messages/speech-part.ts';
import type { ModelCall, ModelResponseData } from '../../models/model.ts';
import { definedFields } from '../../models/settings.ts';
import { isDeferral } from '../../outcomes/outcome.ts';
import { parseArgs } from '../../tools/parse-args.ts';
import { ModelRetry, ToolFailed, ToolReturn, toSignal } from '../../tools/signals.ts';
import type { OtelAttributes } from './api-library.ts';

/** Returns the attributes of a run at its start. */
export function runAttributes({ agent, conversationId, runId }: RunContext): OtelAttributes {
  return definedFields({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': agent.name,
    'gen_ai.conversation.id': conversationId,
    'holdpoint.run.id': runId,
  });
}

/** Returns the attributes of a model request at its start. */
export function requestAttributes(ctx: RunContext, call: ModelCall): OtelAttributes {
  const { settings = {}, outputSchema } = call;
  return definedFields({
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
  return definedFields({
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
  return {
    ...(inputTokens !== undefined && { [`${prefix}.input_tokens`]: inputTokens }),
    ...(outputTokens !== undefined && { [`${prefix}.output_tokens`]: outputTokens }),
  };
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
  return definedFields({
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

/** A message in the form of the GenAI conventions. */
interface TracedMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly object[];
}

/** Returns the attributes with the content of a model request. */
export function requestContent(call: ModelCall): OtelAttributes {
  const tools = [...call.functionTools, ...call.outputTools];
  return {
    'gen_ai.input.messages': `[${call.messages.map(textOfMessage).filter(Boolean).join(',')}]`,
    ...(call.instructions !== undefined && {
      'gen_ai.system_instructions': toText([textPart(call.instructions)]),
    }),
    ...(tools.length > 0 && {
      'gen_ai.tool.definitions': toText(
        tools.map(({ name, description, parametersJsonSchema: parameters }) => ({
          type: 'function',
          name,
          description,
          parameters,
        })),
      ),
    }),
  };
}

/** Returns the attributes with the content of a response. */
export function responseContent({ parts, finishReason }: ModelResponseData): OtelAttributes {
  const isCall = parts.some(({ kind }) => kind === 'tool-call');
  const finish_reason = finishReason ?? (isCall ? 'tool_call' : 'stop');
  return { 'gen_ai.output.messages': toText([{ ...assistantMessage(parts), finish_reason }]) };
}

/** Returns the attributes with the result of a tool. */
export function resultContent(returned: unknown): OtelAttributes {
  const value = returned instanceof ToolReturn ? returned.returnValue : returned;
  return { 'gen_ai.tool.call.result': toText(value) };
}

/** Returns any value as JSON text, or as other text if it has no JSON form. It never throws. */
export function toText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return messageOf(value);
  }
}

/** The text of each message. Every request repeats the history, and messages do not change. */
const texts = new WeakMap<Message, string>();

function textOfMessage(message: Message): string {
  const known = texts.get(message);
  if (known !== undefined) return known;
  const text = tracedMessages(message).map(toText).join(',');
  texts.set(message, text);
  return text;
}

function tracedMessages(message: Message): readonly TracedMessage[] {
  return message.kind === 'response'
    ? [assistantMessage(message.parts)]
    : message.parts.flatMap(messageOfPart);
}

function assistantMessage(parts: readonly ResponsePart[]): TracedMessage {
  return { role: 'assistant', parts: parts.flatMap(responsePart) };
}

function messageOfPart(part: RequestPart): TracedMessage[] {
  switch (part.kind) {
    case 'system-prompt':
      return [{ role: 'system', parts: [textPart(part.content)] }];
    case 'user-prompt':
      return [{ role: 'user', parts: promptParts(part.content) }];
    case 'speech':
      return [{ role: 'user', parts: [textPart(renderSpeech(part))] }];
    case 'tool-return':
      return [{ role: 'tool', parts: [responseOfCall(part.toolCallId, part.content)] }];
    case 'retry-prompt': {
      const text = renderRetryPrompt(part);
      return part.toolCallId === undefined
        ? [{ role: 'user', parts: [textPart(text)] }]
        : [{ role: 'tool', parts: [responseOfCall(part.toolCallId, text)] }];
    }
    case 'tool-availability-delta':
      return [];
  }
}

function responsePart(part: ResponsePart): object[] {
  switch (part.kind) {
    case 'text':
      return [textPart(part.content)];
    case 'thinking':
      return [{ type: 'reasoning', content: part.content }];
    case 'speech':
      return [textPart(renderSpeech(part))];
    case 'file':
      return [filePart(part.content)];
    case 'native-tool-return':
      return [responseOfCall(part.toolCallId, part.content)];
    case 'tool-call':
    case 'native-tool-call': {
      const { toolCallId: id, toolName: name, args } = part;
      const parsed = parseArgs(args);
      return [{ type: 'tool_call', id, name, arguments: parsed.ok ? parsed.value : args }];
    }
    case 'compaction':
      return part.content === undefined ? [] : [textPart(part.content)];
  }
}

function promptParts(prompt: UserPrompt): object[] {
  return typeof prompt === 'string' ? [textPart(prompt)] : prompt.flatMap(promptPart);
}

function promptPart(content: UserContent): object[] {
  if (typeof content === 'string') return [textPart(content)];
  if (content.kind === 'cache-point') return [];
  return [content.kind === 'text-content' ? textPart(content.content) : filePart(content)];
}

/** Returns a file without its bytes, which would exceed the limits of most backends. */
function filePart(file: FileContent): object {
  const mime_type = file.mediaType;
  switch (file.kind) {
    case 'binary':
      return { type: 'blob', modality: modalityOf(file.mediaType), mime_type };
    case 'uploaded-file':
      return { type: 'file', file_id: file.fileId, mime_type };
    default:
      return { type: 'uri', modality: file.kind.replace('-url', ''), uri: file.url, mime_type };
  }
}

function modalityOf(mediaType: string): string {
  const [type = ''] = mediaType.split('/');
  return ['image', 'audio', 'video'].includes(type) ? type : 'document';
}

function textPart(content: string): object {
  return { type: 'text', content };
}

function responseOfCall(id: string, response: unknown): object {
  return { type: 'tool_call_response', id, response };
}
