import type { DeferredToolRequests } from '../deferred/requests.ts';
import type { Run } from '../loop/run.ts';
import type { RunEnd } from '../events/run-end.ts';
import type { Message } from '../messages/message.ts';
import { trust } from '../messages/trusted-histories.ts';
import type { MayDefer, OutputOf } from '../output/output-spec.ts';
import type { RunUsage } from '../usage/run-usage.ts';

/** What every run leaves behind. */
export abstract class EndedRun<out Output> {
  readonly output: Output;
  /** The whole conversation, this run included: the `messageHistory` of the next run. */
  readonly messages: readonly Message[];
  readonly usage: RunUsage;
  readonly runId: string;
  readonly conversationId: string;
  readonly #newFrom: number;

  /** @internal Results come from runs. */
  constructor(run: Run, output: Output) {
    const { messages } = run;
    this.output = output;
    this.messages = trust([...messages]);
    this.usage = run.usage;
    this.runId = run.runId;
    this.conversationId = run.conversationId;
    this.#newFrom = run.state.firstNewIndex;
  }

  /** The messages that this run added. */
  get newMessages(): readonly Message[] {
    return this.messages.slice(this.#newFrom);
  }
}

/** A run that has its output. */
export class RunResult<out Output = unknown> extends EndedRun<Output> {
  readonly status = 'finished';
}

/** A run that waits for answers: keep its messages and go on with them and the answers, here or elsewhere. */
export class ParkedResult extends EndedRun<DeferredToolRequests> {
  readonly status = 'parked';
  /** What has to be answered. */
  declare readonly output: DeferredToolRequests;
}

/** How a run with these outputs can end; `status` tells which. */
export type RunResultOf<Output> =
  | RunResult<OutputOf<Output>>
  | (MayDefer<Output> extends true ? ParkedResult : never);

/** The result of a run that has ended. */
export function resultOfRun(run: Run, ended: RunEnd): RunResult | ParkedResult {
  return ended.kind === 'finished'
    ? new RunResult(run, ended.output)
    : new ParkedResult(run, ended.requests);
}
