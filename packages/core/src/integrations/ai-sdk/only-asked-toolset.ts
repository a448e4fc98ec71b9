import type { RunContext } from '../../context/run-context.ts';
import { CallDeferred } from '../../tools/signals.ts';
import { WrapperToolset } from '../../toolsets/abstract-toolset.ts';
import type { ToolMap, Toolset, ToolsetTool } from '../../toolsets/toolset.ts';
import { WrappedTool } from '../../toolsets/wrapped-tool.ts';

/** Tools that are checked and decided on, but never executed: calls that might run are deferred. */
export class OnlyAskedToolset<in Deps = unknown> extends WrapperToolset<Deps> {
  protected override wrap(wrapped: Toolset<Deps>): Toolset<Deps> {
    return new OnlyAskedToolset(wrapped);
  }

  override async getTools(ctx: RunContext<Deps>): Promise<ToolMap<Deps>> {
    const tools = new Map<string, ToolsetTool<Deps>>();
    for (const [name, tool] of await super.getTools(ctx)) tools.set(name, new OnlyAsked(tool));
    return tools;
  }
}

class OnlyAsked<in Deps> extends WrappedTool<Deps> {
  constructor(tool: ToolsetTool<Deps>) {
    super(tool, tool.definition);
  }

  override execute(): never {
    throw new CallDeferred();
  }
}
