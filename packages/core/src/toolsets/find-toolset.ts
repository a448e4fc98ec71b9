import type { Toolset } from './toolset.ts';

/** The outermost toolset with this id: the one given, or one inside of it. */
export function findToolset(toolset: Toolset<never>, id: string): Toolset<never> | undefined {
  if (toolset.find !== undefined) return toolset.find(id);
  return toolset.id === id ? toolset : undefined;
}
