import type { BinaryContent } from './content.ts';
import type { JsonObject, JsonValue } from '../internal/json.ts';
import type { ToolOutcome, ToolPartKind } from './request-part.ts';
import type { AssistantSpeechPart } from './speech-part.ts';

/** A part of what a model answers. */
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
  /** What the provider wants to have back with this part in later requests; opaque. */
  readonly providerDetails?: JsonObject | undefined;
}

/** Text from the model. */
export interface TextPart extends ProviderPart {
  readonly kind: 'text';
  readonly content: string;
}

/** What the model thought before it answered. */
export interface ThinkingPart extends ProviderPart {
  readonly kind: 'thinking';
  readonly content: string;
  /** The provider's seal on this thought; without it some providers do not take it back. */
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

/** The model asks for a tool. */
export interface ToolCallPart extends CallFields {
  readonly kind: 'tool-call';
}

/** The model used a tool that the provider runs. */
export interface NativeToolCallPart extends CallFields {
  readonly kind: 'native-tool-call';
}

/** What a tool that the provider runs gave back. */
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

/** What the provider made of the conversation so far, to go on from it. */
export interface CompactionPart extends ProviderPart {
  readonly kind: 'compaction';
  /** The summary; absent where only the provider can read it, in `providerDetails`. */
  readonly content?: string | undefined;
}

/** A file that the model made. */
export interface FilePart extends ProviderPart {
  readonly kind: 'file';
  readonly content: BinaryContent;
}
