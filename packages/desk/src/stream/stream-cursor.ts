import { type Message, UserError } from 'holdpoint';
import { hashOf } from '../model/hash.ts';
import { cursorText, parseCursor } from '../model/page.ts';

/** The position of a reader in the stream of a run. */
export interface StreamCursor {
  /** The number of messages of the run that the reader has. */
  readonly count: number;
  /** Identifies these messages. */
  readonly hash: string;
  /** The last state that the reader has; empty if it has none. */
  readonly state: string;
}

/** Returns a cursor as text. */
export function streamCursorText({ count, hash, state }: StreamCursor): string {
  return cursorText([count, hash, state]);
}

/** Reads a cursor, which comes from outside. */
export function readStreamCursor(text: string): StreamCursor {
  // Programs without types pass anything.
  const given: unknown = text;
  const [count, hash, state, ...rest] = (typeof given === 'string' && parseCursor(given)) || [];
  const isCursor =
    Number.isSafeInteger(count) &&
    Number(count) >= 0 &&
    typeof hash === 'string' &&
    typeof state === 'string';
  if (isCursor && rest.length === 0) return { count: Number(count), hash, state };
  throw new UserError(
    '`after` is not the `cursor` of an event of this stream. Pass one, or leave it out to read the run from its start.',
  );
}

/**
 * Returns the hash of a sequence of messages from the hash of all but the last. It identifies messages without their
 * contents, because a reader may not know redacted values.
 */
export function nextHash(hash: string, message: Message): string {
  return hashOf('holdpoint/run-stream/1', hash, identityOf(message)).slice(0, 16);
}

/** Returns whether two messages are the same for readers. An attempt that repeats a request creates it again. */
export function isSameMessage(one: Message, other: Message): boolean {
  return JSON.stringify(identityOf(one)) === JSON.stringify(identityOf(other));
}

function identityOf(message: Message): readonly (string | number)[] {
  const parts = message.parts.map((part) =>
    'toolCallId' in part ? `${part.kind} ${part.toolCallId}` : part.kind,
  );
  if (message.kind === 'request') return ['request', ...parts];
  return ['response', message.runId ?? '', message.timestamp ?? '', ...parts];
}
