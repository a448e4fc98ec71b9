/**
 * The part of an AI SDK language model, specification v3 or v4, that a run uses.
 *
 * It is defined by its shape, so that models of all AI SDK providers fit without a dependency. Kinds of content,
 * stream parts and finish reasons are open, so that newer providers fit too.
 */
export interface LanguageModel {
  readonly specificationVersion: 'v3' | 'v4';
  /** The provider and its interface, such as `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: LanguageModelCallOptions): PromiseLike<LanguageModelResult>;
  doStream(options: LanguageModelCallOptions): PromiseLike<LanguageModelStream>;
}

/** One request to a {@link LanguageModel}. */
export interface LanguageModelCallOptions {
  readonly prompt: readonly unknown[];
  readonly tools?: readonly unknown[] | undefined;
  readonly toolChoice?: { readonly type: string } | undefined;
  readonly responseFormat?: { readonly type: string } | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly seed?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  /** Specification v4 only. */
  readonly reasoning?: string | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly providerOptions?: Readonly<Record<string, object>> | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A complete response of a {@link LanguageModel}. */
export interface LanguageModelResult extends LanguageModelEnd {
  readonly content: readonly { readonly type: string }[];
  readonly response?: LanguageModelResponseMetadata | undefined;
}

/** A streamed response of a {@link LanguageModel}. */
export interface LanguageModelStream {
  readonly stream: ReadableStream<{ readonly type: string }>;
}

/** The data at the end of a response. */
export interface LanguageModelEnd {
  readonly finishReason: { readonly unified: string };
  readonly usage: LanguageModelUsage;
  readonly providerMetadata?: unknown;
}

/** The tokens that one request used. */
export interface LanguageModelUsage {
  readonly inputTokens?:
    | {
        readonly total: number | undefined;
        readonly cacheRead: number | undefined;
        readonly cacheWrite: number | undefined;
      }
    | undefined;
  readonly outputTokens?:
    | { readonly total: number | undefined; readonly reasoning: number | undefined }
    | undefined;
}

/** Data of the provider about a response. */
export interface LanguageModelResponseMetadata {
  readonly id?: string | undefined;
  readonly modelId?: string | undefined;
  readonly timestamp?: Date | undefined;
}

/**
 * A content or stream part of the AI SDK, in both versions of the specification.
 *
 * Only the kinds that Holdpoint reads are defined here. Providers may send others, which readers skip.
 */
interface Piece {
  readonly providerMetadata?: unknown;
}

/** A complete text. */
interface TextPiece extends Piece {
  readonly type: 'text';
  readonly text: string;
}

/** A complete reasoning text. */
interface ReasoningPiece extends Piece {
  readonly type: 'reasoning';
  readonly text: string;
}

/** A complete tool call. `input` is JSON text. */
export interface ToolCallPiece extends Piece {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
  readonly providerExecuted?: boolean;
}

/** The result of a native tool. */
export interface ToolResultPiece extends Piece {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: unknown;
  readonly isError?: boolean;
  /** True if a later result of the same call replaces this one. */
  readonly preliminary?: boolean;
}

/** A file that the model generated: bytes or base64 in v3, tagged data in v4. */
export interface FilePiece extends Piece {
  readonly type: 'file';
  readonly mediaType: string;
  readonly data: string | Uint8Array | TaggedData;
}

/** The bytes or the address of a file, in v4. */
type TaggedData =
  | { readonly type: 'data'; readonly data: string | Uint8Array }
  | { readonly type: 'url'; readonly url: URL };

/** A source that the model used for its response. */
interface SourcePiece {
  readonly type: 'source';
}

/** An approval request of the provider for one of its native tools. */
export interface ApprovalRequestPiece {
  readonly type: 'tool-approval-request';
  readonly toolCallId: string;
}

/** One item of a complete response. */
export type ContentPiece =
  | TextPiece
  | ReasoningPiece
  | ToolCallPiece
  | ToolResultPiece
  | FilePiece
  | SourcePiece
  | ApprovalRequestPiece;

/** One item of a response that is being streamed. */
export type SdkStreamPiece =
  | BlockPiece
  | ToolInputStart
  | ToolInputDelta
  | ToolInputEnd
  | Exclude<ContentPiece, TextPiece | ReasoningPiece>
  | ResponseMetadataPiece
  | FinishPiece
  | ErrorPiece;

/** The start, a delta or the end of a text or a reasoning text. */
export type BlockPiece = BlockEdge | BlockDelta;

interface BlockEdge extends Piece {
  readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end';
  readonly id: string;
}

interface BlockDelta extends Piece {
  readonly type: 'text-delta' | 'reasoning-delta';
  readonly id: string;
  readonly delta: string;
}

/** The start of the arguments of a tool call. */
export interface ToolInputStart extends Piece {
  readonly type: 'tool-input-start';
  readonly id: string;
  readonly toolName: string;
  readonly providerExecuted?: boolean;
  /** With `text` the deltas are not JSON; only the input of the final call is. */
  readonly inputEncoding?: 'json' | 'text';
}

/** Further arguments. */
export interface ToolInputDelta extends Piece {
  readonly type: 'tool-input-delta';
  readonly id: string;
  readonly delta: string;
}

/** The end of the arguments. The call itself follows. */
export interface ToolInputEnd extends Piece {
  readonly type: 'tool-input-end';
  readonly id: string;
}

interface ResponseMetadataPiece {
  readonly type: 'response-metadata';
  readonly id?: string;
  readonly modelId?: string;
  readonly timestamp?: Date;
}

interface FinishPiece extends LanguageModelEnd {
  readonly type: 'finish';
}

interface ErrorPiece {
  readonly type: 'error';
  readonly error: unknown;
}
