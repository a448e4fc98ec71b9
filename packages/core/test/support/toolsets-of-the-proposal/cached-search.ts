import { AbstractToolset, FunctionToolset, type RunContext, tool } from 'holdpoint';
import type { ToolMap } from 'holdpoint/toolsets';
import { z } from 'zod';

/** Looks something up where that is expensive. */
export type LookUp = (query: string) => Promise<string>;

/**
 * A search that remembers what it has found. It says nothing about sub-agents: a cache is worth more
 * the more of them use it.
 */
export class CachedSearchToolset extends AbstractToolset {
  readonly #found = new Map<string, Promise<string>>();
  readonly #tools: FunctionToolset;

  constructor(lookUp: LookUp) {
    super();
    const search = tool({
      name: 'search',
      inputSchema: z.object({ query: z.string() }),
      execute: ({ query }) => {
        let finding = this.#found.get(query);
        if (finding === undefined) {
          finding = lookUp(query);
          this.#found.set(query, finding);
        }
        return finding;
      },
    });
    this.#tools = new FunctionToolset([search]);
  }

  override get id(): string {
    return 'search';
  }

  get label(): string {
    return 'the search';
  }

  getTools(ctx: RunContext): ToolMap | Promise<ToolMap> {
    return this.#tools.getTools(ctx);
  }
}
