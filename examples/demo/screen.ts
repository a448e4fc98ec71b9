// Shows a run in the terminal: plain ANSI, and plain text where that is not wanted.
import { styleText } from 'node:util';
import type {
  AgentEvent,
  ToolCallPart,
  ToolResultEvent,
  ToolResultPart,
  ValidationIssue,
} from 'holdpoint';

type Style = Parameters<typeof styleText>[0];

/** Styled text; `styleText` leaves it plain under NO_COLOR, and where nobody looks. */
const paint = (style: Style, text: string) => styleText(style, text, { stream: process.stdout });

const WIDTH = Math.max(40, Math.min(process.stdout.columns ?? 80, 88));
const INDENT = '  ';
/** Where the words of a paragraph begin. */
const MARGIN = 6;

export class Screen {
  /** Calls that have no result yet, by id, with the time at which they were shown. */
  readonly #open = new Map<string, { readonly label: string; readonly since: number }>();
  /** The calls that are shown together. */
  #batch = { calls: 0, since: 0 };
  #column = 0;
  /** The beginning of a word of which the rest has not arrived. */
  #word = '';
  /** What stands between the last word and the next one. */
  #space = '';

  title(text: string, detail: string): void {
    this.#line(`${paint(['bold', 'cyan'], text)} ${paint('dim', detail)}`);
  }

  /** A line that says what the next lines are about. */
  heading(text: string): void {
    this.#line('');
    this.#line(paint('bold', text));
  }

  prompt(text: string): void {
    this.#line('');
    this.#line(`${paint(['bold', 'green'], 'you  ')} ${text}`);
  }

  fact(text: string): void {
    this.#line(`${INDENT}${paint('dim', text)}`);
  }

  /** A value as names and values, one line each. */
  record(value: Readonly<Record<string, unknown>>): void {
    const width = Math.max(...Object.keys(value).map((name) => name.length));
    for (const [name, member] of Object.entries(value)) {
      const [first, ...rest] = Array.isArray(member) ? member.map(String) : [String(member)];
      this.#line(`${INDENT}${paint('magenta', name.padEnd(width))}  ${first ?? ''}`);
      for (const more of rest) this.#line(`${INDENT}${' '.repeat(width)}  ${more}`);
    }
  }

  /**
   * Shows one event of a run.
   *
   * The run waits until this is done: it never runs ahead of whoever reads its events.
   */
  async show(event: AgentEvent): Promise<void> {
    switch (event.kind) {
      case 'part-start':
        if (event.part.kind !== 'text') return;
        this.#line('');
        this.#write(`${paint(['bold', 'blue'], 'agent')} `, MARGIN);
        return this.#say(event.part.content);
      case 'text-delta':
        return this.#say(event.text);
      case 'part-end':
        if (event.part.kind === 'text') this.#endParagraph();
        return;
      case 'tool-call':
        return this.#showCall(event.part);
      case 'tool-result':
        return this.#showResult(event);
      case 'output-tool-call':
        return this.#line(`${INDENT}${paint('magenta', '■')} gives its output`);
      case 'output-tool-result':
        return this.#showRetry('output', event.part);
    }
  }

  #showCall(call: ToolCallPart): void {
    const since = performance.now();
    if (this.#open.size === 0) this.#batch = { calls: 0, since };
    this.#batch.calls += 1;
    const label = describeCall(call);
    this.#open.set(call.toolCallId, { label, since });
    this.#line(`${INDENT}${paint('cyan', '→')} ${label}`);
  }

  #showResult({ part }: ToolResultEvent): void {
    const { label = part.toolName, since = 0 } = this.#open.get(part.toolCallId) ?? {};
    this.#open.delete(part.toolCallId);
    if (part.kind === 'retry-prompt') {
      this.#showRetry(label, part);
    } else if (part.outcome === 'success') {
      const took = ` ${elapsed(since)}  `;
      const shown = brief(part.content, WIDTH - 4 - label.length - took.length);
      this.#line(`${INDENT}${paint('green', '✓')} ${label}${paint('dim', took + shown)}`);
    } else {
      this.#line(`${INDENT}${paint('red', '✗')} ${label}  ${brief(part.content, WIDTH)}`);
    }
    const { calls, since: began } = this.#batch;
    if (this.#open.size === 0 && calls > 1) {
      this.fact(`  ${calls} calls in parallel: ${elapsed(began)} in all`);
    }
  }

  /** Shows what was sent back to the model, if it was. */
  #showRetry(label: string, part: ToolResultPart): void {
    if (part.kind !== 'retry-prompt') return;
    const problem = typeof part.content === 'string' ? part.content : listIssues(part.content);
    this.#line(`${INDENT}${paint('yellow', '↻')} ${label}  ${paint('yellow', problem)}`);
  }

  /** Writes more of a paragraph, word by word, and breaks lines between words. */
  async #say(text: string): Promise<void> {
    for (const character of text) {
      if (character === ' ' || character === '\n') this.#endWord(character);
      else this.#word += character;
    }
    // Only to be pleasant to read; a terminal that nobody watches does not wait.
    if (process.stdout.isTTY) await new Promise((resolve) => setTimeout(resolve, 25));
  }

  #endWord(space: string): void {
    const tooLong = this.#column + this.#word.length > WIDTH;
    if (tooLong) this.#newLine();
    else if (this.#space !== '') this.#write(this.#space, 1);
    this.#write(this.#word, this.#word.length);
    this.#word = '';
    this.#space = space === ' ' ? ' ' : '';
    if (space === '\n') this.#newLine();
  }

  #newLine(): void {
    this.#write(`\n${' '.repeat(MARGIN)}`, 0);
    this.#column = MARGIN;
  }

  #endParagraph(): void {
    this.#endWord('');
    this.#line('');
  }

  #line(text: string): void {
    process.stdout.write(`${text}\n`);
    this.#column = 0;
  }

  #write(text: string, columns: number): void {
    process.stdout.write(text);
    this.#column += columns;
  }
}

/** A call by its tool and the values of its arguments. */
function describeCall({ toolName, args }: ToolCallPart): string {
  return [toolName, ...valuesOf(args).map((value) => brief(value, 40))].join(' ');
}

function valuesOf(args: ToolCallPart['args']): unknown[] {
  if (typeof args !== 'string') return Object.values(args ?? {});
  try {
    return Object.values(JSON.parse(args || '{}'));
  } catch {
    return [args]; // what a model writes need not be JSON
  }
}

function elapsed(since: number): string {
  return `${Math.round(performance.now() - since)} ms`;
}

function listIssues(issues: readonly ValidationIssue[]): string {
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}

/** A value on one line, cut to the room there is. */
function brief(value: unknown, room: number): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > room ? `${line.slice(0, room - 1)}…` : line;
}
