import { messageCodec } from './codec/index.ts';
import { HistoryCleaner } from './history.ts';
import { type Message, isTrusted } from './message.ts';

/** The number of messages from which on a repaired history is kept. A shorter one is repaired again. */
const MIN_KEPT_LENGTH = 32;

/** Opens a history for reading: validated, copied, frozen and repaired. The caller's objects do not change. */
export function openHistory(
  messages: readonly Message[],
): Pick<HistoryCleaner, 'messages' | 'pendingCalls'> {
  return cleanerFor(isTrusted(messages) ? messages : messageCodec.fromJSON(messages));
}

/** A history that a run continues. */
export interface ContinuedHistory {
  readonly cleaner: HistoryCleaner;
  /**
   * The messages to store. Without a repair they are the given ones, so that step records stay on
   * separate requests.
   */
  readonly messages: readonly Message[];
}

/** Opens a history for a run that continues it. A long trusted history is repaired once for all runs that start from it. */
export function continueHistory(messages: readonly Message[] | undefined): ContinuedHistory {
  if (messages === undefined) return { cleaner: new HistoryCleaner(), messages: [] };
  const trusted = isTrusted(messages) ? messages : messageCodec.fromJSON(messages);
  const isKept = trusted.length >= MIN_KEPT_LENGTH;
  const cleaner = isKept ? cleanerFor(trusted).fork() : cleanerOf(trusted);
  return { cleaner, messages: cleaner.isRepaired ? cleaner.messages : trusted };
}

/** The cleaners of long trusted histories. Each of these is repaired once. */
const cleaners = new WeakMap<readonly Message[], HistoryCleaner>();

function cleanerFor(messages: readonly Message[]): HistoryCleaner {
  if (messages.length < MIN_KEPT_LENGTH) return cleanerOf(messages);
  const known = cleaners.get(messages);
  if (known !== undefined) return known;
  const cleaner = cleanerOf(messages);
  cleaners.set(messages, cleaner);
  return cleaner;
}

/** Returns a cleaner with these messages. */
export function cleanerOf(messages: readonly Message[]): HistoryCleaner {
  const cleaner = new HistoryCleaner();
  for (const message of messages) cleaner.add(message);
  return cleaner;
}
