import { loadMessages } from './codec/index.ts';
import { HistoryCleaner } from './history.ts';
import type { Message } from './message.ts';
import { isOwn } from './own-messages.ts';

/** What was worked out about histories of ours. */
const cleaners = new WeakMap<readonly Message[], HistoryCleaner>();

/**
 * A history ready to be continued: checked, copied, frozen and repaired.
 *
 * The caller's objects are left alone. A history of ours is repaired once, however many runs start
 * from it.
 */
export function openHistory(messages: readonly Message[]): HistoryCleaner {
  if (!isOwn(messages)) return cleanerOf(loadMessages(messages));
  let cleaner = cleaners.get(messages);
  if (cleaner === undefined) {
    cleaner = cleanerOf(messages);
    cleaners.set(messages, cleaner);
  }
  return cleaner.fork();
}

/** A cleaner that has seen these messages. */
export function cleanerOf(messages: readonly Message[]): HistoryCleaner {
  const cleaner = new HistoryCleaner();
  for (const message of messages) cleaner.add(message);
  return cleaner;
}
