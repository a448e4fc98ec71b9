import type { RunContext } from '../../context/run-context.ts';
import { checkOptions, type OptionTable } from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import { invariant } from '../../internal/invariant.ts';
import { tool } from '../../tools/define-tool.ts';
import { ModelRetry } from '../../tools/signals.ts';
import { WrapperToolset } from '../abstract-toolset.ts';
import { FunctionToolset } from '../function-toolset.ts';
import { redefined } from '../tool-change.ts';
import { findToolset, type ToolMap, type Toolset, type ToolsetTool } from '../toolset.ts';
import { Discovery, SEARCH_TOOL } from './discovery.ts';
import { keywordsSearch } from './keywords-search.ts';
import { queriesSchema } from './queries-schema.ts';

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
    const result = new Map<string, ToolsetTool<Deps>>();
    for (const [name, one] of tools) {
      result.set(name, one.definition.deferLoading ? this.#hidden(one, found, provider) : one);
    }
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
        if (queries.some((query) => query.trim() !== '')) {
          return searchResult(keywordsSearch(queries, corpus, { limit, known }));
        }
        throw new ModelRetry('Send at least one query that is not empty.');
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
