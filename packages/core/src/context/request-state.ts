import type { SpentUsage } from '../messages/message.ts';
import { type RunUsage, UsageMeter } from '../usage/run-usage.ts';

/** A model request while its step executes. The usage of hooks around it is recorded with the step. */
export class RequestState {
  #meter: UsageMeter | undefined;

  /** Returns the run's usage; counts made through it belong to this request. */
  usageOf(total: RunUsage): RunUsage {
    this.#meter ??= new UsageMeter(total);
    return this.#meter.usage;
  }

  /** The usage of hooks around the request; `undefined` if there is none. */
  get spent(): SpentUsage | undefined {
    return this.#meter?.spent;
  }
}
