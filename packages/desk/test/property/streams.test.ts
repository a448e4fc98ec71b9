import { type RunStreamEvent, sqliteStore, type Store } from '@holdpoint/desk';
import { type Message, messageCodec } from 'holdpoint';
import { describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../core/test/support/soak.ts';
import type { MessageRow } from '../../src/model/message-row.ts';
import type { RunState } from '../../src/model/states.ts';
import type { LiveEvent } from '../../src/stream/run-stream-event.ts';
import { type ObservedAttempt, RunStreams } from '../../src/stream/run-streams.ts';
import { sampleRun } from '../../src/testing/sample-rows.ts';
import { TENANT } from '../../src/testing/store-bench.ts';

const RUNS = 40 * SOAK_TIMES;
/** The plays mostly wait, so several run at once. */
const AT_ONCE = 10;
const STEPS = 60;
const RUN = sampleRun({ id: 'run', conversationId: 'c', firstPosition: 2, state: 'running' });

/** A generator of random numbers below 1 (xorshift). */
function randomOf(seed: number): () => number {
  let state = seed * 2_654_435_769 + 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
}

/** A reader that applies every event, at random times, as a page would. */
class Page {
  readonly messages: Message[] = [];
  liveText = '';
  state: RunState | undefined;
  cursor: string | undefined;
  readonly problems: string[] = [];
  readonly #streams: RunStreams;
  #livePosition = -1;
  #events: AsyncGenerator<RunStreamEvent, void>;
  #leaving = new AbortController();
  #pending: Promise<void> | undefined;
  hasEnded = false;

  constructor(streams: RunStreams) {
    this.#streams = streams;
    this.#events = this.#open();
  }

  #open(): AsyncGenerator<RunStreamEvent, void> {
    const after =
      this.cursor === undefined
        ? undefined
        : JSON.parse(Buffer.from(this.cursor, 'base64url').toString());
    this.#leaving = new AbortController();
    return this.#streams.read(TENANT, 'run', {
      after: after && { count: after[0], hash: after[1], state: after[2] },
      continueWhenParked: true,
      pollMs: 5,
      signal: this.#leaving.signal,
    });
  }

  /** Requests the next event, unless one is requested already. */
  pull(): void {
    if (this.hasEnded) return;
    this.#pending ??= this.#events.next().then((next) => {
      this.#pending = undefined;
      if (next.done === true) this.hasEnded = true;
      else this.#apply(next.value);
    });
  }

  /** Reads up to a number of events that are available now. */
  async read(count: number): Promise<void> {
    for (let index = 0; index < count && !this.hasEnded; index++) {
      this.pull();
      const reading = this.#pending;
      await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, 3))]);
      if (this.#pending === reading) return;
    }
  }

  /** Loses the connection, and resumes after the last cursor. */
  async reconnect(): Promise<void> {
    this.#leaving.abort();
    await this.#pending;
    await this.#events.return();
    this.hasEnded = false;
    this.#events = this.#open();
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#pending;
    await this.#events.return();
  }

  async readToEnd(): Promise<void> {
    while (!this.hasEnded) {
      this.pull();
      await this.#pending;
    }
  }

  #apply(event: RunStreamEvent): void {
    const next = RUN.firstPosition + this.messages.length;
    switch (event.kind) {
      case 'message':
        if (event.position !== next) this.problems.push(`${event.position} instead of ${next}`);
        this.messages.push(event.message);
        this.liveText = '';
        this.cursor = event.cursor;
        break;
      case 'live':
        if (event.position !== next) this.problems.push(`live ${event.position} at ${next}`);
        if (event.event.kind === 'response-start') {
          if (this.liveText !== '') this.problems.push('a second start without a rewind');
          this.#livePosition = event.position;
        }
        if (event.event.kind === 'text-delta') {
          if (this.#livePosition !== event.position) this.problems.push('text without a start');
          this.liveText += event.event.text;
          const expected = textAt(event.position);
          if (!expected.startsWith(this.liveText)) this.problems.push(`'${this.liveText}'`);
        }
        break;
      case 'rewind':
        if (event.position > next) this.problems.push(`rewind ${event.position} at ${next}`);
        this.messages.length = event.position - RUN.firstPosition;
        this.liveText = '';
        this.#livePosition = -1;
        break;
      case 'state':
        this.state = event.run.state;
        this.cursor = event.cursor;
    }
  }
}

const textAt = (position: number): string => `The text of message ${position}, in pieces.`;

/** A run that is written step by step. */
class Script {
  readonly store: Store;
  readonly streams: RunStreams;
  readonly messages: Message[] = [];
  #attempt: ObservedAttempt;
  #number = 1;
  #written = 0;

  constructor(store: Store, streams: RunStreams) {
    this.store = store;
    this.streams = streams;
    this.#attempt = streams.attempt(TENANT, 'run');
  }

  get #position(): number {
    return RUN.firstPosition + this.messages.length;
  }

  /** Streams a piece of the next response. */
  stream(length: number): void {
    const text = textAt(this.#position);
    if (this.#written === 0) {
      this.#emit({ kind: 'response-start', runId: `run.${this.#number}`, runStep: 1 });
      this.#emit({ kind: 'part-start', index: 0, part: { kind: 'text', content: '' } });
    }
    const piece = text.slice(this.#written, this.#written + length);
    if (piece === '') return;
    this.#emit({ kind: 'text-delta', index: 0, text: piece });
    this.#written += piece.length;
  }

  /** Starts the response anew, as a fallback model does. */
  breakOff(): void {
    if (this.#written === 0) return;
    this.#written = 0;
    this.stream(3);
  }

  /** Stores the next message, with or without a notification. */
  async append(isNotified: boolean): Promise<void> {
    const position = this.#position;
    this.messages.push({
      kind: 'response',
      runId: `run.${this.#number}`,
      timestamp: new Date(1_000 * position).toISOString(),
      parts: [{ kind: 'text', content: textAt(position) }],
    });
    this.#written = 0;
    await this.#store(position);
    if (isNotified) this.#attempt.wrote();
  }

  /** Another attempt begins, here or elsewhere, and replaces the last messages. */
  async takeOver(removed: number): Promise<void> {
    this.#attempt.end();
    this.#attempt = this.streams.attempt(TENANT, 'run');
    this.#number += 1;
    this.#written = 0;
    this.messages.length = Math.max(0, this.messages.length - removed);
    await this.#store(this.#position);
  }

  async finish(): Promise<void> {
    await this.store.write(async (tx) => {
      await tx.runs.put({ ...RUN, state: 'finished' });
      await tx.tasks.remove(TENANT, 'run', 'run');
    });
    this.#attempt.end();
  }

  #emit(event: LiveEvent): void {
    this.#attempt.emit(this.#position, event);
  }

  async #store(position: number): Promise<void> {
    const bodies = messageCodec.toJSON(this.messages).messages.slice(position - RUN.firstPosition);
    const rows = bodies.map((body, index): MessageRow => {
      const at = { tenant: TENANT, conversationId: 'c', position: position + index };
      return { ...at, runId: 'run', version: messageCodec.version, body: JSON.stringify(body) };
    });
    await this.store.write(async (tx) => {
      const key = [TENANT, 'run', 'run'] as const;
      await tx.tasks.remove(...key);
      await tx.tasks.insert({ ...task(), fence: this.#number });
      await tx.messages.replaceFrom(TENANT, 'c', position, rows);
    });
  }
}

function task() {
  return { tenant: TENANT, kind: 'run', id: 'run', attempts: 1, fence: 1 } as const;
}

async function play(seed: number): Promise<void> {
  const random = randomOf(seed);
  const upTo = (max: number) => Math.floor(random() * max);
  await using store = await sqliteStore();
  const earlier = messageCodec.toJSON([{ kind: 'request', parts: [] }]).messages[0];
  await store.write(async (tx) => {
    await tx.runs.insert(sampleRun({ id: 'earlier', conversationId: 'c', state: 'finished' }));
    await tx.runs.insert(RUN);
    await tx.messages.replaceFrom(
      TENANT,
      'c',
      0,
      [0, 1].map((position) => ({
        tenant: TENANT,
        conversationId: 'c',
        position,
        runId: 'earlier',
        version: messageCodec.version,
        body: JSON.stringify(earlier),
      })),
    );
  });
  const errors: unknown[] = [];
  const streams = new RunStreams(store, (error) => errors.push(error));
  const script = new Script(store, streams);
  const pages: Page[] = [];
  for (let step = 0; step < STEPS; step++) {
    const page = pages[upTo(pages.length)];
    const choice = random();
    if (choice < 0.1 && pages.length < 4) pages.push(new Page(streams));
    else if (choice < 0.4) await page?.read(1 + upTo(12));
    else if (choice < 0.65) script.stream(1 + upTo(15));
    else if (choice < 0.75) await script.append(random() < 0.7);
    else if (choice < 0.8) script.breakOff();
    else if (choice < 0.84) await script.takeOver(upTo(3));
    else if (choice < 0.9) await page?.reconnect();
    else if (choice < 0.92 && page !== undefined)
      await pages.splice(upTo(pages.length), 1)[0]?.leave();
    else await new Promise((resolve) => setTimeout(resolve, upTo(25)));
  }
  await script.finish();
  for (const page of pages) await page.readToEnd();

  for (const page of pages) {
    expect(page.problems).toEqual([]);
    expect(page.state).toBe('finished');
    expect(page.messages).toEqual(script.messages);
  }
  expect(errors).toEqual([]);
  expect(streams.feedCount).toBe(0);
}

async function playOrThrow(seed: number): Promise<void> {
  try {
    await play(seed);
  } catch (error) {
    throw new Error(`Seed ${seed} failed.`, { cause: error });
  }
}

describe('streams with random joins, reads, writes, attempts and lost connections', () => {
  it('contain every stored message once and in order, and only text of the next message', async () => {
    for (let first = 1; first <= RUNS; first += AT_ONCE) {
      const seeds = Array.from({ length: AT_ONCE }, (_, index) => first + index);
      await Promise.all(seeds.map(playOrThrow));
    }
  });
});
