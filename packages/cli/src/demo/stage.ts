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

  /** Waits for Enter; returns false if the user skips the rest. */
  async continues(signal: AbortSignal): Promise<boolean> {
    if (!this.isInteractive) return true;
    this.screen.plain(
      { text: '' },
      { text: 'Enter to continue, q to skip the rest.', style: 'dim' },
    );
    const { stdin } = process;
    stdin.setRawMode(true).resume();
    try {
      for (;;) {
        const [data] = await once(stdin, 'data', { signal });
        const key = String(data);
        if (key.includes(CTRL_C)) throw new DOMException('Stopped with Ctrl-C.', 'AbortError');
        if (key === 'q') return false;
        if (key.includes('\r') || key.includes('\n')) return true;
      }
    } finally {
      stdin.setRawMode(false).pause();
    }
  }
}
