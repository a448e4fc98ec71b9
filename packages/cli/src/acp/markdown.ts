import type { ContentBlock } from '@agentclientprotocol/sdk';
import { type Line, toRows } from '../terminal/lines.ts';
import { visible } from '../terminal/visible.ts';

/** Long values are cut where an editor shows one line. */
const MAX_TITLE_LENGTH = 160;

/** Rows are not wrapped, because the editor wraps them. */
const NO_WRAP = Number.MAX_SAFE_INTEGER;

/** Returns a text block. */
export function textBlock(text: string): ContentBlock & { readonly type: 'text' } {
  return { type: 'text', text };
}

/** Returns lines as text, with markers for hidden characters. */
export function plainText(lines: readonly Line[]): string {
  const rows = toRows(lines, NO_WRAP);
  return rows.map((row) => row.map(({ text }) => text).join('')).join('\n');
}

/**
 * Returns untrusted text as a code block. Editors render Markdown, so the text could otherwise hide a part of itself or
 * load an image.
 */
export function codeBlock(text: string, language = ''): string {
  const fence = '`'.repeat(Math.max(3, backtickRun(text) + 1));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Returns untrusted text on one line as a code span, cut if it is long. */
export function codeSpan(text: string): string {
  const line = visible(text.trim().replaceAll(/\s+/g, ' '));
  const short = line.length > MAX_TITLE_LENGTH ? `${line.slice(0, MAX_TITLE_LENGTH)}…` : line;
  const run = backtickRun(short);
  if (run === 0) return `\`${short}\``;
  const mark = '`'.repeat(run + 1);
  return `${mark} ${short} ${mark}`;
}

/** Returns the length of the longest run of backticks. */
function backtickRun(text: string): number {
  let length = 0;
  for (const [run] of text.matchAll(/`+/g)) length = Math.max(length, run.length);
  return length;
}
