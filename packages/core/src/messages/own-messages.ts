import type { Message } from './message.ts';

/** Lists of messages that Holdpoint made and froze. */
const own = new WeakSet<readonly Message[]>();

/** Freezes a list of messages that are ours, and frozen, so that nobody has to look at it again. */
export function ownMessages(messages: readonly Message[]): readonly Message[] {
  return ownFrozenMessages(Object.freeze(messages));
}

/** The same for a list that is frozen already. */
export function ownFrozenMessages(messages: readonly Message[]): readonly Message[] {
  own.add(messages);
  return messages;
}

/** Whether a list of messages is one that we made and froze ourselves. */
export function isOwn(messages: readonly Message[]): boolean {
  return own.has(messages);
}
