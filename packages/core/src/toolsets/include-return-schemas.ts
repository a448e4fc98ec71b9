import type { ToolSelector } from '../tools/tool-selector.ts';
import { changeSelected, type ToolChange } from './tool-change.ts';

/** Tells the model what tools return, where they do not say otherwise themselves. */
export function includeReturnSchemas<Deps>(selector: ToolSelector<Deps> = 'all'): ToolChange<Deps> {
  return changeSelected('includeReturnSchemas', selector, (definition) => ({
    ...definition,
    includeReturnSchema: definition.includeReturnSchema ?? true,
  }));
}
