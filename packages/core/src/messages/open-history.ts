import { loadMessages } from './codec/index.ts';
import { HistoryCleaner } from './history.ts';
import { createMark } from './mark.ts';
import type { Message } from './message.ts';
import { isOwn } from './own-messages.ts';

/** What was worked out about histories of ours. */
const cleaners = createMark<readonly Message[], HistoryCleaner>();

/**
 * A history ready to be continued: checked, copied, frozen and repaired.
 *
 * The caller's objects are left alone. A history of ours is repaired once, however many runs start
 * from it.
 */
export function openHistory(messages: readonly Message[]): HistoryCleaner {
  return continueHistory(messages).cleaner;
}

/** A history ready to be continued, and its messages as they are kept. */
export interface ContinuedHistory {
  readonly cleaner: HistoryCleaner;
  /** As they came, where nothing had to be repaired: notes stay on requests of their own. */
  readonly kept: readonly Message[];
}

/** The same with the messages as they are to be kept. */
export function continueHistory(messages: readonly Message[]): ContinuedHistory {
  const own = isOwn(messages) ? messages : loadMessages(messages);
  const cleaner = cleanerFor(own);
  return { cleaner, kept: cleaner.isRepaired ? cleaner.messages : own };
}

function cleanerFor(messages: readonly Message[]): HistoryCleaner {
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
