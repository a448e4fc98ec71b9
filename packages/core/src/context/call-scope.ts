import { type RunUsage, type SpentUsage, UsageMeter } from '../usage/run-usage.ts';
import { Cancellation } from './cancellation.ts';

/** What belongs to one tool call, however many contexts look at it. */
export class CallScope {
  /** Cancelled when the call is no longer wanted. */
  readonly cancellation: Cancellation;
  #meter: UsageMeter | undefined;

  constructor(parent: Cancellation) {
    this.cancellation = new Cancellation(parent);
  }

  /** The run's usage, as seen from this call. */
  usageOf(total: RunUsage): RunUsage {
    this.#meter ??= new UsageMeter(total);
    return this.#meter.usage;
  }

  /** What was used through this call; `undefined` if nothing was. */
  get spent(): SpentUsage | undefined {
    return this.#meter?.spent;
  }
}
