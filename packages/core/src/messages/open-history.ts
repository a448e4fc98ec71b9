import { messageCodec } from './codec/index.ts';
import { HistoryCleaner } from './history.ts';
import type { Message } from './message.ts';
import { isTrusted } from './trusted-histories.ts';

/** A history to look at: checked, copied, frozen and repaired. The caller's objects are left alone. */
export function openHistory(
  messages: readonly Message[],
): Pick<HistoryCleaner, 'messages' | 'pendingCalls'> {
  return cleanerFor(isTrusted(messages) ? messages : messageCodec.fromJSON(messages));
}

/** A history ready to be continued, and its messages as they are kept. */
export interface ContinuedHistory {
  readonly cleaner: HistoryCleaner;
  /** As they came, where nothing had to be repaired: notes stay on requests of their own. */
  readonly kept: readonly Message[];
}

/** A history to go on with. One of ours is repaired once, however many runs start from it. */
export function continueHistory(messages: readonly Message[]): ContinuedHistory {
  const own = isTrusted(messages) ? messages : messageCodec.fromJSON(messages);
  const cleaner = cleanerFor(own).fork();
  return { cleaner, kept: cleaner.isRepaired ? cleaner.messages : own };
}

/** The cleaners of trusted histories. Each history is repaired once. */
const cleaners = new WeakMap<readonly Message[], HistoryCleaner>();

function cleanerFor(messages: readonly Message[]): HistoryCleaner {
  const known = cleaners.get(messages);
  if (known !== undefined) return known;
  const cleaner = cleanerOf(messages);
  cleaners.set(messages, cleaner);
  return cleaner;
}

/** A cleaner that has seen these messages. */
export function cleanerOf(messages: readonly Message[]): HistoryCleaner {
  const cleaner = new HistoryCleaner();
  for (const message of messages) cleaner.add(message);
  return cleaner;
}
