import { UserError } from '../errors/user-error.ts';
import { requireToolName } from '../tools/tool-name.ts';
import { redefined, type ToolChange } from './tool-change.ts';
import type { ToolsetTool } from './toolset.ts';

/** Gives tools other names: new name to old name. */
export function renamed<Deps>(names: Readonly<Record<string, string>>): ToolChange<Deps> {
  for (const name of Object.keys(names)) requireToolName(name);
  const newNames = new Map(Object.entries(names).map(([now, before]) => [before, now]));
  return {
    name: 'renamed',
    perStep: false,
    nameOf: (name) => newNames.get(name) ?? name,
    apply(tools) {
      const changed = new Map<string, ToolsetTool<Deps>>();
      for (const [before, tool] of tools) {
        const name = newNames.get(before) ?? before;
        if (changed.has(name)) {
          throw new UserError(
            `Renaming gives two tools the name '${name}'. Choose a name that no other tool has.`,
          );
        }
        changed.set(name, name === before ? tool : redefined(tool, { ...tool.definition, name }));
      }
      return changed;
    },
  };
}
