import type { Message } from 'holdpoint';
import type { RunRow } from '../model/run-row.ts';
import { isOver } from '../model/states.ts';
import type { LiveCursor, LiveLog } from './live-log.ts';
import type { RunStreamEvent } from './run-stream-event.ts';
import { readStreamCursor, type StreamCursor, streamCursorText } from './stream-cursor.ts';

/** A run as its readers see it. */
export interface ObservedRun {
  readonly run: RunRow;
  /** The position of the first message of the run in its conversation. */
  readonly firstPosition: number;
  /** The stored messages of the run. */
  readonly messages: readonly Message[];
  /** The events about messages that are not stored yet. */
  readonly live: LiveLog;
  /** Returns the hash of the first messages; `undefined` if the run has fewer. */
  hashAt(count: number): string | undefined;
}

/** The start and the end of a reader. */
export interface ReaderOptions {
  readonly after: StreamCursor | undefined;
  readonly continueWhenParked: boolean;
  readonly pollMs: number;
}

/**
 * A reader of a run. It pulls each event from its feed, so nothing is buffered for a reader that is slow.
 */
export class RunReader {
  readonly pollMs: number;
  readonly #feed: ObservedRun;
  readonly #options: ReaderOptions;
  /** The number of messages of the run that the reader has. */
  #count = 0;
  /** The last state that the reader has. */
  #state = '';
  readonly #live: LiveCursor = { entry: 0, offset: 0 };
  /** True if the reader may have `live` events about the next message. */
  #hasLive = false;
  /** The number of messages to which the reader has to return. */
  #rewindTo: number | undefined;
  #wake: (() => void) | undefined;
  #hasLeft = false;

  constructor(feed: ObservedRun, options: ReaderOptions) {
    this.#feed = feed;
    this.#options = options;
    this.pollMs = options.pollMs;
  }

  /** Finds the position at which the reader resumes, once the feed has read the run. */
  start(): void {
    const { after } = this.#options;
    if (after === undefined) return;
    this.#count = after.count;
    if (this.#feed.hashAt(after.count) === after.hash) {
      this.#state = after.state;
      // The reader may have received the beginning of the next message.
      this.#hasLive = !this.#hasEnded(this.#feed.run);
      this.#rewindTo = this.#count;
    } else {
      // The reader has other messages than the run, so it receives all of them again.
      this.#hasLive = true;
      this.#rewindTo = 0;
    }
  }

  /** Makes everything from a message on void; `count` is its number in the run. */
  rewind(count: number): void {
    this.#rewindTo = Math.min(this.#rewindTo ?? count, count);
  }

  /** Resumes the reader if it waits for an event. */
  wake(): void {
    this.#wake?.();
  }

  /** Ends the reader. */
  leave(): void {
    this.#hasLeft = true;
    this.wake();
  }

  /** Yields the events until the run ends for this reader, or the reader leaves. */
  async *events(): AsyncGenerator<RunStreamEvent, void> {
    while (!this.#hasLeft) {
      const event = this.#next();
      if (event !== undefined) yield event;
      else if (this.#hasEnded(this.#feed.run)) return;
      else await this.#change();
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }

  #next(): RunStreamEvent | undefined {
    const rewind = this.#nextRewind();
    if (rewind !== undefined) return rewind;
    // Only events of sub-agents remain for a stored message, which does not contain them.
    if (this.#feed.messages[this.#count] !== undefined)
      return this.#nextLive() ?? this.#nextMessage();
    return this.#nextState() ?? this.#nextLive();
  }

  #nextRewind(): RunStreamEvent | undefined {
    const rewindTo = this.#rewindTo;
    this.#rewindTo = undefined;
    if (rewindTo === undefined) return undefined;
    // A message replaces the `live` events about it.
    const isReplaced = rewindTo >= this.#count && this.#count < this.#feed.messages.length;
    if (rewindTo > this.#count || isReplaced) return undefined;
    if (rewindTo === this.#count && !this.#hasLive) return undefined;
    this.#count = rewindTo;
    this.#hasLive = false;
    return { kind: 'rewind', position: this.#feed.firstPosition + rewindTo };
  }

  #nextMessage(): RunStreamEvent | undefined {
    const message = this.#feed.messages[this.#count];
    if (message === undefined) return undefined;
    const position = this.#feed.firstPosition + this.#count;
    this.#count += 1;
    this.#hasLive = false;
    return { kind: 'message', position, message, cursor: this.#cursor };
  }

  #nextState(): RunStreamEvent | undefined {
    const { run } = this.#feed;
    const state = stateOf(run);
    if (state === this.#state) return undefined;
    this.#state = state;
    return { kind: 'state', run, cursor: this.#cursor };
  }

  #nextLive(): RunStreamEvent | undefined {
    const position = this.#feed.firstPosition + this.#count;
    const event = this.#feed.live.next(this.#live, position);
    if (event !== undefined) this.#hasLive = true;
    return event;
  }

  get #cursor(): string {
    const hash = this.#feed.hashAt(this.#count) ?? '';
    return streamCursorText({ count: this.#count, hash, state: this.#state });
  }

  #hasEnded({ state }: RunRow): boolean {
    if (isOver(state)) return true;
    return !this.#options.continueWhenParked && (state === 'parked' || state === 'stuck');
  }
}

/** Validates the cursor of a reader. */
export function checkAfter(after: string | undefined): StreamCursor | undefined {
  return after === undefined ? undefined : readStreamCursor(after);
}

/** Names the state of a run. A run that parks again has another one. */
function stateOf({ state, parks }: RunRow): string {
  return `${state} ${parks}`;
}
