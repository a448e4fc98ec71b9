import { isPlainObject, type JsonObject, type JsonValue } from '../../../internal/json.ts';

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
