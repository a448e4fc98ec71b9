import type { RunContext } from '../context/run-context.ts';
import { requireFunction } from '../errors/check-options.ts';
import { UserError } from '../errors/user-error.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import { redefined, sameName, type ToolChange } from './tool-change.ts';
import type { ToolsetTool } from './toolset.ts';

/** Decides for one step what tools look like: it may change definitions, leave tools out and order them. */
export type ToolsPrepare<in Deps = unknown> = (
  ctx: RunContext<Deps>,
  definitions: readonly ToolDefinition[],
) => readonly ToolDefinition[] | Promise<readonly ToolDefinition[]>;

/** Has a function look at the definitions of all tools in each step. */
export function prepared<Deps>(prepare: ToolsPrepare<Deps>): ToolChange<Deps> {
  requireFunction('The function of `prepared`', prepare);
  return {
    name: 'prepared',
    perStep: true,
    nameOf: sameName,
    async apply(tools, ctx) {
      const definitions = [...tools.values()].map((tool) => tool.definition);
      const changed = new Map<string, ToolsetTool<Deps>>();
      for (const definition of checked(await prepare(ctx, Object.freeze(definitions)))) {
        const tool = tools.get(definition.name);
        if (tool === undefined) {
          throw new UserError(
            `Preparing tools gave one named '${definition.name}', which was not there. Prepare functions ` +
              'cannot add or rename tools: add it to a toolset, or use renamed().',
          );
        }
        const same = definition === tool.definition;
        changed.set(definition.name, same ? tool : redefined(tool, definition));
      }
      return changed;
    },
  };
}

function checked(definitions: unknown): readonly ToolDefinition[] {
  if (Array.isArray(definitions)) return definitions;
  throw new UserError('Preparing tools gave no list. Return the definitions that are to be there.');
}
