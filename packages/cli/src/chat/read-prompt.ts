import { createInterface } from 'node:readline';
import type { Screen } from '../terminal/screen.ts';
import type { TerminalStreams } from '../terminal/terminal-streams.ts';

/** Reads what somebody says, line by line, with the lines before at hand. */
export class PromptReader {
  readonly #streams: TerminalStreams;
  readonly #screen: Screen;
  #history: string[] = [];

  constructor(streams: TerminalStreams, screen: Screen) {
    this.#streams = streams;
    this.#screen = screen;
  }

  /** The next line; `undefined` when somebody wants to leave. */
  read(): Promise<string | undefined> {
    return new Promise((resolve) => {
      // One for each line: others read keys from the same terminal in between.
      const lines = createInterface({
        ...this.#streams,
        prompt: this.#screen.paint(['bold', 'green'], 'you › '),
        history: [...this.#history],
        removeHistoryDuplicates: true,
      });
      let hasAsked = false;
      let answer: string | undefined;
      lines.on('history', (history) => {
        this.#history = history;
      });
      lines.on('line', (line) => {
        answer = line;
        lines.close();
      });
      lines.on('SIGINT', () => {
        if (hasAsked && lines.line === '') return lines.close();
        hasAsked = lines.line === '';
        if (hasAsked)
          this.#screen.plain({ text: '' }, { text: 'Ctrl-C again to leave.', style: 'dim' });
        else lines.write(null, { ctrl: true, name: 'u' });
        lines.prompt();
      });
      lines.on('close', () => {
        if (answer === undefined) this.#screen.write('\n');
        resolve(answer);
      });
      lines.prompt();
    });
  }
}
