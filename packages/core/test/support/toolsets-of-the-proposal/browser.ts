import { AbstractToolset, FunctionToolset, type RunContext, type Toolset, tool } from 'holdpoint';
import type { ToolMap } from 'holdpoint/toolsets';
import { z } from 'zod';

/** The program that windows belong to. */
export class BrowserProgram {
  readonly #windows = new Set<number>();
  #last = 0;

  /** The number of open windows, and of all windows so far. */
  get windows(): { readonly open: number; readonly ever: number } {
    return { open: this.#windows.size, ever: this.#last };
  }

  openWindow(): number {
    this.#last += 1;
    this.#windows.add(this.#last);
    return this.#last;
  }

  closeWindow(window: number): void {
    if (!this.#windows.delete(window)) throw new Error(`Window ${window} is not open.`);
  }
}

/**
 * A window of a browser. A sub-agent gets its own window on the current page of the outer run,
 * scrolled to the top.
 */
export class BrowserToolset extends AbstractToolset {
  readonly #program: BrowserProgram;
  readonly #tools: FunctionToolset;
  #window: number | undefined;
  #url: string;
  #scrolled = 0;

  constructor(program: BrowserProgram, url = 'about:blank') {
    super();
    this.#program = program;
    this.#url = url;
    const go = tool({
      name: 'go',
      inputSchema: z.object({ url: z.string() }),
      execute: ({ url: next }) => {
        this.#url = next;
        this.#scrolled = 0;
      },
    });
    const scroll = tool({
      name: 'scroll',
      inputSchema: z.object({ by: z.number() }),
      execute: ({ by }) => {
        this.#scrolled += by;
      },
    });
    const where = tool({
      name: 'where',
      execute: () => `window ${this.#window}: ${this.#url} at ${this.#scrolled}`,
    });
    this.#tools = new FunctionToolset([go, scroll, where]);
  }

  override get id(): string {
    return 'browser';
  }

  get label(): string {
    return 'the browser';
  }

  /** Opens the same page in a new window. */
  forSubAgent(): Toolset {
    return new BrowserToolset(this.#program, this.#url);
  }

  async open(): Promise<void> {
    this.#window = this.#program.openWindow();
  }

  async close(): Promise<void> {
    if (this.#window !== undefined) this.#program.closeWindow(this.#window);
    this.#window = undefined;
  }

  getTools(ctx: RunContext): ToolMap | Promise<ToolMap> {
    return this.#tools.getTools(ctx);
  }
}
