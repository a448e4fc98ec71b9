import {
  isPlainObject,
  type JsonObject,
  type JsonValue,
  toFrozenJson,
} from '../../../internal/json.ts';
import { foundToolNames } from '../../../messages/found-tools.ts';
import type { NativeToolCallPart, NativeToolReturnPart } from '../../../messages/response-part.ts';
import type { ToolCallPiece, ToolResultPiece } from '../language-model.ts';
import { providerOptionsOf, type ToolCallItem, type ToolResultItem } from '../prompt.ts';

/** The format of a provider's tool search. */
export interface SearchFormat {
  /** The names of the provider's searches and their strategies. The first one is sent to the model. */
  readonly tools: readonly {
    readonly name: string;
    readonly strategy?: string | undefined;
  }[];
  /** Returns the names of the tools that a search found. */
  namesIn(result: JsonValue): readonly string[];
  /** Makes the input of a search from its queries. Missing if the queries do not suffice. */
  inputOf?(queries: readonly string[], strategy: string | undefined): JsonObject;
  /** Makes the result of a search from the names it found. Missing if the names do not suffice. */
  resultOf?(names: readonly string[]): JsonValue;
}

/** The tool search of Anthropic: a query or a pattern returns references to tools. */
export const anthropicSearch: SearchFormat = {
  tools: [
    { name: 'tool_search_tool_bm25', strategy: 'bm25' },
    { name: 'tool_search_tool_regex', strategy: 'regex' },
  ],
  namesIn: (result) => objectsIn(result).flatMap((one) => stringOf(one['toolName'])),
  inputOf: (queries, strategy) =>
    strategy === 'regex' ? { pattern: queries.join('|') } : { query: queries.join(' ') },
  resultOf: (names) => names.map((toolName) => ({ type: 'tool_reference', toolName })),
};

/** The tool search of OpenAI: it returns definitions of tools, some of them in namespaces. */
export const openAiSearch: SearchFormat = {
  tools: [{ name: 'tool_search' }],
  namesIn(result) {
    const tools = isPlainObject(result) ? objectsIn(result['tools']) : [];
    return tools.flatMap((one) =>
      one['type'] === 'namespace' ? openAiSearch.namesIn(one) : stringOf(one['name']),
    );
  },
};

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter((one): one is JsonObject => isPlainObject(one)) : [];
}

function stringOf(value: JsonValue | undefined): string[] {
  return typeof value === 'string' ? [value] : [];
}

/** The fields of every search for tools in a history, for all providers. */
const SEARCH_PART = { toolName: 'tool_search', toolKind: 'tool-search' } as const;

/** The provider that searched, and its format. */
interface Searcher {
  readonly system: string;
  readonly search?: SearchFormat | undefined;
}

/** Returns true if a name is that of the provider's tool search. */
export function isSearch(toolName: string, format: SearchFormat | undefined): boolean {
  return format?.tools.some(({ name }) => name === toolName) ?? false;
}

/**
 * Converts a tool search of the provider. Histories store searches of all providers in the same form, with the
 * original input in `providerDetails`.
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

/** Converts the result of a tool search of the provider. */
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

/** Converts a search to the format of its provider. Returns `undefined` if the input is unknown. */
export function toSearchCall(
  part: NativeToolCallPart,
  format: SearchFormat,
): ToolCallItem | undefined {
  const { input: original, strategy, ...details } = part.providerDetails ?? {};
  const tool = format.tools.find((one) => one.strategy === strategy) ?? format.tools[0];
  const input = isPlainObject(original)
    ? original
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

/** Converts a search result to the format of its provider. Returns `undefined` if the result is unknown. */
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
    if (isPlainObject(value)) return value as JsonObject; // a copy of JSON
  } catch {
    // Invalid JSON contains no queries.
  }
  return {};
}

/** Returns all texts in a value. They are the queries, in the format of any provider. */
function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
