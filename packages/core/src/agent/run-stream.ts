import { Channel } from '../internal/channel.ts';
import { invariant } from '../internal/invariant.ts';
import type { EventSink, StepEvent } from '../events/run-events.ts';
import { UserError } from '../errors/user-errors.ts';
import type { Message } from '../messages/message.ts';
import type { OutputOf, OutputSpec } from '../output/output-spec.ts';
import type { RunUsage } from '../usage/usage.ts';
import { partialOutputs } from './partial-outputs.ts';
import type { RunHandle, RunResultOf } from './run-handle.ts';
import { serverSentEvents, sseResponse } from './server-sent-events.ts';

/** An event of a run. The last event is its result. */
export type AgentEvent<Output extends OutputSpec = OutputSpec> = StepEvent | RunResultEvent<Output>;

/** The last event of a run: it finished or parked. */
export interface RunResultEvent<Output extends OutputSpec = OutputSpec> {
  readonly kind: 'run-result';
  readonly result: RunResultOf<Output>;
}

/**
 * A run that streams its events.
 *
 * It starts when the first event is requested, and continues as events are requested. Leaving the loop early stops the
 * run. There is one stream of events: iterate over the events, `textStream` or `partialOutputs`. `result` can be awaited
 * as well.
 */
export class RunStream<Output extends OutputSpec = OutputSpec>
  implements AsyncIterable<AgentEvent<Output>>
{
  readonly #channel = new Channel<AgentEvent<Output>>();
  readonly #start: (sink: EventSink) => Promise<RunHandle<RunResultOf<Output>>>;
  #handle: RunHandle<RunResultOf<Output>> | undefined;
  #result: Promise<RunResultOf<Output>> | undefined;
  #isRead = false;
  #isStopped = false;

  /** @internal Use `agent.stream`. */
  constructor(start: (sink: EventSink) => Promise<RunHandle<RunResultOf<Output>>>) {
    this.#start = start;
  }

  /** The conversation so far, also after the run has failed. */
  get messages(): readonly Message[] {
    return this.#handle?.messages ?? [];
  }

  get usage(): RunUsage | undefined {
    return this.#handle?.usage;
  }

  /** The result. If no events are requested, reading it executes the run to its end. */
  get result(): Promise<RunResultOf<Output>> {
    const result = this.#run();
    void this.#drain();
    return result;
  }

  /** The events of the run. */
  [Symbol.asyncIterator](): AsyncIterator<AgentEvent<Output>, undefined> {
    if (this.#isRead) {
      throw new UserError(
        'The events of this run have another reader, and can be read only once. Iterate once over the stream, ' +
          '`textStream` or `partialOutputs`, and do it before you await `result`.',
      );
    }
    this.#isRead = true;
    return {
      next: () => {
        void this.#run();
        return this.#channel.take();
      },
      return: async () => {
        await this.#stop();
        return { value: undefined, done: true };
      },
    };
  }

  /** The text of the model, piece by piece. */
  get textStream(): AsyncIterable<string> {
    return textOfEvents(this);
  }

  /**
   * The output while it streams: fields may be missing and strings incomplete. The last value is
   * the complete output.
   *
   * Output functions and validators are called with `ctx.partialOutput`. Rejected values are
   * omitted.
   */
  get partialOutputs(): AsyncIterable<PartialOutput<OutputOf<Output>>> {
    const runOf = () => invariant(this.#handle, 'a run that emits events has started').run;
    // The values are parts of the declared output.
    return partialOutputs(this, runOf) as AsyncIterable<PartialOutput<OutputOf<Output>>>;
  }

  /**
   * Returns the events as server-sent events, for the body of a response: one `data:` line with the JSON of each event.
   * Requests and results have the form of their codecs, and results contain no messages. A run that fails ends with
   * `{ kind: 'error', message, code }`, without the message of the error.
   *
   * The run proceeds as the client reads, and stops when the client disconnects.
   */
  toSSE(): ReadableStream<Uint8Array> {
    // Every result of a run has one of the two statuses.
    return serverSentEvents(this as AsyncIterable<AgentEvent>);
  }

  /**
   * Returns a `Response` with the events as server-sent events; see {@link toSSE}.
   *
   * @example
   * export const POST = async (request: Request) => agent.stream(await request.text()).toResponse()
   */
  toResponse(init?: ResponseInit): Response {
    return sseResponse(this.toSSE(), init);
  }

  #run(): Promise<RunResultOf<Output>> {
    if (this.#result === undefined) {
      this.#result = this.#drive();
      // A caller that does not await the result gets the error from the events.
      this.#result.catch(() => {});
    }
    return this.#result;
  }

  async #drive(): Promise<RunResultOf<Output>> {
    try {
      this.#throwIfStopped();
      this.#handle = await this.#start((event) => this.#channel.put(event));
      if (this.#isStopped) await this.#handle.stop();
      this.#throwIfStopped();
      const result = await this.#handle.finish();
      void this.#channel.put({ kind: 'run-result', result });
      this.#channel.end();
      return result;
    } catch (error) {
      this.#channel.end({ error });
      throw error;
    }
  }

  /** Reads all events if the caller reads none. */
  async #drain(): Promise<void> {
    // A caller that reads `result` first may still iterate over the events.
    await undefined;
    if (this.#isRead || this.#isStopped) return;
    try {
      for await (const _ of this);
    } catch {
      // The result rejects with the same error.
    }
  }

  #throwIfStopped(): void {
    if (this.#isStopped) throw new DOMException('The run was stopped.', 'AbortError');
  }

  async #stop(): Promise<void> {
    this.#isStopped = true;
    // Stop the run before the end of the channel lets it continue.
    const stopping = this.#handle?.stop();
    this.#channel.end();
    await stopping;
    await this.#result?.catch(() => {});
  }
}

/** An output that may be incomplete. */
export type PartialOutput<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly PartialOutput<Item>[]
    : { readonly [Key in keyof T]?: PartialOutput<T[Key]> };

async function* textOfEvents(
  events: AsyncIterable<AgentEvent>,
): AsyncGenerator<string, void, void> {
  for await (const event of events) {
    if (event.kind === 'text-delta') yield event.text;
  }
}
