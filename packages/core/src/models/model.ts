import type { JsonObject } from '../internal/json.ts';
import type { Message, ModelResponse } from '../messages/message.ts';
import type { ResponsePart } from '../messages/response-part.ts';
import type { JsonSchema } from './json-schema.ts';
import type { NativeTool } from './native-tool.ts';
import type { ModelSettings } from './settings.ts';
import type { ToolDefinition } from './tool-definition.ts';

/** A language model, as a run sees it. */
export interface Model {
  /** The model's name, such as `gpt-5`. */
  readonly name: string;
  /** Who provides it, such as `openai`. */
  readonly system: string;
  /** Settings that hold unless the agent or the run say otherwise. */
  readonly settings?: ModelSettings | undefined;
  /** Whether the provider of the model runs this tool itself; without it, it runs none. */
  supportsNative?(tool: NativeTool): boolean;
  /** Asks the model once. */
  request(call: ModelCall): Promise<ModelResponseData>;
  /**
   * Asks the model once and hands out its answer piece by piece, ending with a `finish`.
   *
   * A model without it is asked with `request`, and its answer arrives in one piece.
   */
  stream?(call: ModelCall): AsyncIterable<ModelStreamEvent>;
}

/** One request to a model. */
export interface ModelCall {
  /**
   * The conversation as the model is to see it: repaired, and with consecutive requests merged.
   *
   * A frozen copy for this request: later requests do not change it. Each message is frozen, so an adapter can
   * cache its conversion of a message by the identity of the message.
   */
  readonly messages: readonly Message[];
  /** The instructions in force. */
  readonly instructions: string | undefined;
  /**
   * Tools of every kind but `output`. Those with `deferLoading` are there only beside the native tool
   * `tool-search`, which finds them.
   */
  readonly functionTools: readonly ToolDefinition[];
  /** Tools whose arguments are the output of the run. */
  readonly outputTools: readonly ToolDefinition[];
  /** Tools that the provider runs itself; all of them are ones that the model supports. */
  readonly nativeTools: readonly NativeTool[];
  /** Whether the run can end with plain text; otherwise the model has to call a tool. */
  readonly allowText: boolean;
  /** The JSON that the text must be, where the output is produced natively. */
  readonly outputSchema: OutputSchema | undefined;
  readonly settings: ModelSettings | undefined;
  /** Aborts when the run is aborted. */
  readonly signal: AbortSignal;
}

/** The JSON that a model must answer with. */
export interface OutputSchema {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema: JsonSchema;
  readonly strict?: boolean | undefined;
}

/** What a model answered. The run takes it over: it is frozen and becomes part of the history. */
export type ModelResponseData = Pick<
  ModelResponse,
  | 'parts'
  | 'usage'
  | 'modelName'
  | 'timestamp'
  | 'providerName'
  | 'providerUrl'
  | 'providerResponseId'
  | 'providerDetails'
  | 'finishReason'
>;

/** A piece of an answer that is still coming in. Parts are told apart by their index. */
export type ModelStreamEvent = PartStart | PartDelta | PartDone | StreamFinish;

/** A part begins; it holds what came with the first piece. */
export interface PartStart {
  readonly kind: 'part-start';
  readonly index: number;
  readonly part: ResponsePart;
}

/** More of a part. */
export type PartDelta = TextDelta | ThinkingDelta | ArgsDelta;

/** More text. */
export interface TextDelta {
  readonly kind: 'text-delta';
  readonly index: number;
  readonly text: string;
}

/** More of a thought. */
export interface ThinkingDelta {
  readonly kind: 'thinking-delta';
  readonly index: number;
  readonly text: string;
}

/** More of a tool call's arguments, as JSON text. */
export interface ArgsDelta {
  readonly kind: 'args-delta';
  readonly index: number;
  readonly text: string;
}

/** A part is complete; `fields` are what became known only at its end. */
export interface PartDone {
  readonly kind: 'part-done';
  readonly index: number;
  readonly fields?:
    | {
        readonly providerDetails?: JsonObject | undefined;
        readonly signature?: string | undefined;
      }
    | undefined;
}

/** The answer is complete. */
export interface StreamFinish extends Omit<ModelResponseData, 'parts'> {
  readonly kind: 'finish';
}
