import type { JsonValue } from 'holdpoint';
import { type Line, linesOf } from './line.ts';
import { isDiff, showDiff, showDiffLine } from './show-diff.ts';
import { isObject, showFields, showValue } from './show-value.ts';

/**
 * What a tool says that a call will do: text, a diff, a table, or data. The texts `before` and `after`
 * of an object are shown as what changes between them.
 */
export function showPreview(preview: JsonValue): readonly Line[] {
  if (typeof preview === 'string') {
    return isDiff(preview) ? preview.split('\n').map(showDiffLine) : linesOf(preview);
  }
  if (!isObject(preview)) return showValue(preview);
  const { before, after, ...rest } = preview;
  const change =
    typeof before === 'string' && typeof after === 'string' ? showDiff(before, after) : undefined;
  if (change === undefined) return showFields(preview);
  return Object.keys(rest).length === 0 ? change : [...showFields(rest), ...change];
}
