import type { RunContext } from '../context/run-context.ts';
import { findToolset } from '../toolsets/find-toolset.ts';
import { closeToolset, openToolset } from '../toolsets/open-toolset.ts';
import type { Toolset } from '../toolsets/toolset.ts';
import type { RunSetup } from './run-setup.ts';

/** The toolset of a run: made ready for it, changed for its steps, and given back. */
export class RunToolset {
  /** The toolset as it is now. */
  current: Toolset<never>;
  readonly #setup: RunSetup;
  readonly #run: { context(): RunContext<never> };
  #opened: Toolset<never> | undefined;
  /** While the toolset is being changed for a step. */
  #changing: Promise<void> | undefined;

  constructor(setup: RunSetup, run: { context(): RunContext<never> }) {
    this.#setup = setup;
    this.#run = run;
    this.current = setup.toolset;
  }

  /** Makes the toolset ready for this run; a promise if there is something to do. */
  open(): Promise<void> | undefined {
    const { forRun, forSubAgent, open } = this.current;
    const isInherited = this.#setup.delegation !== undefined && forSubAgent !== undefined;
    return isInherited || forRun !== undefined || open !== undefined ? this.#open() : undefined;
  }

  async #open(): Promise<void> {
    await this.#inherit();
    if (this.current.forRun !== undefined) {
      this.current = await this.#setup.cancellation.guard(this.current.forRun(this.#run.context()));
    }
    await openToolset(this.current);
    this.#opened = this.current;
  }

  async #inherit(): Promise<void> {
    const { delegation, agent, cancellation } = this.#setup;
    if (delegation === undefined || this.current.forSubAgent === undefined) return;
    const { ctx: parent, run } = delegation;
    const asked = this.current.forSubAgent({
      parent,
      agent,
      findToolset: (id) => findToolset(run.toolset.current, id),
    });
    this.current = await cancellation.guard(asked);
  }

  /**
   * Gives back what the toolset took; a promise if there is something to do. After a failure, that is
   * what counts, and not one of closing.
   */
  close(failed: boolean): Promise<void> | undefined {
    const opened = this.#opened;
    this.#opened = undefined;
    return opened && this.#close(opened, failed);
  }

  async #close(opened: Toolset<never>, failed: boolean): Promise<void> {
    // A change that an abort has left behind is waited for, but not by the run.
    const closing = this.#changing
      ? this.#changing.then(() => closeToolset(opened))
      : closeToolset(opened);
    if (failed) closing.catch(() => {});
    if (this.#changing === undefined) await (failed ? closing.catch(() => {}) : closing);
  }

  /** Makes the toolset ready for a step; a promise if there is something to do. */
  enterStep(): Promise<void> | undefined {
    if (this.current.forRunStep === undefined) return undefined;
    const changing = this.#change(this.current.forRunStep(this.#run.context()));
    this.#changing = changing.catch(() => {});
    return this.#setup.cancellation.guard(changing);
  }

  async #change(toolset: Toolset<never> | Promise<Toolset<never>>): Promise<void> {
    try {
      this.current = await toolset;
    } finally {
      this.#changing = undefined;
    }
  }
}
