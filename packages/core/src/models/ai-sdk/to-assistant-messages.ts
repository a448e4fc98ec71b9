import { isPlainObject, type JsonObject } from '../../internal/json.ts';
import type { ModelResponse } from '../../messages/message.ts';
import type {
  NativeToolReturnPart,
  ResponsePart,
  ThinkingPart,
} from '../../messages/response-part.ts';
import { renderSpeech } from '../../messages/speech-part.ts';
import {
  canSendBack,
  isSearchPart,
  type NativePart,
  type NativeReader,
} from './native/native-dialect.ts';
import { toSearchCall, toSearchResult } from './native/search-parts.ts';
import {
  type AssistantItem,
  type ConversationMessage,
  type ProviderOptions,
  providerOptionsOf,
  type ToolCallItem,
  type ToolResultItem,
} from './prompt.ts';
import type { FileFormat } from './to-file.ts';

/** The formats of files and native tools in the prompt of a model. */
export interface PromptFormat {
  readonly files: FileFormat;
  readonly native: NativeReader;
}

/** Converts a response to messages of a prompt. */
export function toAssistantMessages(
  response: ModelResponse,
  format: PromptFormat,
): readonly ConversationMessage[] {
  const draft = new AssistantDraft(response, format);
  for (const part of response.parts) draft.add(part);
  return draft.finish();
}

/** The name of the function that searches for tools if the provider does not. */
const SEARCH_FUNCTION = 'search_tools';

/**
 * Collects the parts of a response.
 *
 * The result is one message, unless a provider searched for tools and the search cannot be sent
 * back. Such a search becomes a call to a function with its result, so that the model has the
 * origin of its tools. Other parts of other providers' native tools are omitted.
 */
class AssistantDraft {
  readonly #response: ModelResponse;
  readonly #format: PromptFormat;
  readonly #done: ConversationMessage[] = [];
  #content: AssistantItem[] = [];

  constructor(response: ModelResponse, format: PromptFormat) {
    this.#response = response;
    this.#format = format;
  }

  add(part: ResponsePart): void {
    const isNative = part.kind === 'native-tool-call' || part.kind === 'native-tool-return';
    const item = isNative ? this.#native(part) : convertPart(part, this.#format.files);
    if (item !== undefined) this.#content.push(item);
  }

  finish(): readonly ConversationMessage[] {
    this.#close();
    return this.#done;
  }

  #native(part: NativePart): AssistantItem | undefined {
    const { native } = this.#format;
    if (!canSendBack(part, this.#response, native)) return this.#foreign(part);
    if (!isSearchPart(part) || native.search === undefined) {
      return convertNative(part, native);
    }
    const item =
      part.kind === 'native-tool-call'
        ? toSearchCall(part, native.search)
        : toSearchResult(part, native.search);
    return item ?? this.#foreign(part);
  }

  /** Converts a search to a function call with its result. Skips all other parts. */
  #foreign(part: NativePart): undefined {
    if (part.kind !== 'native-tool-call' || !isSearchPart(part)) return;
    const found = this.#response.parts.find(
      (one): one is NativeToolReturnPart =>
        one.kind === 'native-tool-return' && one.toolCallId === part.toolCallId,
    );
    if (found === undefined) return;
    const { toolCallId } = part;
    const call = { toolCallId, toolName: SEARCH_FUNCTION };
    this.#content.push({ type: 'tool-call', ...call, input: toInput(part.args) });
    this.#close();
    const output = { type: 'json', value: found.content } as const;
    this.#done.push({ role: 'tool', content: [{ type: 'tool-result', ...call, output }] });
  }

  #close(): void {
    if (this.#content.length === 0) return;
    this.#done.push({ role: 'assistant', content: this.#content });
    this.#content = [];
  }
}

function convertPart(
  part: Exclude<ResponsePart, NativePart>,
  files: FileFormat,
): AssistantItem | undefined {
  const options = providerOptionsOf(part.providerDetails);
  switch (part.kind) {
    case 'text':
      return textItem(part.content, options);
    case 'thinking':
      return { type: 'reasoning', text: part.content, ...signatureOptions(part), ...options };
    case 'tool-call': {
      const { toolCallId, toolName } = part;
      return { type: 'tool-call', toolCallId, toolName, input: toInput(part.args), ...options };
    }
    case 'file':
      return { ...files.item(part.content), ...options };
    case 'compaction':
      return textItem(part.content ?? '');
    case 'speech':
      return textItem(renderSpeech(part));
  }
}

function convertNative(
  part: NativePart,
  { complete }: NativeReader,
): ToolCallItem | ToolResultItem {
  const options = providerOptionsOf(part.providerDetails);
  const { toolCallId, toolName } = part;
  if (part.kind === 'native-tool-call') {
    const call = { type: 'tool-call', toolCallId, toolName, input: toInput(part.args) } as const;
    return { ...call, providerExecuted: true, ...options };
  }
  const type = part.outcome === 'success' ? 'json' : 'error-json';
  const value = complete === undefined ? part.content : complete(part.content);
  const output = { type, value } as const;
  return { type: 'tool-result', toolCallId, toolName, output, ...options };
}

/** Returns a text item, or `undefined` for an empty text, which some providers reject. */
function textItem(text: string, options?: Pick<AssistantItem, 'providerOptions'>) {
  return text === '' ? undefined : ({ type: 'text', text, ...options } as const);
}

/** Returns the options with the signature of a reasoning text, in the format of its provider. */
function signatureOptions({ signature, providerName = 'anthropic', id }: ThinkingPart): {
  providerOptions?: ProviderOptions;
} {
  if (signature === undefined) return {};
  if (providerName !== 'openai') return { providerOptions: { [providerName]: { signature } } };
  const itemId = id === undefined ? {} : { itemId: id };
  return { providerOptions: { openai: { reasoningEncryptedContent: signature, ...itemId } } };
}

/** Converts arguments to an object, which providers require even if the model sent invalid arguments. */
function toInput(args: JsonObject | string | null): JsonObject {
  if (args === null || args === '') return {};
  if (typeof args !== 'string') return args;
  try {
    const input: unknown = JSON.parse(args);
    if (isPlainObject(input)) return input as JsonObject; // from `JSON.parse`
  } catch {
    // Invalid JSON is sent back as text, below.
  }
  return { invalidArguments: args };
}
