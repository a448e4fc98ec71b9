import { loadMessages } from './codec/index.ts';
import { HistoryCleaner } from './history.ts';
import type { Message } from './message.ts';

/** Histories that we froze ourselves, with what was worked out about them. */
const own = new WeakMap<readonly Message[], HistoryCleaner | undefined>();

/** Freezes a list of messages of ours, so that later runs can take it without looking at it again. */
export function ownHistory(messages: Message[]): readonly Message[] {
  Object.freeze(messages);
  own.set(messages, undefined);
  return messages;
}

/**
 * A history ready to be continued: checked, copied, frozen and repaired.
 *
 * The caller's objects are left alone. A history of ours is repaired once, however many runs start
 * from it.
 */
export function openHistory(messages: readonly Message[]): HistoryCleaner {
  if (!own.has(messages)) return cleanerOf(loadMessages(messages));
  let cleaner = own.get(messages);
  if (cleaner === undefined) {
    cleaner = cleanerOf(messages);
    own.set(messages, cleaner);
  }
  return cleaner.fork();
}

/** A cleaner that has seen these messages. */
export function cleanerOf(messages: readonly Message[]): HistoryCleaner {
  const cleaner = new HistoryCleaner();
  for (const message of messages) cleaner.add(message);
  return cleaner;
}
