import type { SpentUsage } from '../messages/message.ts';
import { type RunUsage, UsageMeter } from '../usage/run-usage.ts';
import { Cancellation } from './cancellation.ts';

/** What belongs to one tool call, however many contexts look at it. */
export class CallScope {
  readonly #parent: Cancellation;
  #cancellation: Cancellation | undefined;
  #isExecuting = false;
  #meter: UsageMeter | undefined;

  readonly #caller: CallScope | undefined;

  /** `caller`: the call of a tool that has made this one, whose step it is part of. */
  constructor(parent: Cancellation, caller?: CallScope) {
    this.#parent = parent;
    this.#caller = caller;
  }

  /** Cancelled when the call is no longer wanted. */
  get cancellation(): Cancellation {
    this.#cancellation ??= new Cancellation(this.#parent);
    return this.#cancellation;
  }

  /** The call is over: it does not listen any more. */
  end(): void {
    this.#cancellation?.release();
  }

  /** Whether the call is being executed, which is recorded as one step. */
  get isExecuting(): boolean {
    return this.#isExecuting || (this.#caller?.isExecuting ?? false);
  }

  /** The call is executed from here on; what was used before that is not part of the step. */
  beginExecution(): void {
    this.#isExecuting = true;
    this.#meter = undefined;
  }

  /** The run's usage, as seen from this call. */
  usageOf(total: RunUsage): RunUsage {
    this.#meter ??= new UsageMeter(this.#caller?.usageOf(total) ?? total);
    return this.#meter.usage;
  }

  /** What was used through this call; `undefined` if nothing was. */
  get spent(): SpentUsage | undefined {
    return this.#meter?.spent;
  }
}
