import type { Run } from '../loop/run.ts';
import type { Message } from '../messages/message.ts';
import { ownMessages } from '../messages/own-messages.ts';
import type { RunUsage } from '../usage/run-usage.ts';

/** How a run ended. */
export class RunResult<out Output = unknown> {
  readonly status = 'finished';
  readonly output: Output;
  /** The whole conversation, this run included: the `messageHistory` of the next run. */
  readonly messages: readonly Message[];
  readonly usage: RunUsage;
  readonly runId: string;
  readonly conversationId: string;
  readonly #newFrom: number;

  /** Results come from runs. */
  constructor(run: Run, output: Output) {
    this.output = output;
    this.messages = ownMessages(run.messages);
    this.usage = run.usage;
    this.runId = run.runId;
    this.conversationId = run.conversationId;
    this.#newFrom = run.newFrom;
  }

  /** The messages that this run added. */
  get newMessages(): readonly Message[] {
    return this.messages.slice(this.#newFrom);
  }
}
