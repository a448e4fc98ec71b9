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
import type {
  ApprovalRequestPiece,
  ContentPiece,
  FilePiece,
  ToolCallPiece,
  ToolResultPiece,
} from './answer-parts.ts';
import { definedFields } from './known.ts';
import type {
  LanguageModelResult,
  LanguageModelEnd,
  LanguageModelResponseMetadata,
  LanguageModelUsage,
} from './language-model.ts';
import { fromSearchCall, fromSearchResult, isSearch } from './native/search-parts.ts';
import type { SearchFormat } from './native/search-wire.ts';

/** Which model answers, for replies and error messages. */
export interface ModelInfo {
  readonly name: string;
  readonly system: string;
  /** How the provider tells of its own search for tools, where it has one. */
  readonly search?: SearchFormat | undefined;
}

/** An answer that came in one piece, as our reply. */
export function fromContent(answer: LanguageModelResult, modelInfo: ModelInfo): ModelResponseData {
  const parts: ResponsePart[] = [];
  const extras: JsonValue[] = [];
  // The specification says which kinds there are; `default` takes those of its later versions.
  for (const piece of answer.content as readonly ContentPiece[]) {
    const part = toPart(piece, modelInfo);
    if (part !== undefined) parts.push(part);
    const extra = toExtra(piece);
    if (extra !== undefined) extras.push(extra);
  }
  return { parts, ...fromEnd(answer, { modelInfo, metadata: answer.response, extras }) };
}

/** What is definedFields about an answer apart from its parts. */
export function fromEnd(
  end: LanguageModelEnd,
  about: {
    readonly modelInfo: ModelInfo;
    readonly metadata: LanguageModelResponseMetadata | undefined;
    /** What the answer held that is no part; see {@link toExtra}. */
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
 * A thought; one without text exists if its provider wants something back with it, such as an
 * encrypted thought.
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

/** The seal that a provider set on a thought. */
export function signatureIn(details: JsonObject): string | undefined {
  for (const own of Object.values(details)) {
    if (typeof own === 'object' && own !== null && 'signature' in own) {
      if (typeof own.signature === 'string') return own.signature;
    }
  }
  return undefined;
}

/** A call, ours to execute or already executed by the provider; its arguments stay as they came. */
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

/** What a tool of the provider gave back; `undefined` while a later result will replace it. */
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

/** A file by value. One by address is no part: see {@link toExtra}. */
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

/** What is kept beside the parts because no part can hold it: sources, and files by their address. */
export function toExtra(piece: { readonly type: string }): JsonValue | undefined {
  if (piece.type === 'source') return toFrozenJson(piece, 'source');
  // Its type says that it is one.
  if (piece.type === 'file' && bytesIn(piece as FilePiece) === undefined) {
    return toFrozenJson(piece, 'file');
  }
  return undefined;
}

/** A provider's own approvals have no answer in a run; to ignore one would hide it. */
export function unsupportedApproval(piece: ApprovalRequestPiece, { name }: ModelInfo): ModelError {
  return new ModelError(
    `The provider of ${name} asks for an approval of its own tool call ${piece.toolCallId}, which ` +
      'cannot be given. Turn approvals off in the options of the provider tool, or offer the tool ' +
      'as one of yours with requiresApproval.',
    { modelName: name },
  );
}

/** What a provider wants to have back, as JSON. */
export function toDetails(metadata: unknown): JsonObject | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  // JSON of an object that is no array is an object.
  return toFrozenJson(metadata, 'providerMetadata') as JsonObject;
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
