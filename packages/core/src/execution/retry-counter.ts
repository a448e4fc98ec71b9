import { UnexpectedModelBehavior } from '../errors/model-errors.ts';
import type { RetryOutcome } from '../outcomes/outcome.ts';

const NO_RETRIES: Readonly<Record<string, number>> = Object.freeze(Object.create(null));

/**
 * Counts, for each tool, the steps in a row that it failed in.
 *
 * Failures of one step count once; a step in which a tool only succeeded resets its count.
 */
export class RetryCounter {
  /** Retries so far, by tool name, as they were when the step began; no prototype. */
  counts: Readonly<Record<string, number>> = NO_RETRIES;
  /** The tools that failed and those that succeeded in this step. */
  readonly #failed = new Set<string>();
  readonly #succeeded = new Set<string>();

  /** Returns the retries of one tool so far. */
  of(name: string): number {
    return this.counts[name] ?? 0;
  }

  /** Records a success, which resets the count of a tool that failed before. */
  succeeded(name: string): void {
    if (this.of(name) > 0) this.#succeeded.add(name);
  }

  /** Records a failure. Throws if the tool has no retry left. */
  failed(name: string, maxRetries: number, outcome: RetryOutcome, what: Retried = 'tool'): void {
    if (this.of(name) >= maxRetries) throw exhausted(name, maxRetries, outcome, what);
    this.#failed.add(name);
  }

  /** Starts the next step. */
  nextStep(): void {
    if (this.#failed.size === 0 && this.#succeeded.size === 0) return;
    const counts: Record<string, number> = Object.assign(Object.create(null), this.counts);
    for (const name of this.#succeeded) delete counts[name];
    for (const name of this.#failed) counts[name] = this.of(name) + 1;
    this.counts = Object.freeze(counts);
    this.#failed.clear();
    this.#succeeded.clear();
  }
}

/** The thing that a model retries: a function tool, or the tool whose arguments are the output. */
type Retried = 'tool' | 'output';

const ADVICE: Readonly<Record<Retried, string>> = {
  tool: 'Raise `maxRetries` of the tool or `retries` of the agent, or simplify the input schema.',
  output: 'Raise `retries.output` of the agent, or simplify the output.',
};

function exhausted(name: string, max: number, outcome: RetryOutcome, what: Retried): Error {
  const { content, cause } = outcome;
  const reason =
    typeof content === 'string'
      ? content
      : content
          .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`)
          .join('; ');
  const allowed = max === 1 ? '1 retry is' : `${max || 'no'} retries are`;
  return new UnexpectedModelBehavior(
    `${what === 'tool' ? 'Tool' : 'Output'} \`${name}\` failed ${timesOf(max + 1)}, and ${allowed} allowed. ` +
      `Last problem: ${asSentence(reason)} ${ADVICE[what]}`,
    { cause: cause ?? content },
  );
}

function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
