import { messageOf } from '../../errors/thrown.ts';
import type { FileContent, UserContent, UserPrompt } from '../../messages/content.ts';
import type { Message } from '../../messages/message.ts';
import type { RequestPart } from '../../messages/request-part.ts';
import type { ResponsePart } from '../../messages/response-part.ts';
import { renderRetryPrompt } from '../../messages/retry-prompt.ts';
import { renderSpeech } from '../../messages/speech-part.ts';
import type { ModelCall, ModelResponseData } from '../../models/model.ts';
import { parseArgs } from '../../tools/parse-args.ts';
import { ToolReturn } from '../../tools/signals.ts';
import type { OtelAttributes } from './api-library.ts';

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
