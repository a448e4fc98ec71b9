import { UserError } from '../errors/user-error.ts';
import type { ToolMap, Toolset, ToolsetTool } from './toolset.ts';
import { WrappedTool } from './wrapped-tool.ts';
import { WrapperToolset } from './wrapper-toolset.ts';

/** Gives tools other names: new name to old name. */
export class RenamedToolset<in Deps = unknown> extends WrapperToolset<Deps> {
  readonly names: Readonly<Record<string, string>>;

  constructor(wrapped: Toolset<Deps>, names: Readonly<Record<string, string>>) {
    super(wrapped);
    this.names = names;
  }

  protected override around(wrapped: Toolset<Deps>): Toolset<Deps> {
    return new RenamedToolset(wrapped, this.names);
  }

  protected override change(tools: ToolMap<Deps>): ToolMap<Deps> {
    const newNames = new Map(Object.entries(this.names).map(([now, before]) => [before, now]));
    const renamed = new Map<string, ToolsetTool<Deps>>();
    for (const [before, tool] of tools) {
      const name = newNames.get(before) ?? before;
      if (renamed.has(name)) {
        throw new UserError(
          `Renaming '${newNames.has(before) ? before : this.names[name]}' to '${name}' in ${this.label} ` +
            'gives two tools the same name. Choose another one.',
        );
      }
      renamed.set(
        name,
        name === before ? tool : new WrappedTool(tool, Object.freeze({ ...tool.definition, name })),
      );
    }
    return renamed;
  }
}
