import { structuredPatch } from 'diff';
import type { Line } from './line.ts';

/** Lines around a change. */
const CONTEXT = 2;
/** Two texts that have nothing in common are not worth a long search. */
const LONGEST_SEARCH = 1000;

/** What changes from one text to another, line by line; `undefined` if that is not worth showing. */
export function showDiff(before: string, after: string): readonly Line[] | undefined {
  const patch = structuredPatch('', '', before, after, undefined, undefined, {
    context: CONTEXT,
    timeout: LONGEST_SEARCH,
  });
  if (patch === undefined) return undefined;
  if (patch.hunks.length === 0) return [{ text: 'Nothing changes.', style: 'dim' }];
  return patch.hunks.flatMap(({ newStart, lines }, index) => [
    ...(index === 0 && newStart === 1
      ? []
      : [{ text: `@ line ${newStart}`, style: 'cyan' } as const]),
    ...lines.map(showDiffLine),
  ]);
}

/** Whether a text is a diff already. */
export function isDiff(text: string): boolean {
  return /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m.test(text) && /^[+-]/m.test(text);
}

/** A line of a diff in the colour of what it does. */
export function showDiffLine(line: string): Line {
  const text = line.replace(/^([+\- ])/, '$1 ');
  if (/^(\+\+\+|---) /.test(line)) return { text: line, style: 'bold' };
  if (line.startsWith('+')) return { text, style: 'green' };
  if (line.startsWith('-')) return { text, style: 'red' };
  return {
    text: line.startsWith('@@') ? line : text,
    style: line.startsWith('@@') ? 'cyan' : 'dim',
  };
}
