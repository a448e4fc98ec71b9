import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { S_BAR, S_BAR_END, S_BAR_START } from '@clack/prompts';
import type { Line, Style } from './line.ts';
import { fold, type Row, toRows } from './rows.ts';
import { MARKER, visible } from './visible.ts';

const SMALLEST = 40;
const GUIDE = 3;

/** Where lines are shown. Everything goes through here, so that no text from outside can do more than be read. */
export class Screen {
  readonly #output: Writable;

  constructor(output: Writable) {
    this.#output = output;
  }

  /** How many columns text can take beside the guide at the left. */
  get columns(): number {
    return Math.max(SMALLEST, sizeOf(this.#output, 'columns') ?? 80) - GUIDE;
  }

  get rows(): number {
    return sizeOf(this.#output, 'rows') ?? 24;
  }

  /** Text in a style, or as it is where nobody wants colours. What cannot be seen is made visible. */
  paint(style: Style | undefined, text: string): string {
    return this.#paint(style, visible(text));
  }

  /** Begins something. */
  open(text: string): void {
    this.#write(`\n${this.#paint('gray', S_BAR_START)}  ${this.paint('bold', text)}\n`);
  }

  /** A line with a symbol of its own, after an empty one. */
  head(symbol: string, style: Style, line: Line): void {
    const [first, ...rest] = toRows([line], this.columns);
    this.#write(`${this.#guide([])}${this.#paint(style, symbol)}  ${this.#row(first ?? [])}\n`);
    for (const row of rest) this.#write(this.#guide(row));
  }

  /** Lines below each other, folded where there are more than `room`; tells whether they were. */
  block(
    lines: readonly Line[],
    room: number = Number.POSITIVE_INFINITY,
    howToSeeAll = '',
  ): boolean {
    const rows = toRows(lines, this.columns);
    for (const row of fold(rows, room, howToSeeAll)) this.#write(this.#guide(row));
    return rows.length > room;
  }

  /** Ends something. */
  close(line: Line): void {
    const [first, ...rest] = toRows([line], this.columns);
    this.#write(`${this.#guide([])}${this.#paint('gray', S_BAR_END)}  ${this.#row(first ?? [])}\n`);
    for (const row of rest) this.#write(`   ${this.#row(row)}\n`);
    this.#write('\n');
  }

  /** Lines without a guide. */
  plain(...lines: readonly Line[]): void {
    for (const row of toRows(lines, this.columns + GUIDE)) this.#write(`${this.#row(row)}\n`);
  }

  /** Text within a line; the caller sees to the line breaks. */
  write(text: string, style?: Style): void {
    const shown = text.split('\n').map((line) => this.paint(style, line));
    this.#write(shown.join('\n'));
  }

  #guide(row: Row): string {
    const isBlank = row.every(({ text }) => text.trim() === '');
    return `${this.#paint('gray', S_BAR)}${isBlank ? '' : `  ${this.#row(row)}`}\n`;
  }

  #row(row: Row): string {
    return row.map(({ text, style }) => this.#paint(style, text)).join('');
  }

  #paint(style: Style | undefined, text: string): string {
    if (text === '') return '';
    const marked = text.replaceAll(MARKER, (marker) => this.#style('magenta', marker));
    return style === undefined ? marked : this.#style(style, marked);
  }

  #style(style: Style, text: string): string {
    return styleText(style, text, { stream: this.#output });
  }

  #write(text: string): void {
    this.#output.write(text);
  }
}

function sizeOf(output: Writable, side: 'columns' | 'rows'): number | undefined {
  const size: unknown = Reflect.get(output, side);
  return typeof size === 'number' && size > 0 ? size : undefined;
}
