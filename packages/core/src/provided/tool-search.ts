import type { Capability } from '../capabilities/capability.ts';
import {
  checkToolSearch,
  type ToolSearchOptions,
} from '../toolsets/tool-search/tool-search-toolset.ts';

/** A capability that says how tools with `deferLoading` are searched; without it they are searched, too. */
export function toolSearch(options: ToolSearchOptions = {}): Capability {
  checkToolSearch(options);
  return Object.freeze({ name: 'toolSearch', toolSearch: options });
}
