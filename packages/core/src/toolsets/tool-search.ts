import type { RunContext } from '../context/run-context.ts';
import { checkOptions, type OptionTable } from '../errors/check-options.ts';
import { UserError } from '../errors/user-errors.ts';
import { invariant } from '../internal/invariant.ts';
import { foundInMetadata, foundToolNames } from '../messages/found-tools.ts';
import type { Message, ModelResponse } from '../messages/message.ts';
import { tool } from '../tools/define-tool.ts';
import { fromJsonSchema } from '../tools/input-schema.ts';
import { ModelRetry } from '../tools/signals.ts';
import type { StandardIssue, StandardSchema } from '../tools/standard-schema.ts';
import { WrapperToolset } from './abstract-toolset.ts';
import { FunctionToolset } from './function-toolset.ts';
import { redefined } from './tool-change.ts';
import { findToolset, type ToolMap, type Toolset, type ToolsetTool } from './toolset.ts';

/** Options of the search for hidden tools. */
export interface ToolSearchOptions {
  /** The maximum number of tools that one search surfaces. Defaults to 10. */
  readonly maxResults?: number | undefined;
  /** True if the provider's own search is used when the model supports it. Defaults to `true`. */
  readonly native?: boolean | undefined;
}

const TOOL_SEARCH_OPTIONS: OptionTable<ToolSearchOptions> = {
  maxResults: 'number',
  native: 'boolean',
};

/** Throws a `UserError` for options of a tool search that are unknown or of another type. */
export function checkToolSearch(options: ToolSearchOptions): void {
  checkOptions('`toolSearch`', options, TOOL_SEARCH_OPTIONS);
}

/**
 * Hides tools with `deferLoading` until the conversation surfaces them, and adds a tool that searches for them.
 *
 * Uses the provider's own search instead if the model supports it. Without hidden tools it changes nothing.
 */
export class ToolSearchToolset<in Deps = unknown> extends WrapperToolset<Deps> {
  readonly #options: ToolSearchOptions;
  readonly #discovery = new Discovery();
  #last: SearchableTools<Deps> | undefined;

  constructor(wrapped: Toolset<Deps>, options: ToolSearchOptions = {}) {
    super(wrapped);
    checkToolSearch(options);
    this.#options = options;
    const { maxResults } = options;
    if (maxResults !== undefined && !(Number.isInteger(maxResults) && maxResults > 0)) {
      throw new UserError(
        `\`maxResults\` of the tool search is ${maxResults}. Pass a whole number, 1 or more.`,
      );
    }
  }

  /** Returns the toolset without this wrapper, because a sub-agent has its own search. */
  override find(id: string): Toolset<never> | undefined {
    return findToolset(this.wrapped, id);
  }

  protected override wrap(wrapped: Toolset<Deps>): Toolset<Deps> {
    return new ToolSearchToolset(wrapped, this.#options);
  }

  override async getTools(ctx: RunContext<Deps>): Promise<ToolMap<Deps>> {
    const tools = await super.getTools(ctx);
    const hidden = [...tools.values()].filter((one) => one.definition.deferLoading);
    if (hidden.length === 0) return tools;
    const found = this.#discovery.in(ctx.messages);
    if (this.#last?.tools !== tools || this.#last.found !== found) {
      this.#last = { tools, found, result: await this.#withSearch(tools, hidden, found, ctx) };
    }
    return this.#last.result;
  }

  async #withSearch(
    tools: ToolMap<Deps>,
    hidden: readonly ToolsetTool<Deps>[],
    found: ReadonlySet<string>,
    ctx: RunContext<Deps>,
  ): Promise<ToolMap<Deps>> {
    if (tools.has(SEARCH_TOOL)) {
      throw new UserError(
        `The name \`${SEARCH_TOOL}\` is reserved for the tool search. Rename your tool.`,
      );
    }
    const isNative =
      this.#options.native !== false && ctx.model.supportsNative?.({ kind: 'tool-search' });
    const provider = isNative ? ctx.model.system : undefined;
    // Hidden tools come last: when one is found, the tools before it keep their place in the requests.
    const result = new Map<string, ToolsetTool<Deps>>();
    for (const [name, one] of tools) if (!one.definition.deferLoading) result.set(name, one);
    for (const [name, one] of tools)
      if (one.definition.deferLoading) result.set(name, this.#hidden(one, found, provider));
    if (provider === undefined) result.set(SEARCH_TOOL, await this.#searchTool(hidden, found, ctx));
    return result;
  }

  /** Makes a hidden tool callable if it was found, and includes it in the search of the provider. */
  #hidden(
    one: ToolsetTool<Deps>,
    found: ReadonlySet<string>,
    provider: string | undefined,
  ): ToolsetTool<Deps> {
    const { definition } = one;
    const isFound = found.has(definition.name);
    const deferLoading = !isFound;
    // The provider's search does not need tools that were found in another way.
    const isSearched =
      provider !== undefined && (!isFound || this.#discovery.wasFoundBy(provider, definition.name));
    if (isSearched)
      return redefined(one, { ...definition, deferLoading, withNative: 'tool-search' });
    return isFound ? redefined(one, { ...definition, deferLoading }) : one;
  }

  async #searchTool(
    hidden: readonly ToolsetTool<Deps>[],
    known: ReadonlySet<string>,
    ctx: RunContext<Deps>,
  ): Promise<ToolsetTool<Deps>> {
    const corpus = hidden.map((one) => one.definition);
    const limit = this.#options.maxResults ?? 10;
    const search = tool({
      name: SEARCH_TOOL,
      description: 'Finds further tools by words in their names and descriptions.',
      inputSchema: queriesSchema,
      readOnly: true,
      execute({ queries }) {
        if (queries.some((query) => wordsOf(query).length > 0)) {
          return searchResult(keywordsSearch(queries, corpus, { limit, known }));
        }
        throw new ModelRetry('Send at least one query with letters (a to z) or digits.');
      },
    });
    const tools = await new FunctionToolset([search]).getTools(ctx);
    const entry = invariant(tools.get(SEARCH_TOOL), 'the toolset has the search tool');
    return redefined(entry, { ...entry.definition, toolKind: 'tool-search' });
  }
}

/** The tools of the last step, with the search tool. */
interface SearchableTools<Deps> {
  /** The tools without the search tool. */
  readonly tools: ToolMap<Deps>;
  /** The names of the hidden tools that the conversation has surfaced. */
  readonly found: ReadonlySet<string>;
  readonly result: ToolMap<Deps>;
}

function searchResult(tools: readonly { readonly name: string }[]): object {
  const discovered_tools = tools.map(({ name }) => ({ name }));
  return tools.length > 0
    ? { discovered_tools }
    : { discovered_tools, message: 'No tool matches. There may be none for this.' };
}

/** The name of the tool that searches for tools. */
const SEARCH_TOOL = 'search_tools';

/** The hidden tools that a conversation has surfaced. Each message is read once. */
export class Discovery {
  #messages: readonly Message[] = [];
  #seen = 0;
  #names = new Set<string>();
  /** The tools that a provider's own search found, with the provider. */
  #finders = new Set<string>();
  /** The ids of the calls so far. A result without its call never reaches a model. */
  #callIds = new Set<string>();

  /** Returns true if the provider's own search found a tool. */
  wasFoundBy(provider: string, toolName: string): boolean {
    // A discovery without a provider name is attributed to the current provider.
    return this.#finders.has(finder(provider, toolName)) || this.#finders.has(finder('', toolName));
  }

  /** Returns the names of the tools that `messages` surface. A larger set is a new object. */
  in(messages: readonly Message[]): ReadonlySet<string> {
    if (messages !== this.#messages || messages.length < this.#seen) {
      this.#messages = messages;
      this.#seen = 0;
      this.#names = new Set();
      this.#finders = new Set();
      this.#callIds = new Set();
    }
    const found: string[] = [];
    for (const message of messages.slice(this.#seen)) {
      const names = surfacedBy(message, this.#callIds);
      found.push(...names);
      // Tools that a response surfaces were found by its provider.
      if (message.kind === 'response' && names.length > 0) this.#recordFinder(message, names);
    }
    this.#seen = messages.length;
    if (found.length > 0) this.#names = new Set([...this.#names, ...found]);
    return this.#names;
  }

  #recordFinder({ parts, providerName }: ModelResponse, names: readonly string[]): void {
    const search = parts.find((part) => part.kind === 'native-tool-return');
    const provider = search?.providerName ?? providerName ?? '';
    for (const name of names) this.#finders.add(finder(provider, name));
  }
}

function finder(provider: string, toolName: string): string {
  return `${provider} ${toolName}`;
}

/** Returns the tools that a message surfaces. Adds the ids of its calls to `callIds`. */
function surfacedBy(message: Message, callIds: Set<string>): string[] {
  const names: string[] = [];
  for (const part of message.parts) {
    if (part.kind === 'tool-call') callIds.add(part.toolCallId);
    if (part.kind === 'tool-return' && !callIds.has(part.toolCallId)) continue;
    if (part.kind === 'tool-availability-delta') names.push(...part.toolsAdded);
    if (part.kind !== 'tool-return' && part.kind !== 'native-tool-return') continue;
    if (part.toolKind === 'tool-search') names.push(...foundToolNames(part.content));
    else if (part.toolName === SEARCH_TOOL) names.push(...foundInMetadata(part.metadata));
  }
  return names;
}

/** The parts of a tool that a search compares. */
export interface SearchableTool {
  readonly name: string;
  readonly description?: string | undefined;
}

/**
 * Returns the tools whose names or descriptions share words with the queries, best first.
 *
 * Tools that are not in `known` come first, then tools that share more words. Otherwise the order is kept.
 */
export function keywordsSearch<T extends SearchableTool>(
  queries: readonly string[],
  tools: readonly T[],
  options: { readonly limit: number; readonly known?: ReadonlySet<string> | undefined },
): T[] {
  const wanted = new Set(queries.flatMap(wordsOf));
  const scored = tools
    .map((candidate) => ({
      candidate,
      score: sharedWords(wanted, candidate),
      known: options.known?.has(candidate.name),
    }))
    .filter(({ score }) => score > 0);
  scored.sort((a, b) => Number(a.known ?? false) - Number(b.known ?? false) || b.score - a.score);
  return scored.slice(0, options.limit).map(({ candidate }) => candidate);
}

function sharedWords(
  wanted: ReadonlySet<string>,
  { name, description = '' }: SearchableTool,
): number {
  const words = new Set(wordsOf(`${name} ${description}`));
  let shared = 0;
  for (const word of wanted) if (words.has(word)) shared += 1;
  return shared;
}

/** Returns the words of a text in lower case. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

interface Queries {
  readonly queries: readonly string[];
}

const { '~standard': described } = fromJsonSchema<Queries>({
  type: 'object',
  properties: {
    queries: {
      type: 'array',
      items: { type: 'string' },
      description: 'Words that describe what the tools should do.',
    },
  },
  required: ['queries'],
  additionalProperties: false,
});

/** The schema of the arguments of the search tool. */
const queriesSchema: StandardSchema<Queries, Queries> = {
  '~standard': {
    ...described,
    validate(value) {
      const { queries, ...others } = value as { queries?: unknown }; // arguments are objects
      const issues = [...problemsOf(queries), ...Object.keys(others).map(unknownParameter)];
      return issues.length > 0 ? { issues } : { value: { queries: queries as readonly string[] } };
    },
  },
};

function problemsOf(queries: unknown): StandardIssue[] {
  if (!Array.isArray(queries))
    return [{ message: 'This must be a list of texts.', path: ['queries'] }];
  return queries.flatMap((query, index) =>
    typeof query === 'string'
      ? []
      : [{ message: 'This must be a text.', path: ['queries', index] }],
  );
}

function unknownParameter(key: string): StandardIssue {
  return { message: 'There is no such parameter.', path: [key] };
}
