import type { AgentEvent, ToolCallPart } from 'holdpoint';
import type { ToolResultPart } from 'holdpoint/messages';
import { oneLine } from './calls.ts';
import { problemOf } from './edit-args.ts';
import type { Piece, Style } from './lines.ts';
import type { Screen } from './screen.ts';
import { visible } from './visible.ts';
import { cut, widthOf } from './width.ts';

const INDENT = '  ';
const MAX_ARGUMENT_WIDTH = 24;
const MAX_LABEL_WIDTH = 36;
const MIN_RESULT_WIDTH = 12;

/** Shows the events of a run: text, calls and their results. */
export class Activity {
  readonly #screen: Screen;
  readonly #name: string;
  #paragraph: Paragraph | undefined;
  /** The labels of pending calls, by id. */
  readonly #pending = new Map<string, string>();

  constructor(screen: Screen, name: string) {
    this.#screen = screen;
    this.#name = name;
  }

  /** Shows one event. */
  show(event: AgentEvent): void {
    switch (event.kind) {
      case 'part-start':
        if (event.part.kind !== 'text') return;
        this.#screen.write('\n');
        this.#paragraph = new Paragraph(this.#screen, {
          text: this.#name,
          style: ['bold', 'blue'],
        });
        return;
      case 'text-delta':
        return this.#paragraph?.add(event.text);
      case 'part-end':
        return this.interrupt();
      case 'tool-call':
        return this.#showCall(event.part);
      case 'tool-result':
        return this.#showResult(event.part);
      case 'output-tool-result':
        return event.part.kind === 'retry-prompt' ? this.#showResult(event.part) : undefined;
    }
  }

  /** Ends a text that was interrupted. */
  interrupt(): void {
    this.#paragraph?.end();
    this.#paragraph = undefined;
  }

  #showCall(call: ToolCallPart): void {
    const label = describeCall(call);
    this.#pending.set(call.toolCallId, label);
    this.#line('→', 'cyan', label, { text: '' });
  }

  #showResult(part: ToolResultPart): void {
    const called = this.#pending.get(part.toolCallId) ?? part.toolName ?? 'output';
    const label = cut(visible(called), MAX_LABEL_WIDTH);
    this.#pending.delete(part.toolCallId);
    if (part.kind === 'retry-prompt') {
      return this.#line('↻', 'yellow', label, {
        text: typeof part.content === 'string' ? part.content : problemOf(part.content),
        style: 'yellow',
      });
    }
    if (part.outcome !== 'success') {
      return this.#line('✗', 'red', label, { text: oneLine(part.content), style: 'red' });
    }
    const room = this.#screen.columns - widthOf(label) - INDENT.length * 3;
    const text = cut(visible(oneLine(part.content)), Math.max(MIN_RESULT_WIDTH, room));
    this.#line('✓', 'green', label, { text, style: 'dim' });
  }

  #line(symbol: string, style: Style, label: string, piece: Piece): void {
    this.interrupt();
    this.#screen.plain({
      ...piece,
      label: [
        { text: `${INDENT}${symbol} `, style },
        { text: piece.text === '' ? label : `${label}  ` },
      ],
    });
  }
}

/** Returns the tool and the values of the arguments. */
function describeCall({ toolName, args }: ToolCallPart): string {
  return [toolName, ...valuesOf(args).map((value) => cut(oneLine(value), MAX_ARGUMENT_WIDTH))].join(
    ' ',
  );
}

function valuesOf(args: ToolCallPart['args']): readonly unknown[] {
  if (typeof args !== 'string') return Object.values(args ?? {});
  try {
    return Object.values(JSON.parse(args || '{}'));
  } catch {
    return [args]; // a model can write invalid JSON
  }
}

const MAX_WIDTH = 88;

/** Writes text that arrives in pieces, word by word, and wraps it between words. */
class Paragraph {
  readonly #screen: Screen;
  readonly #margin: number;
  #column: number;
  /** The start of a word whose end has not arrived. */
  #word = '';
  #space = '';

  constructor(screen: Screen, label: { readonly text: string; readonly style: Style }) {
    this.#screen = screen;
    screen.write(label.text, label.style);
    screen.write(' ');
    this.#margin = widthOf(label.text) + 1;
    this.#column = this.#margin;
  }

  add(text: string): void {
    for (const character of text) {
      if (character === ' ' || character === '\n') this.#endWord(character);
      else this.#word += character;
    }
  }

  end(): void {
    this.#endWord('');
    this.#screen.write('\n');
  }

  #endWord(space: string): void {
    const word = visible(this.#word);
    const width = widthOf(word);
    const widest = Math.min(this.#screen.columns, MAX_WIDTH);
    if (word !== '' && this.#column > this.#margin && this.#column + 1 + width > widest) {
      this.#newLine();
    } else {
      this.#screen.write(this.#space);
      this.#column += this.#space.length;
    }
    this.#screen.write(word);
    this.#column += width;
    this.#word = '';
    this.#space = space === ' ' ? ' ' : '';
    if (space === '\n') this.#newLine();
  }

  #newLine(): void {
    this.#screen.write(`\n${' '.repeat(this.#margin)}`);
    this.#column = this.#margin;
    this.#space = '';
  }
}
