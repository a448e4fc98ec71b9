import { type Message, messageCodec } from 'holdpoint';
import { loadMessages } from '../model/load-messages.ts';
import type { MessageRow } from '../model/message-row.ts';
import type { Progress } from '../transitions/checkpoint-run.ts';

/** The part of a history that is not stored yet. */
export type NewMessages = Pick<Progress, 'position' | 'messages' | 'version'>;

/** Tracks the stored messages of a conversation, so that only new ones are written. */
export class HistoryWriter {
  /** The history as it was loaded. */
  readonly loaded: readonly Message[];
  /** The stored messages by position. */
  #stored: readonly Message[];
  #texts: string[];

  constructor(rows: readonly MessageRow[]) {
    this.loaded = loadMessages(rows);
    this.#stored = this.loaded;
    this.#texts = rows.map((row) => row.body);
  }

  /** Returns the messages that are not stored yet. */
  newIn(messages: readonly Message[]): NewMessages {
    let position = 0;
    while (position < messages.length && this.#isStored(messages, position)) position += 1;
    const texts = messages.slice(position).map(toText);
    return { position, messages: texts, version: messageCodec.version };
  }

  /** Returns whether all messages are stored. */
  isStored(messages: readonly Message[], { position }: NewMessages): boolean {
    return position === messages.length && position === this.#stored.length;
  }

  /** Records that these messages are stored now. */
  wasStored(messages: readonly Message[], written: NewMessages): void {
    this.#stored = [...messages];
    this.#texts = [...this.#texts.slice(0, written.position), ...written.messages];
  }

  #isStored(messages: readonly Message[], position: number): boolean {
    const stored = this.#stored[position];
    const message = messages[position];
    if (stored === undefined || message === undefined) return false;
    // A run may have copied its messages.
    return stored === message || this.#texts[position] === toText(message);
  }
}

function toText(message: Message): string {
  return JSON.stringify(messageCodec.toJSON([message]).messages[0]);
}
