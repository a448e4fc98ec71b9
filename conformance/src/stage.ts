import type { RunContext, UsageLimits } from 'holdpoint';
import type { Described } from './describe.ts';
import type { OneOrMore } from './scenario.ts';

/** What was asked of a toolset, and what comes with it. */
export type ToolsetLogRow = readonly (string | number | null)[];

/** What happened during one run of a scenario, in the words of the vectors. */
export class RunLog {
  readonly invocations: Described[] = [];
  readonly trace: [row: 'start' | 'end', tool: string, toolCallId: string | null][] = [];
  readonly validatorCalls: Described[] = [];
  readonly handlerCalls: Described[] = [];
  readonly toolsetLog: ToolsetLogRow[] = [];
  readonly events: Described[] = [];
  readonly modelRequests: Described[] = [];
}

/** Runs another agent of the scenario from inside a function; gives its output. */
export type RunSubAgent = (
  name: string,
  prompt: string,
  options: { usage?: RunContext['usage']; usageLimits?: UsageLimits | undefined },
) => Promise<unknown>;

/**
 * What the functions of one scenario share while it is replayed.
 *
 * Its runs follow one another, so there is one log at a time. A function that starts keeps the log
 * it started with, since it may end after its run has failed.
 */
export class Stage {
  log: RunLog = new RunLog();
  /** The limits of the run that goes on, for runs inside it that are to share them. */
  usageLimits: UsageLimits | undefined;
  readonly runSubAgent: RunSubAgent;
  /** Is told of every use of something that has a turn of its own each time. */
  onUse: (what: string) => void = () => {};
  readonly #uses = new Map<string, number>();

  constructor(runSubAgent: RunSubAgent) {
    this.runSubAgent = runSubAgent;
  }

  /** How often something was used so far. */
  usesOf(what: string): number {
    return this.#uses.get(what) ?? 0;
  }

  /** Counts a use; gives how many there were before. */
  use(what: string): number {
    const before = this.usesOf(what);
    this.#uses.set(what, before + 1);
    this.onUse(what);
    return before;
  }

  /** Which of the choices is due at this use: the n-th, the last one repeating. */
  next<T extends object>(what: string, choices: OneOrMore<T>): T {
    const use = this.use(what);
    if (!isList(choices)) return choices;
    const choice = choices[Math.min(use, choices.length - 1)];
    if (choice === undefined) throw new Error(`The scenario does not say what ${what} does.`);
    return choice;
  }
}

function isList<T extends object>(choices: OneOrMore<T>): choices is readonly T[] {
  return Array.isArray(choices);
}
