import { type Message, trust } from '../message.ts';
import { type Codec, createCodec } from './codec.ts';
import { type DocumentHeader, openDocument } from './document.ts';
import { listOf } from './format.ts';
import { JsonPath } from './json-path.ts';
import { messageFormat } from './message.ts';

const HEADER = { holdpoint: 'messages', version: 1 } as const;

/** Messages as a document that names its format and version. */
export interface MessagesDocument extends DocumentHeader<'messages'> {
  readonly messages: readonly Message[];
}

/**
 * Stores messages as JSON that this and later versions of Holdpoint can read.
 *
 * Reads its own documents, and plain arrays of messages such as `JSON.stringify(result.messages)`.
 * The round trip keeps everything, including members that this version does not know.
 */
export const messageCodec: Codec<readonly Message[], MessagesDocument, 1> = createCodec({
  version: HEADER.version,
  read: (document) => trust(messageList.read(messagesIn(document), PATH)),
  write: (messages) =>
    Object.freeze({ ...HEADER, messages: messageList.write(messages, PATH) as readonly Message[] }),
});

function messagesIn(document: unknown): unknown {
  if (Array.isArray(document)) return document;
  if (typeof document !== 'object' || document === null) {
    return JsonPath.root.mismatch('a document or an array of messages', document);
  }
  return openDocument(document, HEADER, JsonPath.root)['messages'];
}

const messageList = listOf(messageFormat);

/** Errors have the same path for a document and for a plain array. */
const PATH = JsonPath.of('messages');
