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

  /** What has really happened; by the looks of it whether that is as it should be. */
  outcome(text: string, isGood = true): void {
    this.#screen.plain({
      text,
      style: 'bold',
      label: isGood ? { text: '  ✓ ', style: 'green' } : { text: '  ✗ ', style: 'red' },
    });
  }
}
