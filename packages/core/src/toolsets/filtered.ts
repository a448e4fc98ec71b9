import {
  matchesToolSelector,
  requireToolSelector,
  type ToolSelector,
} from '../tools/tool-selector.ts';
import { sameName, type ToolChange } from './tool-change.ts';
import type { ToolsetTool } from './toolset.ts';

/** Keeps the tools that a selector picks; the others are not there. */
export function filtered<Deps>(selector: ToolSelector<Deps>): ToolChange<Deps> {
  requireToolSelector('The tool selector of `filtered`', selector);
  return {
    name: 'filtered',
    perStep: typeof selector === 'function',
    nameOf: sameName,
    async apply(tools, ctx) {
      const kept = new Map<string, ToolsetTool<Deps>>();
      for (const [name, tool] of tools) {
        if (await matchesToolSelector(selector, ctx, tool.definition)) kept.set(name, tool);
      }
      return kept;
    },
  };
}
