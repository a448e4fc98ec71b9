import { type Message, messageCodec } from 'holdpoint';
import type { MessageRow } from './message-row.ts';

/** Returns the messages of rows, also of rows with different versions of the format. */
export function loadMessages(rows: readonly MessageRow[]): readonly Message[] {
  const versions = new Set(rows.map((row) => row.version));
  if (versions.size < 2) return messageCodec.parse(documentOf(rows));
  return messageCodec.fromJSON(rows.flatMap((row) => messageCodec.parse(documentOf([row]))));
}

function documentOf(rows: readonly MessageRow[]): string {
  const version = rows[0]?.version ?? messageCodec.version;
  const messages = rows.map((row) => row.body).join(',');
  return `{"holdpoint":"messages","version":${version},"messages":[${messages}]}`;
}
