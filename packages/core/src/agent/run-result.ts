import type { DeferredToolRequests } from '../deferred/requests.ts';
import type { Run } from '../loop/run.ts';
import type { Message } from '../messages/message.ts';
import { trust } from '../messages/trusted-histories.ts';
import type { MayDefer, OutputOf } from '../output/output-spec.ts';
import type { RunUsage } from '../usage/run-usage.ts';

/** The common part of all run results. */
export abstract class EndedRun<out Output> {
  readonly output: Output;
  /** The whole conversation, this run included. Pass it as `messageHistory` to the next run. */
  readonly messages: readonly Message[];
  readonly usage: RunUsage;
  readonly runId: string;
  readonly conversationId: string;
  readonly #firstNewIndex: number;

  /** @internal Runs create their results. */
  constructor(run: Run, output: Output) {
    this.output = output;
    this.messages = trust([...run.messages]);
    this.usage = run.usage;
    this.runId = run.runId;
    this.conversationId = run.conversationId;
    this.#firstNewIndex = run.firstNewIndex;
  }

  /** The messages that this run added. */
  get newMessages(): readonly Message[] {
    return this.messages.slice(this.#firstNewIndex);
  }
}

/** The result of a run that finished with an output. */
export class RunResult<out Output = unknown> extends EndedRun<Output> {
  readonly status = 'finished';
}

/**
 * The result of a run that parked. Store its messages, and resume the run, in any process, once you have the decisions
 * and results.
 */
export class ParkedResult extends EndedRun<DeferredToolRequests> {
  readonly status = 'parked';
  /** The calls that need a decision or a result. */
  declare readonly output: DeferredToolRequests;
}

/** The result of a run with these outputs; `status` distinguishes the variants. */
export type RunResultOf<Output> =
  | RunResult<OutputOf<Output>>
  | (MayDefer<Output> extends true ? ParkedResult : never);
