import type { ToolMap, Toolset } from './toolset.ts';
import { WrappedTool } from './wrapped-tool.ts';
import { mapTools, WrapperToolset } from './wrapper-toolset.ts';

/** Puts a prefix and an underscore before the names of tools. */
export class PrefixedToolset<in Deps = unknown> extends WrapperToolset<Deps> {
  readonly prefix: string;

  constructor(wrapped: Toolset<Deps>, prefix: string) {
    super(wrapped);
    this.prefix = prefix;
  }

  protected override around(wrapped: Toolset<Deps>): Toolset<Deps> {
    return new PrefixedToolset(wrapped, this.prefix);
  }

  protected override change(tools: ToolMap<Deps>): ToolMap<Deps> {
    return mapTools(tools, (tool) => {
      const name = `${this.prefix}_${tool.definition.name}`;
      return new WrappedTool(tool, Object.freeze({ ...tool.definition, name }));
    });
  }
}
