import { once } from 'node:events';
import { Screen } from '../terminal/screen.ts';

const CTRL_C = '\u0003';

/** Prints the acts of the demo. */
export class Stage {
  readonly screen: Screen = new Screen(process.stdout);
  /** True if a user is at the terminal. */
  readonly isInteractive: boolean;
  #acts = 0;

  constructor(isInteractive: boolean) {
    this.isInteractive = isInteractive;
  }

  heading(text: string): void {
    this.#acts += 1;
    this.screen.plain({ text: '' }, { text: `${this.#acts}. ${text}`, style: ['bold', 'cyan'] });
  }

  fact(text: string): void {
    this.screen.plain({ text, label: { text: '  ' } });
  }

  /** Prints an address without line breaks, so that it can be opened. */
  link(text: string, url: string): void {
    this.screen.plain({ text: '' }, { text, style: 'bold', label: { text: '  ' } });
    this.screen.write('  ');
    this.screen.write(url, ['cyan', 'underline']);
    this.screen.write('\n');
  }

  /** Prints a command line. */
  command(args: readonly string[]): void {
    const text = ['holdpoint', ...args].join(' ');
    this.screen.plain(
      { text: '' },
      { text, style: 'yellow', label: { text: '  $ ', style: 'dim' } },
    );
  }

  /** Prints the output of a command. */
  output(printed: string): void {
    const lines = printed.split('\n').filter((line) => line !== '');
    this.screen.plain(...lines.map((text) => ({ text })));
  }

  /** Prints the outcome of an act, with a tick or a cross. */
  outcome(text: string, isGood = true): void {
    this.screen.plain({
      text,
      style: 'bold',
      label: isGood ? { text: '  ✓ ', style: 'green' } : { text: '  ✗ ', style: 'red' },
    });
  }

  /** Leaves out an act. The acts after it keep their numbers. */
  skipAct(): void {
    this.#acts += 1;
    this.fact(`Act ${this.#acts} is skipped.`);
  }

  /** Waits for a key, and returns the choice for the next act. */
  async chooseNext(signal: AbortSignal): Promise<'play' | 'skip' | 'end'> {
    if (!this.isInteractive) return 'play';
    this.screen.plain(
      { text: '' },
      { text: 'Enter to continue, s to skip an act, q to skip the rest.', style: 'dim' },
    );
    const { stdin } = process;
    stdin.setRawMode(true).resume();
    try {
      for (;;) {
        const [data] = await once(stdin, 'data', { signal });
        const key = String(data);
        if (key.includes(CTRL_C)) throw new DOMException('Stopped with Ctrl-C.', 'AbortError');
        if (key === 'q') return 'end';
        if (key === 's') return 'skip';
        if (key.includes('\r') || key.includes('\n')) return 'play';
      }
    } finally {
      stdin.setRawMode(false).pause();
    }
  }
}
