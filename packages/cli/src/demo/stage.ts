import type { Screen } from '../terminal/screen.ts';

/** Where the acts of the demo tell what happens. */
export class Stage {
  readonly #screen: Screen;
  #acts = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  heading(text: string): void {
    this.#acts += 1;
    this.#screen.plain({ text: '' }, { text: `${this.#acts}. ${text}`, style: ['bold', 'cyan'] });
  }

  fact(text: string): void {
    this.#screen.plain({ text, label: { text: '  ' } });
  }

  /** An address, in one piece however long: it is there to be opened. */
  link(what: string, url: string): void {
    this.#screen.plain({ text: '' }, { text: what, style: 'bold', label: { text: '  ' } });
    this.#screen.write('  ');
    this.#screen.write(url, ['cyan', 'underline']);
    this.#screen.write('\n');
  }

  /** A command that is run now. */
  command(args: readonly string[]): void {
    this.#screen.plain(
      { text: '' },
      {
        text: ['holdpoint', ...args].join(' '),
        style: 'yellow',
        label: { text: '  $ ', style: 'dim' },
      },
    );
  }

  /** What a command has printed, as it is. */
  output(printed: string): void {
    const lines = printed.split('\n').filter((line) => line !== '');
    this.#screen.plain(...lines.map((text) => ({ text })));
  }

  /** What has really happened; by the looks of it whether that is as it should be. */
  outcome(text: string, isGood = true): void {
    this.#screen.plain({
      text,
      style: 'bold',
      label: isGood ? { text: '  ✓ ', style: 'green' } : { text: '  ✗ ', style: 'red' },
    });
  }
}
