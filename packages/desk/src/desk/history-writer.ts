import { loadMessages, type Message } from 'holdpoint';
import { MESSAGES_VERSION, messagesToJson } from 'holdpoint/messages';
import type { MessageRow } from '../model/message-row.ts';
import type { Progress } from '../transitions/checkpoint-run.ts';

/** What of a history is not stored yet. */
export type NewMessages = Pick<Progress, 'position' | 'messages' | 'version'>;

/** Knows which messages of a conversation are stored, so that only what is new is written. */
export class HistoryWriter {
  /** The history as it was loaded. */
  readonly loaded: readonly Message[];
  /** What is stored, by position. */
  #stored: readonly Message[];
  #texts: string[];

  constructor(rows: readonly MessageRow[]) {
    this.loaded = loadRows(rows);
    this.#stored = this.loaded;
    this.#texts = rows.map((row) => row.body);
  }

  /** What has to be written for these messages to be stored. */
  newIn(messages: readonly Message[]): NewMessages {
    let position = 0;
    while (position < messages.length && this.#isStored(messages, position)) position += 1;
    const texts = messages.slice(position).map(toText);
    return { position, messages: texts, version: MESSAGES_VERSION };
  }

  /** Whether there is anything to write for these messages. */
  isStored(messages: readonly Message[], { position }: NewMessages): boolean {
    return position === messages.length && position === this.#stored.length;
  }

  /** Takes note that these messages are stored now. */
  wasStored(messages: readonly Message[], written: NewMessages): void {
    this.#stored = [...messages];
    this.#texts = [...this.#texts.slice(0, written.position), ...written.messages];
  }

  #isStored(messages: readonly Message[], position: number): boolean {
    const stored = this.#stored[position];
    const message = messages[position];
    if (stored === undefined || message === undefined) return false;
    // A run may have copied what it was given.
    return stored === message || this.#texts[position] === toText(message);
  }
}

function toText(message: Message): string {
  return JSON.stringify(messagesToJson([message]).messages[0]);
}

function loadRows(rows: readonly MessageRow[]): readonly Message[] {
  const versions = new Set(rows.map((row) => row.version));
  if (versions.size < 2) return loadMessages(documentOf(rows));
  return loadMessages(rows.flatMap((row) => loadMessages(documentOf([row]))));
}

function documentOf(rows: readonly MessageRow[]): string {
  const version = rows[0]?.version ?? MESSAGES_VERSION;
  const messages = rows.map((row) => row.body).join(',');
  return `{"holdpoint":"messages","version":${version},"messages":[${messages}]}`;
}
