import type { JsonObject, JsonValue } from '../../internal/json.ts';

/** Options of single providers, by the name of the provider. */
export type ProviderOptions = Readonly<Record<string, JsonObject>>;

/** One message of the prompt of an AI SDK language model. */
export type PromptMessage = SystemMessage | ConversationMessage;

/** A message of the conversation, without system prompts. */
export type ConversationMessage = UserMessage | AssistantMessage | ToolMessage;

export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

export interface UserMessage {
  readonly role: 'user';
  readonly content: readonly UserItem[];
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: readonly AssistantItem[];
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly content: readonly ToolResultItem[];
}

interface Item {
  readonly providerOptions?: ProviderOptions;
}

export type UserItem = TextItem | FileItem;

export type AssistantItem = TextItem | FileItem | ReasoningItem | ToolCallItem | ToolResultItem;

export interface TextItem extends Item {
  readonly type: 'text';
  readonly text: string;
}

export interface ReasoningItem extends Item {
  readonly type: 'reasoning';
  readonly text: string;
}

export interface FileItem extends Item {
  readonly type: 'file';
  readonly mediaType: string;
  readonly filename?: string;
  /** Plain data in v3, tagged data in v4. */
  readonly data: unknown;
}

export interface ToolCallItem extends Item {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonObject;
  readonly providerExecuted?: true;
}

export interface ToolResultItem extends Item {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: ToolOutput;
}

/** The result of a tool call in a prompt. */
export type ToolOutput =
  | { readonly type: 'text' | 'error-text'; readonly value: string }
  | { readonly type: 'json' | 'error-json'; readonly value: JsonValue }
  | { readonly type: 'execution-denied'; readonly reason: string }
  | { readonly type: 'content'; readonly value: readonly ToolOutputItem[] };

/** One item of a tool result that contains files. */
export type ToolOutputItem = TextItem | FileItem | FileItemV3;

/** A file in a tool result, in v3. */
type FileItemV3 =
  | (Omit<FileItem, 'type'> & { readonly type: 'file-data' | 'image-data' })
  | { readonly type: 'file-url' | 'image-url'; readonly url: string }
  | {
      readonly type: 'file-id' | 'image-file-id';
      readonly fileId: Readonly<Record<string, string>>;
    };

/** Returns the members that are options of a provider. The AI SDK accepts no others. */
export function providerOptionsOf(details: JsonObject | undefined): Item {
  if (details === undefined) return {};
  const options = Object.entries(details).filter(
    (entry): entry is [string, JsonObject] =>
      typeof entry[1] === 'object' && entry[1] !== null && !Array.isArray(entry[1]),
  );
  return options.length > 0 ? { providerOptions: Object.fromEntries(options) } : {};
}
