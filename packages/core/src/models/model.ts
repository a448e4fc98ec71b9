import type { JsonObject } from '../internal/json.ts';
import type { HistorySnapshot } from '../messages/history.ts';
import type { Message, ModelResponse } from '../messages/message.ts';
import type { ResponsePart } from '../messages/response-part.ts';
import type { NativeTool } from './native-tool.ts';
import type { ModelSettings } from './settings.ts';
import type { JsonSchema, ToolDefinition } from './tool-definition.ts';

/** A language model that a run can request. */
export interface Model {
  /** The model's name, such as `gpt-5`. */
  readonly name: string;
  /** The name of the provider, such as `openai`. */
  readonly system: string;
  /** Default settings. Settings of the agent and the run take precedence. */
  readonly settings?: ModelSettings | undefined;
  /** Returns true if the provider executes this native tool. Without this method it executes none. */
  supportsNative?(tool: NativeTool): boolean;
  /** Requests one response. */
  request(call: ModelCall): Promise<ModelResponseData>;
  /**
   * Requests one response and yields its parts while they arrive, with `finish` as the last event.
   *
   * For a model without this method, a run uses `request`, and the response arrives in one piece.
   */
  stream?(call: ModelCall): AsyncIterable<ModelStreamEvent>;
}

/** One request to a model. */
export interface ModelCall {
  /**
   * The model history: repaired, and with consecutive requests merged.
   *
   * A frozen copy for this request: later requests do not change it. Each message is frozen, so an adapter can
   * cache its conversion of a message by the identity of the message.
   */
  readonly messages: readonly Message[];
  /** The instructions of this step. */
  readonly instructions: string | undefined;
  /**
   * Tools of every kind except `output`. Tools with `deferLoading` are included only together with the native
   * tool `tool-search`, which finds them.
   */
  readonly functionTools: readonly ToolDefinition[];
  /** Tools whose arguments are the output of the run. */
  readonly outputTools: readonly ToolDefinition[];
  /** Native tools. The model supports all of them. */
  readonly nativeTools: readonly NativeTool[];
  /** True if the run can end with plain text. Otherwise the model must call a tool. */
  readonly allowText: boolean;
  /** The schema of the text output, if the provider enforces it. */
  readonly outputSchema: OutputSchema | undefined;
  readonly settings: ModelSettings | undefined;
  /** Aborts when the run is cancelled. */
  readonly signal: AbortSignal;
}

/** The schema of the JSON that a response must contain. */
export interface OutputSchema {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema: JsonSchema;
  readonly strict?: boolean | undefined;
}

/** The data of a response. The run freezes it and adds it to the history. */
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

/** An event of a response that is being streamed. `index` identifies the part. */
export type ModelStreamEvent = PartStart | PartDelta | PartDone | StreamFinish;

/** The start of a part, with its first content. */
export interface PartStart {
  readonly kind: 'part-start';
  readonly index: number;
  readonly part: ResponsePart;
}

/** Further content of a part. */
export type PartDelta = TextDelta | ThinkingDelta | ArgsDelta;

/** Further text of a text part. */
export interface TextDelta {
  readonly kind: 'text-delta';
  readonly index: number;
  readonly text: string;
}

/** Further text of a thinking part. */
export interface ThinkingDelta {
  readonly kind: 'thinking-delta';
  readonly index: number;
  readonly text: string;
}

/** Further arguments of a tool call, as JSON text. */
export interface ArgsDelta {
  readonly kind: 'args-delta';
  readonly index: number;
  readonly text: string;
}

/** The end of a part. `fields` contains data that the provider sends last. */
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

/** The end of a response. */
export interface StreamFinish extends Omit<ModelResponseData, 'parts'> {
  readonly kind: 'finish';
}

/** A model call of a run, with the snapshot that its messages are from. A hook that spreads the call keeps it. */
export interface SnapshotCall extends ModelCall {
  readonly historySnapshot: HistorySnapshot;
}

/** Returns the snapshot of a model call, or `undefined` if a run did not make the call. */
export function snapshotOf(call: ModelCall): HistorySnapshot | undefined {
  // Only the calls of a run and their copies have this member.
  return (call as Partial<SnapshotCall>).historySnapshot;
}

/** Streams the response of any model. A model without `stream` sends it in one piece. */
export function streamOf(model: Model, call: ModelCall): AsyncIterable<ModelStreamEvent> {
  return model.stream?.(call) ?? requestAsStream(model, call);
}

async function* requestAsStream(
  model: Model,
  call: ModelCall,
): AsyncGenerator<ModelStreamEvent, void, undefined> {
  for (const event of toStreamEvents(await model.request(call))) yield event;
}

/** Yields the events of a complete response. */
function* toStreamEvents({ parts, ...rest }: ModelResponseData): Generator<ModelStreamEvent> {
  for (const [index, part] of parts.entries()) {
    yield { kind: 'part-start', index, part };
    yield { kind: 'part-done', index };
  }
  yield { kind: 'finish', ...rest };
}
