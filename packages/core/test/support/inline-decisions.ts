import { type DeferredToolHandler, type Message, messageCodec } from 'holdpoint';
import { calls, responds } from 'holdpoint/testing';
import { idsOf } from './histories.ts';

/**
 * Calls of every kind in one response: two need approval, one executes immediately, one is
 * external.
 */
export const batch = responds(
  calls('remove', { path: 'a' }, { id: 'remove' }),
  calls('read', { path: 'b' }, { id: 'read' }),
  calls('paint', {}, { id: 'paint' }),
  calls('move', { path: 'c' }, { id: 'move' }),
);

/** Approves all calls, and supplies a picture for external calls. */
export const approveEverything: DeferredToolHandler = (requests) =>
  requests.buildResults({
    approveAll: true,
    calls: Object.fromEntries(idsOf(requests.calls).map((id) => [id, 'a picture'])),
  });

/** Returns the messages after they were stored and loaded. */
export function stored(messages: readonly Message[]): readonly Message[] {
  return messageCodec.parse(messageCodec.stringify(messages));
}
