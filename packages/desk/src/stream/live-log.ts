import type { StepEvent } from 'holdpoint';
import type { LiveEvent, RunLiveEvent } from './run-stream-event.ts';

const KINDS: ReadonlySet<string> = new Set<LiveEvent['kind']>([
  'response-start',
  'part-start',
  'text-delta',
  'thinking-delta',
  'args-delta',
  'part-end',
  'tool-call',
  'tool-result',
  'output-tool-call',
  'output-tool-result',
]);

/** Returns whether streams contain an event. */
export function isLiveEvent(event: StepEvent): event is LiveEvent {
  return KINDS.has(event.kind);
}

type Delta = Extract<LiveEvent, { readonly text: string }>;

interface Entry {
  /** Ascends in the log, and is never used again. */
  readonly number: number;
  readonly position: number;
  readonly event: LiveEvent;
  /** All text of a part so far, if the event is a delta. */
  text: string;
}

/** The progress of a reader in a log. */
export interface LiveCursor {
  /** The number of the last entry that the reader has, or has begun. */
  entry: number;
  /** The number of characters that the reader has of the text of this entry. */
  offset: number;
}

/**
 * The events about messages that are not stored yet. The text of a part is one entry, so a slow reader receives longer
 * pieces of text, and nothing is stored for each reader.
 */
export class LiveLog {
  #entries: Entry[] = [];
  #lastNumber = 0;
  /** The position of the response whose start is in the log. */
  #response = -1;

  /** Adds an event. Returns true if it starts a response anew, so that the earlier events about it are void. */
  add(position: number, event: LiveEvent): boolean {
    const isRepeated = event.kind === 'response-start' && this.#response === position;
    if (event.kind === 'response-start') {
      this.#response = position;
      this.#entries = this.#entries.filter((entry) => entry.position !== position);
    }
    // The log was created in the middle of this response.
    if ('index' in event && this.#response !== position) return false;
    const last = this.#entries.at(-1);
    if (isDelta(event) && last?.position === position && isSamePart(last.event, event)) {
      last.text += event.text;
      return false;
    }
    this.#lastNumber += 1;
    const text = isDelta(event) ? event.text : '';
    this.#entries.push({ number: this.#lastNumber, position, event, text });
    return isRepeated;
  }

  /** Removes the events about messages that are stored now: those below a position. */
  removeStored(position: number): void {
    this.#entries = this.#entries.filter((entry) => entry.position >= position);
  }

  clear(): void {
    this.#entries = [];
    this.#response = -1;
  }

  /** Returns the next event about the message at a position, and moves the cursor behind it. */
  next(cursor: LiveCursor, position: number): RunLiveEvent | undefined {
    for (const entry of this.#entries) {
      if (entry.number < cursor.entry || entry.position < position) continue;
      if (entry.position > position) return undefined;
      const event = unreadOf(entry, cursor);
      if (event !== undefined) return { kind: 'live', position, event };
    }
    return undefined;
  }
}

/** Returns the part of an entry that the reader does not have; `undefined` if it has all of it. */
function unreadOf({ number, event, text }: Entry, cursor: LiveCursor): LiveEvent | undefined {
  const isNew = number !== cursor.entry;
  if (!isDelta(event)) {
    cursor.entry = number;
    return isNew ? event : undefined;
  }
  const unread = isNew ? text : text.slice(cursor.offset);
  cursor.entry = number;
  cursor.offset = text.length;
  return unread === '' ? undefined : { ...event, text: unread };
}

function isDelta(event: LiveEvent): event is Delta {
  return 'text' in event;
}

function isSamePart(one: LiveEvent, other: Delta): boolean {
  return one.kind === other.kind && one.index === other.index;
}
