import type { Message } from './message.ts';

/** Histories that Holdpoint validated and froze. */
const trustedHistories = new WeakSet<readonly Message[]>();

/** Freezes a list of frozen, validated messages, and marks it as trusted: it is not validated again. */
export function trust(messages: readonly Message[]): readonly Message[] {
  const frozen = Object.freeze(messages);
  trustedHistories.add(frozen);
  return frozen;
}

/** Returns whether a list of messages was validated and frozen by Holdpoint. */
export function isTrusted(messages: readonly Message[]): boolean {
  return trustedHistories.has(messages);
}
