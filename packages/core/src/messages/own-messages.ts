import { createMark } from './mark.ts';
import type { Message } from './message.ts';

const own = createMark<readonly Message[], true>();

/** Freezes a list of messages that are ours, and frozen, so that nobody has to look at it again. */
export function ownMessages(messages: readonly Message[]): readonly Message[] {
  return ownFrozenMessages(Object.freeze(messages));
}

/** The same for a list that is frozen already. */
export function ownFrozenMessages(messages: readonly Message[]): readonly Message[] {
  own.set(messages, true);
  return messages;
}

/** Whether a list of messages is one that we made and froze ourselves. */
export function isOwn(messages: readonly Message[]): boolean {
  // What comes from outside may be anything.
  return Array.isArray(messages) && own.get(messages) === true;
}
