import { Channel } from '../internal/channel.ts';
import type { EventSink, StepEvent } from '../events/run-events.ts';
import { UserError } from '../errors/user-errors.ts';
import type { Message } from '../messages/message.ts';
import type { OutputOf, OutputSpec } from '../output/output-spec.ts';
import type { RunUsage } from '../usage/run-usage.ts';
import { partialOutputs } from './partial-outputs.ts';
import type { RunHandle } from './run-handle.ts';
import type { RunResultOf } from './run-result.ts';

/** Something happened in a run; the last event is its result. */
export type AgentEvent<Output extends OutputSpec = OutputSpec> = StepEvent | RunResultEvent<Output>;

/** The run is over. */
export interface RunResultEvent<Output extends OutputSpec = OutputSpec> {
  readonly kind: 'run-result';
  readonly result: RunResultOf<Output>;
}

/**
 * A run whose events can be followed.
 *
 * It starts when somebody asks for the first event, and goes on as events are asked for. Ending the
 * loop early stops the run. There is one stream of events: iterate over the events, `textStream` or
 * `partialOutputs`, and await `result` if you like.
 */
export class RunStream<Output extends OutputSpec = OutputSpec>
  implements AsyncIterable<AgentEvent<Output>>
{
  readonly #channel = new Channel<AgentEvent<Output>>();
  readonly #start: (sink: EventSink) => Promise<RunHandle<RunResultOf<Output>>>;
  #handle: RunHandle<RunResultOf<Output>> | undefined;
  #result: Promise<RunResultOf<Output>> | undefined;
  #taken = false;
  #stopped = false;

  /** @internal Use `agent.stream`. */
  constructor(start: (sink: EventSink) => Promise<RunHandle<RunResultOf<Output>>>) {
    this.#start = start;
  }

  /** The conversation so far; also when the run has failed. */
  get messages(): readonly Message[] {
    return this.#handle?.messages ?? [];
  }

  get usage(): RunUsage | undefined {
    return this.#handle?.usage;
  }

  /**
   * How the run ended. Asking for it alone runs the run to its end.
   */
  get result(): Promise<RunResultOf<Output>> {
    const result = this.#run();
    void this.#drain();
    return result;
  }

  /** The events of the run. */
  [Symbol.asyncIterator](): AsyncIterator<AgentEvent<Output>, undefined> {
    if (this.#taken) {
      throw new UserError(
        'The events of this run are being read, or were read, by somebody else: iterate over the stream, ' +
          'textStream or partialOutputs once, and before you ask for the result alone.',
      );
    }
    this.#taken = true;
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

  /** The model's text, piece by piece. */
  get textStream(): AsyncIterable<string> {
    return textOfEvents(this);
  }

  /**
   * The output while it comes in, as far as it is there: fields may be missing and texts cut short.
   *
   * Output functions and validators see it with `ctx.partialOutput`; what they refuse is left out.
   * The last one is the whole output.
   */
  get partialOutputs(): AsyncIterable<PartialOutput<OutputOf<Output>>> {
    // Whoever reads from it has started the run; the outputs are parts of the declared one.
    return partialOutputs(this, () => this.#handle!.run) as AsyncIterable<
      PartialOutput<OutputOf<Output>>
    >;
  }

  #run(): Promise<RunResultOf<Output>> {
    if (this.#result === undefined) {
      this.#result = this.#drive();
      // Whoever does not ask for the result learns of an error from the events.
      this.#result.catch(() => {});
    }
    return this.#result;
  }

  async #drive(): Promise<RunResultOf<Output>> {
    try {
      this.#throwIfStopped();
      this.#handle = await this.#start((event) => this.#channel.put(event));
      if (this.#stopped) await this.#handle.stop();
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

  /** Takes the events that nobody else takes. */
  async #drain(): Promise<void> {
    // Somebody who asked for the result first may still ask for the events.
    await undefined;
    if (this.#taken || this.#stopped) return;
    try {
      for await (const _ of this);
    } catch {
      // The result tells of it.
    }
  }

  #throwIfStopped(): void {
    if (this.#stopped) throw new DOMException('The run was stopped.', 'AbortError');
  }

  async #stop(): Promise<void> {
    this.#stopped = true;
    // Stopped before the channel lets it go on.
    const stopping = this.#handle?.stop();
    this.#channel.end();
    await stopping;
    await this.#result?.catch(() => {});
  }
}

/** An output of which parts may still be missing. */
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
    else if (event.kind === 'part-start' && event.part.kind === 'text') yield event.part.content;
  }
}
