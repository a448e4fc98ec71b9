import type { Message } from '../message.ts';
import { isTrusted, trust } from '../trusted-histories.ts';
import { type DocumentHeader, openDocument, parseDocument } from './document.ts';
import { listOf } from './read.ts';
import { readMessage } from './read-message.ts';
import { Trail } from './trail.ts';

/** The version of the format that {@link dumpMessages} writes. */
export const MESSAGES_VERSION = 1;

const HEADER = { holdpoint: 'messages', version: MESSAGES_VERSION } as const;

/** Messages as a document that says what it is. */
export interface MessagesDocument extends DocumentHeader<'messages'> {
  readonly messages: readonly Message[];
}

/** Messages as JSON text that {@link loadMessages} reads; this and later versions of Holdpoint can. */
export function dumpMessages(messages: readonly Message[]): string {
  if (!isTrusted(messages)) return JSON.stringify(messagesToJson(messages));
  // What is frozen is what is written: there is no need for a copy, but of lists.
  return JSON.stringify({ ...HEADER, messages: unfrozen(readList(messages, new Trail('leave'))) });
}

/** Messages in lists that are not frozen: JSON.stringify takes a seventh less for them, copying included. */
function unfrozen(messages: readonly Message[]): Message[] {
  const copies: Message[] = [];
  for (const message of messages) {
    // The same message, with the same parts.
    copies.push({ ...message, parts: [...message.parts] } as Message);
  }
  return copies;
}

/**
 * What {@link dumpMessages} writes, as a frozen document of its own.
 *
 * Messages that could not be loaded again are refused here, with an {@link InvalidJsonError}.
 */
export function messagesToJson(messages: readonly Message[]): MessagesDocument {
  return Object.freeze({ ...HEADER, messages: readList(messages, new Trail()) });
}

/**
 * The messages of a document, checked, as frozen copies; `input` is neither kept nor changed.
 *
 * Takes what {@link dumpMessages} and {@link messagesToJson} give, as text or parsed, and a plain
 * array of messages, such as `JSON.stringify(result.messages)`. Everything in the document makes
 * the round trip, members that this version does not know included. The first mistake is thrown as
 * an {@link InvalidJsonError} that names its place.
 */
export function loadMessages(input: unknown): readonly Message[] {
  return trust(readDocument(input));
}

function readDocument(input: unknown): readonly Message[] {
  // What comes out of a text is nobody else's.
  const trail = new Trail(typeof input === 'string' ? 'freeze' : 'copy');
  const document = parseDocument(input, trail);
  if (Array.isArray(document)) return readList(document, trail);
  if (typeof document !== 'object' || document === null) {
    return trail.mismatch('a document or an array of messages', document);
  }
  return readList(openDocument(document, HEADER, trail)['messages'], trail);
}

const readMessages = listOf(readMessage);

/** Mistakes have the same path whether the messages lie in a document or in a plain array. */
function readList(messages: unknown, trail: Trail): readonly Message[] {
  trail.enter('messages');
  return readMessages(messages, trail);
}
