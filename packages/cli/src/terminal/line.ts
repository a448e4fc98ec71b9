import type { styleText } from 'node:util';

/** How text looks. */
export type Style = Parameters<typeof styleText>[0];

/** Text in one style. */
export interface Piece {
  readonly text: string;
  readonly style?: Style | undefined;
}

/**
 * A line that is to be shown. Its texts may come from anywhere: the {@link Screen} makes visible what
 * cannot be seen, and styles come beside the text, never in it.
 */
export interface Line extends Piece {
  /** Stands in front; when the text needs several rows, the others begin below the text. */
  readonly label?: Piece | readonly Piece[] | undefined;
}

/** Lines of text, one for each line that it has. */
export function linesOf(text: string, style?: Style): readonly Line[] {
  return text.split('\n').map((line) => ({ text: line, style }));
}
