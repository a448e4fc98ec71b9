import type { RunContext, UsageLimits } from 'holdpoint';
import type { Described } from './describe.ts';
import type { OneOrMore } from './scenario.ts';

/** A method call of a toolset, with its arguments. */
export type ToolsetLogRow = readonly (string | number | null)[];

/** The observations of one run of a scenario, in the terms of the vectors. */
export class RunLog {
  readonly invocations: Described[] = [];
  readonly trace: [row: 'start' | 'end', tool: string, toolCallId: string | null][] = [];
  readonly validatorCalls: Described[] = [];
  readonly handlerCalls: Described[] = [];
  readonly toolsetLog: ToolsetLogRow[] = [];
  readonly events: Described[] = [];
  readonly modelRequests: Described[] = [];
}

/** A function that runs another agent of the scenario and returns its output. */
export type RunSubAgent = (
  name: string,
  prompt: string,
  options: { usage?: RunContext['usage']; usageLimits?: UsageLimits | undefined },
) => Promise<unknown>;

/**
 * The state that the functions of one scenario share during its replay.
 *
 * Runs are sequential, so there is one current log. A function keeps the log it started with, because
 * it may end after its run failed.
 */
export class Stage {
  log: RunLog = new RunLog();
  /** The limits of the current run, for nested runs that share them. */
  usageLimits: UsageLimits | undefined;
  readonly runSubAgent: RunSubAgent;
  /** Observes every use of a behaviour that has turns. */
  onUse: (what: string) => void = () => {};
  readonly #uses = new Map<string, number>();

  constructor(runSubAgent: RunSubAgent) {
    this.runSubAgent = runSubAgent;
  }

  /** Returns the number of uses so far. */
  usesOf(what: string): number {
    return this.#uses.get(what) ?? 0;
  }

  /** Counts a use, and returns the number of earlier uses. */
  use(what: string): number {
    const before = this.usesOf(what);
    this.#uses.set(what, before + 1);
    this.onUse(what);
    return before;
  }

  /** Returns the choice for this use: the n-th, with the last one repeating. */
  next<T extends object>(what: string, choices: OneOrMore<T>): T {
    const use = this.use(what);
    if (!isList(choices)) return choices;
    const choice = choices[Math.min(use, choices.length - 1)];
    if (choice === undefined) throw new Error(`The scenario has no behaviour for \`${what}\`.`);
    return choice;
  }
}

function isList<T extends object>(choices: OneOrMore<T>): choices is readonly T[] {
  return Array.isArray(choices);
}
