import type { AgentEvent, ToolCallPart } from 'holdpoint';
import type { ToolResultPart, ValidationIssue } from 'holdpoint/messages';
import type { Piece, Style } from './line.ts';
import { Paragraph } from './paragraph.ts';
import type { Screen } from './screen.ts';
import { visible } from './visible.ts';
import { cut, widthOf } from './width.ts';

const INDENT = '  ';
const LONGEST_ARGUMENT = 24;
const LONGEST_LABEL = 36;
const SHORTEST_RESULT = 12;

/** Shows what happens in a run as it happens: text, calls and their results. */
export class Activity {
  readonly #screen: Screen;
  readonly #name: string;
  #paragraph: Paragraph | undefined;
  /** The calls that have no result yet, by id, as they are shown. */
  readonly #open = new Map<string, string>();

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
        return this.#paragraph.add(event.part.content);
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

  /** Ends a text that was cut off in the middle. */
  interrupt(): void {
    this.#paragraph?.end();
    this.#paragraph = undefined;
  }

  #showCall(call: ToolCallPart): void {
    const label = describeCall(call);
    this.#open.set(call.toolCallId, label);
    this.#line('→', 'cyan', label, { text: '' });
  }

  #showResult(part: ToolResultPart): void {
    const called = this.#open.get(part.toolCallId) ?? part.toolName ?? 'output';
    const label = cut(visible(called), LONGEST_LABEL);
    this.#open.delete(part.toolCallId);
    if (part.kind === 'retry-prompt') {
      return this.#line('↻', 'yellow', label, { text: problemOf(part.content), style: 'yellow' });
    }
    if (part.outcome !== 'success') {
      return this.#line('✗', 'red', label, { text: brief(part.content), style: 'red' });
    }
    const room = this.#screen.columns - widthOf(label) - INDENT.length * 3;
    const text = cut(visible(brief(part.content)), Math.max(SHORTEST_RESULT, room));
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

/** A call by its tool and the values of its arguments. */
function describeCall({ toolName, args }: ToolCallPart): string {
  return [toolName, ...valuesOf(args).map((value) => cut(brief(value), LONGEST_ARGUMENT))].join(
    ' ',
  );
}

function valuesOf(args: ToolCallPart['args']): readonly unknown[] {
  if (typeof args !== 'string') return Object.values(args ?? {});
  try {
    return Object.values(JSON.parse(args || '{}'));
  } catch {
    return [args]; // what a model writes need not be JSON
  }
}

function problemOf(content: string | readonly ValidationIssue[]): string {
  if (typeof content === 'string') return content;
  return content
    .map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '))
    .join(' · ');
}

/** A value on one line. */
function brief(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.trim().replaceAll(/\s+/g, ' ');
}
