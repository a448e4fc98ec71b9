import { ModelError } from '../../errors/model-errors.ts';
import { binaryContent } from '../../messages/content.ts';
import { type JsonObject, type JsonValue, toFrozenJson } from '../../internal/json.ts';
import type { FinishReason, RequestUsage } from '../../messages/message.ts';
import type {
  FilePart,
  NativeToolCallPart,
  NativeToolReturnPart,
  ResponsePart,
  ThinkingPart,
  ToolCallPart,
} from '../../messages/response-part.ts';
import type { ModelResponseData, StreamFinish } from '../model.ts';
import { definedFields } from '../settings.ts';
import type {
  ApprovalRequestPiece,
  ContentPiece,
  FilePiece,
  LanguageModelEnd,
  LanguageModelResponseMetadata,
  LanguageModelResult,
  LanguageModelUsage,
  ToolCallPiece,
  ToolResultPiece,
} from './language-model.ts';
import {
  fromSearchCall,
  fromSearchResult,
  isSearch,
  type SearchFormat,
} from './native/search-parts.ts';

/** The names of a model, for responses and error messages. */
export interface ModelInfo {
  readonly name: string;
  readonly system: string;
  /** The format of the provider's tool search, if it has one. */
  readonly search?: SearchFormat | undefined;
}

/** Converts a complete response. */
export function fromContent(result: LanguageModelResult, modelInfo: ModelInfo): ModelResponseData {
  const parts: ResponsePart[] = [];
  const extras: JsonValue[] = [];
  // Kinds of later specifications are skipped.
  for (const piece of result.content as readonly ContentPiece[]) {
    const part = toPart(piece, modelInfo);
    if (part !== undefined) parts.push(part);
    const extra = toExtra(piece);
    if (extra !== undefined) extras.push(extra);
  }
  return { parts, ...fromEnd(result, { modelInfo, metadata: result.response, extras }) };
}

/** Converts the data of a response other than its parts. */
export function fromEnd(
  end: LanguageModelEnd,
  about: {
    readonly modelInfo: ModelInfo;
    readonly metadata: LanguageModelResponseMetadata | undefined;
    /** Content that is not a part; see {@link toExtra}. */
    readonly extras: readonly JsonValue[];
  },
): Omit<StreamFinish, 'kind'> {
  const { modelInfo, metadata, extras } = about;
  const details = toDetails(end.providerMetadata);
  return definedFields({
    usage: fromUsage(end.usage),
    finishReason: FINISH_REASONS.get(end.finishReason.unified),
    modelName: metadata?.modelId ?? modelInfo.name,
    providerName: modelInfo.system,
    providerResponseId: metadata?.id,
    timestamp: metadata?.timestamp?.toISOString(),
    providerDetails: extras.length > 0 ? { ...details, sources: extras } : details,
  });
}

function toPart(piece: ContentPiece, modelInfo: ModelInfo): ResponsePart | undefined {
  const providerDetails = toDetails('providerMetadata' in piece && piece.providerMetadata);
  switch (piece.type) {
    case 'text':
      if (piece.text === '') return undefined;
      return { kind: 'text', content: piece.text, ...(providerDetails && { providerDetails }) };
    case 'reasoning':
      return toThinking(piece.text, providerDetails);
    case 'tool-call':
      return toCall(piece, modelInfo);
    case 'tool-result':
      return toNativeReturn(piece, modelInfo);
    case 'file':
      return toFile(piece);
    case 'tool-approval-request':
      throw unsupportedApproval(piece, modelInfo);
    default:
      return undefined;
  }
}

/**
 * Converts a reasoning text. An empty one is kept if it has data that the provider needs back, such as an
 * encrypted text.
 */
export function toThinking(
  content: string,
  providerDetails: JsonObject | undefined,
): ThinkingPart | undefined {
  if (providerDetails === undefined) {
    return content === '' ? undefined : { kind: 'thinking', content };
  }
  const signature = signatureIn(providerDetails);
  return { kind: 'thinking', content, ...(signature && { signature }), providerDetails };
}

/** Returns the signature that a provider added to a reasoning text. */
export function signatureIn(details: JsonObject): string | undefined {
  for (const options of Object.values(details)) {
    if (typeof options === 'object' && options !== null && 'signature' in options) {
      if (typeof options.signature === 'string') return options.signature;
    }
  }
  return undefined;
}

/** Converts a call of a function or a native tool. Its arguments stay unchanged. */
export function toCall(
  piece: ToolCallPiece,
  modelInfo: ModelInfo,
): ToolCallPart | NativeToolCallPart {
  const providerDetails = toDetails(piece.providerMetadata);
  const isNative = piece.providerExecuted === true;
  if (isNative && isSearch(piece.toolName, modelInfo.search)) {
    return fromSearchCall(piece, providerDetails, modelInfo);
  }
  return {
    kind: isNative ? 'native-tool-call' : 'tool-call',
    toolName: piece.toolName,
    toolCallId: piece.toolCallId,
    args: piece.input,
    ...(providerDetails && { providerDetails }),
  };
}

/** Converts the result of a native tool. Returns `undefined` if a later result replaces it. */
export function toNativeReturn(
  piece: ToolResultPiece,
  modelInfo: ModelInfo,
): NativeToolReturnPart | undefined {
  if (piece.preliminary === true) return undefined;
  const providerDetails = toDetails(piece.providerMetadata);
  if (isSearch(piece.toolName, modelInfo.search)) {
    return fromSearchResult(piece, providerDetails, modelInfo);
  }
  return {
    kind: 'native-tool-return',
    toolName: piece.toolName,
    toolCallId: piece.toolCallId,
    content: toFrozenJson(piece.result, 'result'),
    outcome: piece.isError === true ? 'failed' : 'success',
    ...(providerDetails && { providerDetails }),
  };
}

/** Converts a file with data. A file with an address is not a part; see {@link toExtra}. */
export function toFile(piece: FilePiece): FilePart | undefined {
  const bytes = bytesIn(piece);
  if (bytes === undefined) return undefined;
  const content =
    typeof bytes === 'string'
      ? ({ kind: 'binary', data: bytes, mediaType: piece.mediaType } as const)
      : binaryContent(bytes, piece.mediaType);
  const providerDetails = toDetails(piece.providerMetadata);
  return { kind: 'file', content, ...(providerDetails && { providerDetails }) };
}

function bytesIn({ data }: FilePiece): string | Uint8Array | undefined {
  if (typeof data === 'string' || data instanceof Uint8Array) return data;
  return data.type === 'data' ? data.data : undefined;
}

/** Returns content that no part can represent, as JSON: sources, and files with an address. */
export function toExtra(piece: { readonly type: string }): JsonValue | undefined {
  if (piece.type === 'source') return toFrozenJson(piece, 'source');
  // `type` identifies a file.
  if (piece.type === 'file' && bytesIn(piece as FilePiece) === undefined) {
    return toFrozenJson(piece, 'file');
  }
  return undefined;
}

/** Returns the error for an approval request of the provider, which a run cannot decide. */
export function unsupportedApproval(piece: ApprovalRequestPiece, { name }: ModelInfo): ModelError {
  return new ModelError(
    `The provider of model \`${name}\` requests approval for its native tool call \`${piece.toolCallId}\`, which ` +
      'a run cannot decide. Set the options of the native tool so that it needs no approval, or use a function ' +
      'with `requiresApproval` instead.',
    { modelName: name },
  );
}

/** Copies provider metadata, which the provider needs back, as JSON. */
export function toDetails(metadata: unknown): JsonObject | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  return toFrozenJson(metadata, 'providerMetadata') as JsonObject; // a copy of an object
}

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content-filter', 'content_filter'],
  ['tool-calls', 'tool_call'],
  ['error', 'error'],
]);

function fromUsage({ inputTokens, outputTokens }: LanguageModelUsage): RequestUsage | undefined {
  const reasoning = outputTokens?.reasoning;
  const usage = definedFields({
    inputTokens: inputTokens?.total,
    outputTokens: outputTokens?.total,
    cacheReadTokens: inputTokens?.cacheRead,
    cacheWriteTokens: inputTokens?.cacheWrite,
    details: reasoning === undefined ? undefined : { reasoning_tokens: reasoning },
  });
  return Object.keys(usage).length > 0 ? usage : undefined;
}
