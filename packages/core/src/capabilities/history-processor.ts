import type { Cancellation } from '../context/cancellation.ts';
import type { RunContext } from '../context/run-context.ts';
import { UserError } from '../errors/user-errors.ts';
import { messageCodec } from '../messages/codec/index.ts';
import type { Message } from '../messages/message.ts';

/**
 * Changes the history before a request: shortens it, takes secrets out.
 *
 * What it returns is the history from then on. A function sees all of it, so its cost grows with
 * the conversation; the form with `onNew` sees only what came since the last request.
 */
export type HistoryProcessor<Deps = unknown> = HistoryFunction<Deps> | NewMessagesProcessor<Deps>;

/** A history processor that receives the whole history. */
export type HistoryFunction<in Deps> = (
  messages: readonly Message[],
  ctx: RunContext<Deps>,
) => readonly Message[] | Promise<readonly Message[]>;

/** A history processor that receives only the messages since the last request. */
export interface NewMessagesProcessor<in Deps> {
  /** Gets the messages since the last request of this run, and returns what is to stand in their place. */
  readonly onNew: HistoryFunction<Deps>;
}

/** The history of a run while it is being processed. */
export interface ProcessedHistory {
  readonly messages: readonly Message[];
  /** How many messages at the end are new since the last request. */
  readonly fresh: number;
}

/** Runs the processors one after the other. */
export async function processHistory(
  processors: readonly HistoryProcessor<never>[],
  history: ProcessedHistory,
  ctx: RunContext<never>,
  cancellation: Cancellation,
): Promise<ProcessedHistory> {
  let { messages, fresh } = history;
  for (const processor of processors) {
    if (typeof processor === 'function') {
      messages = checked(await cancellation.guard(processor(messages, ctx)), messages);
      fresh = Math.min(fresh, messages.length);
    } else {
      const start = messages.length - fresh;
      const seen = messages.slice(start);
      const changed = checked(await cancellation.guard(processor.onNew(seen, ctx)), seen);
      messages = [...messages.slice(0, start), ...changed];
      fresh = changed.length;
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
  return { messages, fresh };
}

/** Messages that a processor was given are taken as they are; what it made itself is checked and copied. */
function checked(returned: readonly Message[], given: readonly Message[]): readonly Message[] {
  if (!Array.isArray(returned)) {
    throw new UserError('A history processor must return a list of messages.');
  }
  const known = new Set(given);
  if (returned.every((message) => known.has(message))) return returned;
  const loaded = messageCodec.fromJSON(returned);
  return loaded.map((copy, index) => {
    const message = returned[index];
    return message !== undefined && known.has(message) ? message : copy;
  });
}
