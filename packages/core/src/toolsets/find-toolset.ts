import type { Toolset } from './toolset.ts';

/** Returns the outermost toolset with an id: the given one, or one that it contains. */
export function findToolset(toolset: Toolset<never>, id: string): Toolset<never> | undefined {
  if (toolset.find !== undefined) return toolset.find(id);
  return toolset.id === id ? toolset : undefined;
}
