import type { Cancellation } from '../context/cancellation.ts';
import type { RunContext } from '../context/run-context.ts';
import { UserError } from '../errors/user-errors.ts';
import { messageCodec } from '../messages/codec/index.ts';
import type { Message } from '../messages/message.ts';

/**
 * Changes the history before a request, for example to shorten it or to remove secrets.
 *
 * The returned messages replace the history. A function receives the whole history, so its cost grows with the
 * conversation. The form with `onNew` receives only the messages since the last request.
 */
export type HistoryProcessor<Deps = unknown> = HistoryFunction<Deps> | NewMessagesProcessor<Deps>;

/** A history processor that receives the whole history. */
export type HistoryFunction<in Deps> = (
  messages: readonly Message[],
  ctx: RunContext<Deps>,
) => readonly Message[] | Promise<readonly Message[]>;

/** A history processor that receives only the messages since the last request. */
export interface NewMessagesProcessor<in Deps> {
  /** Receives the messages since the last request of this run, and returns their replacement. */
  readonly onNew: HistoryFunction<Deps>;
}

/** The history of a run while it is being processed. */
export interface ProcessedHistory {
  readonly messages: readonly Message[];
  /** The number of messages at the end that are new since the last request. */
  readonly unprocessedCount: number;
}

/** Applies the processors one after the other. */
export async function applyHistoryProcessors(
  processors: readonly HistoryProcessor<never>[],
  history: ProcessedHistory,
  ctx: RunContext<never>,
  cancellation: Cancellation,
): Promise<ProcessedHistory> {
  let { messages, unprocessedCount } = history;
  for (const processor of processors) {
    if (typeof processor === 'function') {
      messages = trustedMessages(await cancellation.guard(processor(messages, ctx)), messages);
      unprocessedCount = Math.min(unprocessedCount, messages.length);
    } else {
      const start = messages.length - unprocessedCount;
      const added = messages.slice(start);
      const changed = trustedMessages(await cancellation.guard(processor.onNew(added, ctx)), added);
      messages = [...messages.slice(0, start), ...changed];
      unprocessedCount = changed.length;
    }
  }
  if (messages.length === 0) {
    throw new UserError('A history processor left no messages. Keep at least the last request.');
  }
  if (messages.at(-1)?.kind !== 'request') {
    throw new UserError(
      'A history processor returned a history that does not end with a request. Keep the last message.',
    );
  }
  return { messages, unprocessedCount };
}

/** Returns the messages of a processor. Received messages are trusted; new ones are validated and copied. */
function trustedMessages(
  returned: readonly Message[],
  given: readonly Message[],
): readonly Message[] {
  if (!Array.isArray(returned)) {
    throw new UserError('A history processor returned no list. Return a list of messages.');
  }
  const known = new Set(given);
  if (returned.every((message) => known.has(message))) return returned;
  const loaded = messageCodec.fromJSON(returned);
  return loaded.map((copy, index) => {
    const message = returned[index];
    return message !== undefined && known.has(message) ? message : copy;
  });
}
