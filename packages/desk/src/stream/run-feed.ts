import type { Message } from 'holdpoint';
import { withoutStepRecord } from 'holdpoint/messages';
import type { ReportError } from '../errors/report-error.ts';
import { loadMessages } from '../model/load-messages.ts';
import type { MessageRow } from '../model/message-row.ts';
import type { RunRow } from '../model/run-row.ts';
import type { ReadTx, Store } from '../store/store.ts';
import { notFound } from '../transitions/not-found.ts';
import { LiveLog } from './live-log.ts';
import type { ObservedRun, RunReader } from './run-reader.ts';
import type { LiveEvent } from './run-stream-event.ts';
import { isSameMessage, nextHash } from './stream-cursor.ts';

/** The time in milliseconds for which changes of a tenant are read together. */
const GROUP_MS = 50;
/** The time in milliseconds for which text reaches readers in one piece. */
const LIVE_GROUP_MS = 20;

/** The run of a feed, and where it is stored. */
export interface FeedOptions {
  readonly store: Store;
  readonly tenant: string;
  readonly runId: string;
  readonly onError: ReportError;
  /** Called when the last reader has left. */
  readonly onIdle: () => void;
}

/** A state of the run that was read in one transaction. */
interface StoredRun {
  readonly run: RunRow;
  readonly fence: number | undefined;
  /** The number of messages of the run before the first of `rows`. */
  readonly start: number;
  readonly rows: readonly MessageRow[];
}

/** A run that has readers in this process. The store is read once for all of them. */
export class RunFeed implements ObservedRun {
  readonly live: LiveLog = new LiveLog();
  readonly #options: FeedOptions;
  readonly #readers = new Set<RunReader>();
  #run: RunRow | undefined;
  #messages: readonly Message[] = [];
  /** The hash of the first messages, by their number. */
  #hashes: readonly string[] = [''];
  /** The attempt at the run that the last read has found. */
  #fence: number | undefined;
  /** The attempt in this process that emits `live` events. */
  #attempt: object | undefined;
  #reading: Promise<void> | undefined;
  #nextReading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #liveTimer: NodeJS.Timeout | undefined;
  #stopListening: () => void = () => {};

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  get run(): RunRow {
    const { runId } = this.#options;
    if (this.#run === undefined) throw notFound('run', runId);
    return this.#run;
  }

  get firstPosition(): number {
    return this.run.firstPosition;
  }

  /** The stored messages of the run. */
  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Returns the hash of the first messages; `undefined` if the run has fewer. */
  hashAt(count: number): string | undefined {
    return this.#hashes[count];
  }

  /** Adds a reader, which receives the current run and its later changes. */
  async join(reader: RunReader): Promise<void> {
    if (this.#readers.size === 0) this.#listen();
    this.#readers.add(reader);
    await this.#readNow();
    reader.start();
  }

  leave(reader: RunReader): void {
    if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
    this.#stopListening();
    clearTimeout(this.#timer);
    clearTimeout(this.#liveTimer);
    this.live.clear();
    this.#options.onIdle();
  }

  /** Ends all readers. */
  close(): void {
    for (const reader of this.#readers) {
      reader.leave();
      this.leave(reader);
    }
  }

  /** Adds an event of an attempt in this process. */
  emit(attempt: object, position: number, event: LiveEvent): void {
    if (this.#attempt !== attempt) this.#dropLive();
    this.#attempt = attempt;
    const isRepeated = this.live.add(position, event);
    if (isRepeated && this.#run !== undefined) this.#rewind(position - this.#run.firstPosition);
    this.#liveTimer ??= setTimeout(() => {
      this.#liveTimer = undefined;
      this.#wakeAll();
    }, LIVE_GROUP_MS);
  }

  /** Reads the run soon, because this process has written it. */
  wrote(): void {
    this.#schedule(0);
  }

  /** Removes the events of an attempt that has ended, once everything that it stored was read. */
  async end(attempt: object): Promise<void> {
    try {
      await this.#readNow();
    } catch (error) {
      this.#report(error);
    }
    if (this.#attempt === attempt) this.#dropLive();
  }

  #dropLive(): void {
    this.#attempt = undefined;
    this.live.removeFrom((this.#run?.firstPosition ?? 0) + this.#messages.length);
    this.#rewind(this.#messages.length);
    this.#wakeAll();
  }

  #listen(): void {
    const { store, tenant } = this.#options;
    this.#stopListening = store.onDue(({ tenants }) => {
      if (tenants === 'all' || tenants.includes(tenant)) this.#schedule(GROUP_MS);
    });
  }

  /** Reads the run after a time, unless it is read before. */
  #schedule(delayMs: number): void {
    const dueAt = performance.now() + delayMs;
    if (this.#readers.size === 0 || dueAt >= this.#dueAt) return;
    this.#dueAt = dueAt;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#readNow().catch((error: unknown) => this.#report(error));
    }, delayMs);
  }

  #report(error: unknown): void {
    // The store may be closed once the last reader has left.
    if (this.#readers.size === 0) return;
    const { tenant, runId, onError } = this.#options;
    onError(error, { tenant, runId });
  }

  /**
   * Reads the current run. A read that has begun may miss the latest change, so another read
   * follows it.
   */
  #readNow(): Promise<void> {
    if (this.#reading === undefined) {
      this.#reading = this.#read().finally(() => {
        this.#reading = undefined;
      });
      return this.#reading;
    }
    this.#nextReading ??= this.#reading
      .catch(() => {})
      .then(() => {
        this.#nextReading = undefined;
        return this.#readNow();
      });
    return this.#nextReading;
  }

  async #read(): Promise<void> {
    clearTimeout(this.#timer);
    this.#dueAt = Number.POSITIVE_INFINITY;
    try {
      const { store } = this.#options;
      const found =
        (await store.read((tx) => this.#load(tx, true))) ??
        (await store.read((tx) => this.#load(tx, false)));
      if (found === 'missing') this.#endMissing();
      else if (found !== undefined) this.#apply(found);
    } finally {
      const pollMs = Math.min(...[...this.#readers].map((reader) => reader.pollMs));
      if (Number.isFinite(pollMs)) this.#schedule(pollMs);
    }
  }

  /**
   * Reads the run. An attempt only appends messages, so within the same attempt the messages from the last known one
   * on suffice. Returns `undefined` if they do not.
   */
  async #load(tx: ReadTx, isPartial: boolean): Promise<StoredRun | 'missing' | undefined> {
    const { tenant, runId } = this.#options;
    const run = await tx.runs.get(tenant, runId);
    if (run === undefined) return 'missing';
    const fence = (await tx.tasks.get(tenant, 'run', runId))?.fence;
    const known = this.#messages.length;
    const canAppend = isPartial && known > 0 && fence === this.#fence;
    const start = canAppend ? known - 1 : 0;
    const all = await tx.messages.from(tenant, run.conversationId, run.firstPosition + start);
    // Later runs of the conversation add messages, too.
    const end = all.findIndex((row) => row.runId !== runId);
    const rows = end < 0 ? all : all.slice(0, end);
    if (start === 0) return { run, fence, start, rows };
    const [first] = loadMessages(rows.slice(0, 1));
    const last = this.#messages.at(-1);
    const isSame = first !== undefined && last !== undefined && isSameMessage(first, last);
    return isSame ? { run, fence, start, rows } : undefined;
  }

  /** Ends the readers of a run that was deleted. */
  #endMissing(): void {
    if (this.#run === undefined) throw notFound('run', this.#options.runId);
    this.close();
  }

  #apply({ run, fence, start, rows }: StoredRun): void {
    const loaded = loadMessages(rows).map(withoutStepRecord);
    let same = start;
    while (same < this.#messages.length) {
      const [known, now] = [this.#messages[same], loaded[same - start]];
      if (known === undefined || now === undefined || !isSameMessage(known, now)) break;
      same += 1;
    }
    if (same < this.#messages.length) {
      this.#rewind(same);
      const { firstPosition } = run;
      this.live.removeReplaced(firstPosition + same, firstPosition + this.#messages.length);
    }
    const hashes = this.#hashes.slice(0, same + 1);
    for (const message of loaded.slice(same - start)) {
      hashes.push(nextHash(hashes.at(-1) ?? '', message));
    }
    this.#messages = [...this.#messages.slice(0, start), ...loaded];
    this.#hashes = hashes;
    this.#run = run;
    this.#fence = fence;
    this.live.removeStored(run.firstPosition + this.#messages.length);
    this.#wakeAll();
  }

  #rewind(count: number): void {
    for (const reader of this.#readers) reader.rewind(count);
  }

  #wakeAll(): void {
    for (const reader of this.#readers) reader.wake();
  }
}
