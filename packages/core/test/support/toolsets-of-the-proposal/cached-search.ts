import { AbstractToolset, FunctionToolset, type RunContext, tool } from 'holdpoint';
import type { ToolMap } from 'holdpoint/toolsets';
import { z } from 'zod';

/** An expensive search. */
export type LookUp = (query: string) => Promise<string>;

/** A search with a cache. It has no `forSubAgent`, because a shared cache is more useful. */
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
