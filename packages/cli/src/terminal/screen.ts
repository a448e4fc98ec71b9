import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { S_BAR, S_BAR_END, S_BAR_START } from '@clack/prompts';
import { fold, type Line, type Row, type Style, toRows } from './lines.ts';
import { MARKER, visible } from './visible.ts';

const MIN_COLUMNS = 40;
/** The width of the guide on the left. */
const GUIDE = 3;

/** Writes lines to a terminal. All output goes through it, so that no text can control the terminal. */
export class Screen {
  readonly #output: Writable;

  constructor(output: Writable) {
    this.#output = output;
  }

  /** The width of text beside the guide. */
  get columns(): number {
    return Math.max(MIN_COLUMNS, sizeOf(this.#output, 'columns') ?? 80) - GUIDE;
  }

  get rows(): number {
    return sizeOf(this.#output, 'rows') ?? 24;
  }

  /** Styles a text if the output supports colours, and makes hidden characters visible. */
  paint(style: Style | undefined, text: string): string {
    return this.#paint(style, visible(text));
  }

  /** Opens a block with a title. */
  open(text: string): void {
    this.#write(`\n${this.#paint('gray', S_BAR_START)}  ${this.paint('bold', text)}\n`);
  }

  /** Writes a line with a symbol, after an empty one. */
  head(symbol: string, style: Style, line: Line): void {
    const [first, ...rest] = toRows([line], this.columns);
    this.#write(`${this.#guide([])}${this.#paint(style, symbol)}  ${this.#row(first ?? [])}\n`);
    for (const row of rest) this.#write(this.#guide(row));
  }

  /** Writes lines and folds them to at most `room` rows; returns true if it folded them. */
  block(
    lines: readonly Line[],
    room: number = Number.POSITIVE_INFINITY,
    howToSeeAll = '',
  ): boolean {
    const rows = toRows(lines, this.columns);
    for (const row of fold(rows, room, howToSeeAll)) this.#write(this.#guide(row));
    return rows.length > room;
  }

  /** Closes a block. */
  close(line: Line): void {
    const [first, ...rest] = toRows([line], this.columns);
    this.#write(`${this.#guide([])}${this.#paint('gray', S_BAR_END)}  ${this.#row(first ?? [])}\n`);
    for (const row of rest) this.#write(`   ${this.#row(row)}\n`);
    this.#write('\n');
  }

  /** Writes lines without a guide. */
  plain(...lines: readonly Line[]): void {
    for (const row of toRows(lines, this.columns + GUIDE)) this.#write(`${this.#row(row)}\n`);
  }

  /** Writes how to list the next page, if there is one. */
  more(next: string | undefined, noun: string): void {
    if (next === undefined) return;
    const text = `More: holdpoint ${noun} list --limit 500, or --after ${next}`;
    this.plain({ text: '' }, { text, style: 'dim' });
  }

  /** Writes text without adding a line break. */
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
