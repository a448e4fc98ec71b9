import type { BinaryContent } from './content.ts';
import type { JsonObject, JsonValue } from '../internal/json.ts';
import type { ToolOutcome, ToolPartKind } from './request-part.ts';
import type { AssistantSpeechPart } from './speech-part.ts';

/** A part of a message from the model. */
export type ResponsePart =
  | TextPart
  | ThinkingPart
  | ToolCallPart
  | NativeToolCallPart
  | NativeToolReturnPart
  | FilePart
  | CompactionPart
  | AssistantSpeechPart;

/** The fields of parts that a provider may add details to. */
export interface ProviderPart {
  /** The id that the provider gave this part. */
  readonly id?: string | undefined;
  readonly providerName?: string | undefined;
  /** Data that the provider expects back with this part in later requests; opaque. */
  readonly providerDetails?: JsonObject | undefined;
}

/** Text from the model. */
export interface TextPart extends ProviderPart {
  readonly kind: 'text';
  readonly content: string;
}

/** The reasoning of the model before its response. */
export interface ThinkingPart extends ProviderPart {
  readonly kind: 'thinking';
  readonly content: string;
  /** The signature of the provider. Some providers reject the part in later requests without it. */
  readonly signature?: string | undefined;
}

/** The fields of every tool call. */
export interface CallFields extends ProviderPart {
  readonly toolName: string;
  readonly toolCallId: string;
  /** The arguments as the model sent them: an object, JSON text that may be broken, or nothing. */
  readonly args: JsonObject | string | null;
  readonly toolKind?: ToolPartKind | undefined;
}

/** A call of the model to a tool. */
export interface ToolCallPart extends CallFields {
  readonly kind: 'tool-call';
}

/** A call of the model to a tool that the provider executes. */
export interface NativeToolCallPart extends CallFields {
  readonly kind: 'native-tool-call';
}

/** The result of a tool that the provider executes. */
export interface NativeToolReturnPart {
  readonly kind: 'native-tool-return';
  readonly toolName: string;
  readonly toolCallId: string;
  readonly content: JsonValue;
  readonly outcome: ToolOutcome;
  readonly metadata?: JsonValue | undefined;
  readonly toolKind?: ToolPartKind | undefined;
  readonly timestamp?: string | undefined;
  readonly providerName?: string | undefined;
  readonly providerDetails?: JsonObject | undefined;
}

/** A summary of the conversation by the provider, which replaces the earlier messages. */
export interface CompactionPart extends ProviderPart {
  readonly kind: 'compaction';
  /** The summary; absent if only the provider can read it, in `providerDetails`. */
  readonly content?: string | undefined;
}

/** A file that the model created. */
export interface FilePart extends ProviderPart {
  readonly kind: 'file';
  readonly content: BinaryContent;
}
