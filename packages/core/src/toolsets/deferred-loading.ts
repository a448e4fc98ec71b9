import type { ToolSelector } from '../tools/tool-selector.ts';
import { changeSelected, type ToolChange } from './tool-change.ts';

/** Hides tools until something surfaces them, such as a search. */
export function deferredLoading<Deps>(selector: ToolSelector<Deps> = 'all'): ToolChange<Deps> {
  return changeSelected('deferLoading', selector, (definition) => ({
    ...definition,
    deferLoading: true,
  }));
}
