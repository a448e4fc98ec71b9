import type { LanguageModelEnd } from './language-model.ts';

/**
 * The kinds of content and stream parts that we read, as both versions of the specification have
 * them. A provider may send others: whoever reads these has a branch for them.
 */
interface Piece {
  readonly providerMetadata?: unknown;
}

/** Text, whole. */
export interface TextPiece extends Piece {
  readonly type: 'text';
  readonly text: string;
}

/** A thought, whole. */
export interface ReasoningPiece extends Piece {
  readonly type: 'reasoning';
  readonly text: string;
}

/** A call of a tool, whole; `input` is JSON text. */
export interface ToolCallPiece extends Piece {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: string;
  readonly providerExecuted?: boolean;
}

/** The result of a tool that the provider ran. */
export interface ToolResultPiece extends Piece {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly result: unknown;
  readonly isError?: boolean;
  /** Whether a later result of the same call replaces this one. */
  readonly preliminary?: boolean;
}

/** A file that the model made: bare bytes or base64 in v3, tagged in v4. */
export interface FilePiece extends Piece {
  readonly type: 'file';
  readonly mediaType: string;
  readonly data: string | Uint8Array | TaggedData;
}

/** The bytes or the address of a file, in v4. */
export type TaggedData =
  | { readonly type: 'data'; readonly data: string | Uint8Array }
  | { readonly type: 'url'; readonly url: URL };

/** Something that the model used for its answer. */
export interface SourcePiece {
  readonly type: 'source';
}

/** The provider wants an approval before it runs one of its own tools. */
export interface ApprovalRequestPiece {
  readonly type: 'tool-approval-request';
  readonly toolCallId: string;
}

/** One item of an answer that came in one piece. */
export type ContentPiece =
  | TextPiece
  | ReasoningPiece
  | ToolCallPiece
  | ToolResultPiece
  | FilePiece
  | SourcePiece
  | ApprovalRequestPiece;

/** One piece of an answer that is still coming in. */
export type SdkStreamPiece =
  | BlockPiece
  | ToolInputStart
  | ToolInputDelta
  | ToolInputEnd
  | Exclude<ContentPiece, TextPiece | ReasoningPiece>
  | ResponseMetadataPiece
  | FinishPiece
  | ErrorPiece;

/** Text or a thought begins, goes on or ends. */
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

/** The arguments of a tool call begin. */
export interface ToolInputStart extends Piece {
  readonly type: 'tool-input-start';
  readonly id: string;
  readonly toolName: string;
  readonly providerExecuted?: boolean;
  /** `text`: the deltas are not JSON, only the input of the final call is. */
  readonly inputEncoding?: 'json' | 'text';
}

/** More arguments. */
export interface ToolInputDelta extends Piece {
  readonly type: 'tool-input-delta';
  readonly id: string;
  readonly delta: string;
}

/** The arguments are complete; the call itself follows. */
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
