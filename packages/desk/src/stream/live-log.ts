import type { StepEvent } from 'holdpoint';
import type { LiveEvent, LiveRunEvent, RunLiveEvent } from './run-stream-event.ts';

const KINDS: ReadonlySet<string> = new Set<LiveRunEvent['kind']>([
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
  return KINDS.has(event.kind === 'sub-agent-event' ? event.event.kind : event.kind);
}

/** The maximum number of events of sub-agents about stored messages. */
const MAX_NESTED = 1_000;

type Delta = Extract<LiveRunEvent, { readonly text: string }>;

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
 * The events about messages that are not stored yet. The text of a part is one entry. So a slow
 * reader receives longer pieces of text, and the log stores nothing for each reader.
 */
export class LiveLog {
  #entries: Entry[] = [];
  #lastNumber = 0;
  /** The position of the response whose start is in the log. */
  #response = -1;
  /** The sub-agents, by path, whose response was started while the log existed. */
  readonly #nested = new Set<string>();

  /** Adds an event. Returns true if it starts a response anew, so that the earlier events about it are void. */
  add(position: number, event: LiveEvent): boolean {
    const isRepeated = event.kind === 'response-start' && this.#response === position;
    if (event.kind === 'response-start') {
      this.#response = position;
      this.#entries = this.#entries.filter((entry) => entry.position !== position);
    }
    // The log was created in the middle of this response.
    if (!this.#hasStart(position, event)) return false;
    const last = this.#entries.at(-1);
    const inner = runEventOf(event);
    if (isDelta(inner) && last?.position === position && isSamePart(last.event, event)) {
      last.text += inner.text;
      return false;
    }
    this.#lastNumber += 1;
    const text = isDelta(inner) ? inner.text : '';
    this.#entries.push({ number: this.#lastNumber, position, event, text });
    return isRepeated;
  }

  /** Returns false for a part of a response whose start is not in the log. */
  #hasStart(position: number, event: LiveEvent): boolean {
    const inner = runEventOf(event);
    if (event.kind !== 'sub-agent-event') {
      return !('index' in inner) || this.#response === position;
    }
    const path = pathOf(event);
    if (inner.kind === 'response-start') this.#nested.add(path);
    return !('index' in inner) || this.#nested.has(path);
  }

  /**
   * Removes the events about messages that are stored now: those below a position. Messages of sub-agents are stored
   * nowhere, so the latest of their events stay for readers that do not have them yet.
   */
  removeStored(position: number): void {
    const isStored = (entry: Entry) => entry.position < position;
    const nested = this.#entries.filter(isStored).filter(isNested).slice(-MAX_NESTED);
    this.#entries = [...nested, ...this.#entries.filter((entry) => !isStored(entry))];
  }

  /** Removes the events of sub-agents about stored messages that were replaced: those from a position to another. */
  removeReplaced(from: number, to: number): void {
    const isReplaced = ({ position }: Entry) => position >= from && position < to;
    this.#entries = this.#entries.filter((entry) => !isNested(entry) || !isReplaced(entry));
  }

  /** Removes the events about messages from a position on. */
  removeFrom(position: number): void {
    this.#entries = this.#entries.filter((entry) => entry.position < position);
    this.#response = -1;
    this.#nested.clear();
  }

  clear(): void {
    this.removeFrom(0);
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
  cursor.entry = number;
  const inner = runEventOf(event);
  if (!isDelta(inner)) return isNew ? event : undefined;
  const unread = isNew ? text : text.slice(cursor.offset);
  cursor.offset = text.length;
  if (unread === '') return undefined;
  const delta = { ...inner, text: unread };
  return event.kind === 'sub-agent-event' ? { ...event, event: delta } : delta;
}

function isNested({ event }: Entry): boolean {
  return event.kind === 'sub-agent-event';
}

function runEventOf(event: LiveEvent): LiveRunEvent {
  return event.kind === 'sub-agent-event' ? event.event : event;
}

function isDelta(event: LiveRunEvent): event is Delta {
  return 'text' in event;
}

/** Returns whether two events are about the same part of the same response. */
function isSamePart(one: LiveEvent, other: LiveEvent): boolean {
  const [first, second] = [runEventOf(one), runEventOf(other)];
  if (!isDelta(first) || !isDelta(second) || pathOf(one) !== pathOf(other)) return false;
  return first.kind === second.kind && first.index === second.index;
}

/** Identifies the sub-agent of an event; empty for the run itself. */
function pathOf(event: LiveEvent): string {
  if (event.kind !== 'sub-agent-event') return '';
  return JSON.stringify(event.path.map(({ toolCallId }) => toolCallId));
}
