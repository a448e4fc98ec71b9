import type { RunContext } from '../context/run-context.ts';
import { closeToolset, findToolset, openToolset, type Toolset } from '../toolsets/toolset.ts';
import type { RunDelegation, RunSetup } from './run-setup.ts';

/** The toolset of a run: prepared for the run, changed for its steps, and closed. */
export class RunToolset {
  /** The toolset of the current step. */
  current: Toolset<never>;
  readonly #setup: RunSetup;
  readonly #run: { context(): RunContext<never> };
  #opened: Toolset<never> | undefined;
  /** Settles when the toolset of the next step is known; `undefined` if it is. */
  #changing: Promise<void> | undefined;

  constructor(setup: RunSetup, run: { context(): RunContext<never> }) {
    this.#setup = setup;
    this.#run = run;
    this.current = setup.toolset;
  }

  /** True if the toolset may change for this run, or has to be opened. */
  get needsOpening(): boolean {
    const { forRun, open } = this.current;
    return this.#setup.delegation !== undefined || forRun !== undefined || open !== undefined;
  }

  /** Prepares the toolset for this run, and opens it. */
  async open(): Promise<void> {
    const { delegation } = this.#setup;
    if (delegation !== undefined) await this.#inherit(delegation);
    if (this.current.forRun !== undefined) {
      this.current = await this.#setup.cancellation.guard(this.current.forRun(this.#run.context()));
    }
    if (this.current.open !== undefined) await openToolset(this.current);
    this.#opened = this.current;
  }

  /** Replaces the toolset by the one that it provides for a sub-agent. */
  async #inherit({ ctx: parent, run }: RunDelegation): Promise<void> {
    if (this.current.forSubAgent === undefined) return;
    const { agent, cancellation } = this.#setup;
    const inherited = this.current.forSubAgent({
      parent,
      agent,
      findToolset: (id) => findToolset(run.toolset.current, id),
    });
    this.current = await cancellation.guard(inherited);
  }

  /** True if the toolset was opened, and has to be closed. */
  get isOpen(): boolean {
    return this.#opened?.open !== undefined;
  }

  /** Closes the toolset. After a failure of the run, an error of closing is ignored: the first error counts. */
  async close(hasFailed: boolean): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    if (this.#changing !== undefined) {
      // The toolset closes after the change that an abort left behind. The run does not wait for that.
      this.#changing.then(() => closeToolset(opened)).catch(() => {});
      return;
    }
    try {
      await closeToolset(opened);
    } catch (error) {
      if (!hasFailed) throw error;
    }
  }

  /** True if the toolset provides another one for each step. */
  get changesPerStep(): boolean {
    return this.current.forRunStep !== undefined;
  }

  /** Prepares the toolset for a step. */
  async enterStep(): Promise<void> {
    if (this.current.forRunStep === undefined) return;
    const changing = this.#change(this.current.forRunStep(this.#run.context()));
    this.#changing = changing.catch(() => {});
    await this.#setup.cancellation.guard(changing);
  }

  async #change(toolset: Toolset<never> | Promise<Toolset<never>>): Promise<void> {
    try {
      this.current = await toolset;
    } finally {
      this.#changing = undefined;
    }
  }
}
