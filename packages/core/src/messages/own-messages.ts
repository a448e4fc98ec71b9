import { Stamp } from './mark.ts';
import type { Message } from './message.ts';

/** Marks lists of messages that we made and froze ourselves. */
export class OwnMessages extends Stamp {
  /** What was worked out about the list. */
  #known: unknown = undefined;

  static includes(messages: object): boolean {
    return #known in messages;
  }

  /** What is to be known about a list of ours, which is worked out once; there is one such thing. */
  static known<Known>(messages: object, workOut: () => Known): Known {
    // Whoever asks has seen that it is one of ours, and all ask for the same.
    const own = messages as OwnMessages;
    own.#known ??= workOut();
    return own.#known as Known;
  }
}

/** Freezes a list of messages that are ours, and frozen, so that nobody has to look at it again. */
export function ownMessages(messages: readonly Message[]): readonly Message[] {
  return ownFrozenMessages(Object.freeze(messages));
}

/** The same for a list that is frozen already. */
export function ownFrozenMessages(messages: readonly Message[]): readonly Message[] {
  void new OwnMessages(messages);
  return messages;
}

/** Whether a list of messages is one that we made and froze ourselves. */
export function isOwn(messages: readonly Message[]): boolean {
  // What comes from outside may be anything.
  return Array.isArray(messages) && OwnMessages.includes(messages);
}
