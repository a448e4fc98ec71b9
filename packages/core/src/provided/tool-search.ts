import type { Capability } from '../capabilities/capability.ts';
import type { ToolSearchOptions } from '../toolsets/tool-search/tool-search-toolset.ts';

/** A capability that says how tools with `deferLoading` are searched; without it they are searched, too. */
export function toolSearch(options: ToolSearchOptions = {}): Capability {
  return Object.freeze({ name: 'toolSearch', toolSearch: options });
}
