import { requireNameText } from '../tools/tool-name.ts';
import { changeEach, redefined, type ToolChange } from './tool-change.ts';

/** Puts a prefix and an underscore before the names of tools. */
export function prefixed<Deps>(prefix: string): ToolChange<Deps> {
  requireNameText('The prefix', prefix);
  const nameOf = (name: string): string => `${prefix}_${name}`;
  return changeEach(
    'prefixed',
    (tool) => redefined(tool, { ...tool.definition, name: nameOf(tool.definition.name) }),
    nameOf,
  );
}
