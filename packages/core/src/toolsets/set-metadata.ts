import type { JsonObject } from '../messages/json.ts';
import type { ToolSelector } from '../tools/tool-selector.ts';
import { changeSelected, type ToolChange } from './tool-change.ts';

/** Adds metadata to tools, over their own. */
export function setMetadata<Deps>(
  metadata: JsonObject,
  selector: ToolSelector<Deps> = 'all',
): ToolChange<Deps> {
  return changeSelected('withMetadata', selector, (definition) => ({
    ...definition,
    metadata: Object.freeze({ ...definition.metadata, ...metadata }),
  }));
}
