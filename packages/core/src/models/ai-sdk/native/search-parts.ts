import { foundToolNames } from '../../../messages/found-tools.ts';
import {
  isPlainObject,
  type JsonObject,
  type JsonValue,
  toFrozenJson,
} from '../../../internal/json.ts';
import type { NativeToolCallPart, NativeToolReturnPart } from '../../../messages/response-part.ts';
import type { ToolCallPiece, ToolResultPiece } from '../answer-parts.ts';
import { providerOptionsOf, type ToolCallItem, type ToolResultItem } from '../prompt.ts';
import type { SearchFormat } from './search-wire.ts';

/** What a search for tools by any provider is called in a history. */
const SEARCH_PART = { toolName: 'tool_search', toolKind: 'tool-search' } as const;

/** Who searched: how its provider tells of it, and under which name. */
interface Searcher {
  readonly system: string;
  readonly search?: SearchFormat | undefined;
}

/** Whether a name is that of a provider's own search for tools. */
export function isSearch(toolName: string, format: SearchFormat | undefined): boolean {
  return format?.tools.some(({ name }) => name === toolName) ?? false;
}

/**
 * A search that the provider made. Histories hold searches of all providers in the same form; what
 * this one said itself is kept beside it.
 */
export function fromSearchCall(
  piece: ToolCallPiece,
  details: JsonObject | undefined,
  { system, search }: Searcher,
): NativeToolCallPart {
  const strategy = search?.tools.find(({ name }) => name === piece.toolName)?.strategy;
  const input = parsed(piece.input);
  return {
    kind: 'native-tool-call',
    ...SEARCH_PART,
    toolCallId: piece.toolCallId,
    args: { queries: textsIn(input) },
    providerName: system,
    providerDetails: { ...details, ...(strategy !== undefined && { strategy }), input },
  };
}

/** What a search of the provider found. */
export function fromSearchResult(
  piece: ToolResultPiece,
  details: JsonObject | undefined,
  { system, search }: Searcher,
): NativeToolReturnPart {
  const failed = piece.isError === true;
  const result = toFrozenJson(piece.result, 'result');
  const names = failed ? [] : (search?.namesIn(result) ?? []);
  const discovered_tools = names.map((name) => ({ name }));
  return {
    kind: 'native-tool-return',
    ...SEARCH_PART,
    toolCallId: piece.toolCallId,
    content: failed ? { discovered_tools, message: 'The search failed.' } : { discovered_tools },
    outcome: failed ? 'failed' : 'success',
    providerName: system,
    providerDetails: { ...details, result },
  };
}

/** A search as its provider takes it back; `undefined` where that cannot be told. */
export function toSearchCall(
  part: NativeToolCallPart,
  format: SearchFormat,
): ToolCallItem | undefined {
  const { input: kept, strategy, ...details } = part.providerDetails ?? {};
  const tool = format.tools.find((one) => one.strategy === strategy) ?? format.tools[0];
  const input = isPlainObject(kept)
    ? kept
    : format.inputOf?.(textsIn(searchArgsOf(part)), tool?.strategy);
  if (input === undefined || tool === undefined) return undefined;
  const { toolCallId } = part;
  return {
    type: 'tool-call',
    toolCallId,
    toolName: tool.name,
    input: input as JsonObject, // both are JSON
    providerExecuted: true,
    ...providerOptionsOf(details),
  };
}

/** What a search found, as its provider takes it back; `undefined` where that cannot be told. */
export function toSearchResult(
  part: NativeToolReturnPart,
  format: SearchFormat,
): ToolResultItem | undefined {
  const { result, ...details } = part.providerDetails ?? {};
  const value = result ?? format.resultOf?.(foundToolNames(part.content));
  const toolName = format.tools[0]?.name;
  if (value === undefined || toolName === undefined) return undefined;
  const type = part.outcome === 'success' ? 'json' : 'error-json';
  const { toolCallId } = part;
  const output = { type, value } as const;
  return { type: 'tool-result', toolCallId, toolName, output, ...providerOptionsOf(details) };
}

function searchArgsOf({ args }: NativeToolCallPart): JsonObject {
  return typeof args === 'string' ? parsed(args) : (args ?? {});
}

function parsed(text: string): JsonObject {
  try {
    const value = toFrozenJson(JSON.parse(text), 'input');
    if (isPlainObject(value)) return value as JsonObject; // JSON, as it is a copy of JSON
  } catch {
    // What cannot be read has no queries in it.
  }
  return {};
}

/** All texts in a value: what was searched for, however a provider puts it. */
function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
