import { isPlainObject, type JsonObject, type JsonValue } from '../../../internal/json.ts';

/** How a provider tells of its own search for tools. */
export interface SearchFormat {
  /** What the provider calls its searches, and what we call them; the first is the one we offer. */
  readonly tools: readonly {
    readonly name: string;
    readonly strategy?: string | undefined;
  }[];
  /** The names of the tools that a search found. */
  namesIn(result: JsonValue): readonly string[];
  /** A search as the provider would have made it, where it can be told from its queries alone. */
  inputOf?(queries: readonly string[], strategy: string | undefined): JsonObject;
  /** What a search found as the provider would have said it, where names are enough for that. */
  resultOf?(names: readonly string[]): JsonValue;
}

/** Anthropic: a query or a pattern gives references to tools. */
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

/** OpenAI: the definitions of the tools come back, some of them inside of namespaces. */
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
