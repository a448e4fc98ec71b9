import {
  type Desk,
  type LiveEvent,
  openDesk,
  type RunStreamEvent,
  type RunStreamOptions,
  stepEventsOf,
  type Store,
} from '@holdpoint/desk';
import { Agent, type Message, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { contextOf } from '../../src/desk/desk-reader.ts';
import { Gate } from '../support/gate.ts';
import { STORES } from '../support/opened-store.ts';
import { decide, onlyHold } from '../support/people.ts';

const look = tool({ name: 'look', execute: () => 'Two are open.' });
const pay = tool({ name: 'pay', requiresApproval: true, execute: () => 'Paid.' });
const WORDS = ['one ', 'two ', 'three'];

/** The model: it calls the tool that the prompt names, and responds to everything else with three words. */
class Writer {
  /** The number of times that a response was streamed. */
  streamed = 0;
  requested = 0;
  readonly agent: Agent;

  /** `onWord` is called before each word. */
  constructor(onWord: (word: string) => Promise<void> | void = () => {}) {
    const model = functionModel(
      ({ messages }) => {
        this.requested += 1;
        return callIn(messages) ?? says(WORDS.join(''));
      },
      {
        stream: ({ messages }) => this.#stream(messages, onWord),
      },
    );
    this.agent = new Agent({ model, tools: [look, pay] });
  }

  async *#stream(
    messages: readonly Message[],
    onWord: (word: string) => Promise<void> | void,
  ): AsyncGenerator<string | ReturnType<typeof calls>, void> {
    this.streamed += 1;
    const call = callIn(messages);
    if (call !== undefined) {
      yield call;
      return;
    }
    for (const word of WORDS) {
      await onWord(word);
      yield word;
    }
  }
}

function callIn(messages: readonly Message[]) {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind !== 'user-prompt') return undefined;
  return last.content === 'look' || last.content === 'pay' ? calls(last.content) : undefined;
}

/** An agent with a sub-agent that writes three words. `onWord` is called before each word. */
function delegating(onWord: (word: string) => Promise<void> | void): Agent {
  const helper = new Agent({
    name: 'helper',
    model: functionModel(({ messages }) => callIn(messages) ?? says(WORDS.join('')), {
      async *stream() {
        for (const word of WORDS) {
          await onWord(word);
          yield word;
        }
      },
    }),
    tools: [look],
  });
  return new Agent({
    model: functionModel(({ messages }) =>
      messages.length > 1 ? says('Done.') : calls('helper', { prompt: 'Count.' }),
    ),
    tools: [helper.asTool({ name: 'helper' })],
  });
}

const deskOn = (store: Store, { agent }: Writer, onError?: (error: unknown) => void): Desk =>
  openDesk({ store, onError, agents: { writer: { agent } } });

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Describes an event in short. */
function short(event: RunStreamEvent): string {
  switch (event.kind) {
    case 'message':
      return `${event.position}: ${event.message.parts.map(({ kind }) => kind).join(' ')}`;
    case 'live':
      return `${event.position}~ ${shortLive(event.event)}`;
    case 'rewind':
      return `rewind ${event.position}`;
    case 'state':
      return event.run.state;
  }
}

function shortLive(event: LiveEvent): string {
  if (event.kind !== 'sub-agent-event') return 'text' in event ? `'${event.text}'` : event.kind;
  return `${event.path.map(({ toolName }) => toolName).join('/')} ${shortLive(event.event)}`;
}

/** A reader that runs in the background. */
class Reader {
  readonly events: RunStreamEvent[] = [];
  readonly ended: Promise<void>;

  constructor(desk: Desk, runId: string, options: RunStreamOptions = {}) {
    this.ended = (async () => {
      for await (const event of desk.stream(runId, options)) this.events.push(event);
    })();
  }

  get log(): string[] {
    return this.events.map(short);
  }

  /** The log without states before the end and without live events. */
  get stored(): string[] {
    return this.log.filter((one) => !/^(ready|running)$|~/.test(one));
  }

  async until(text: string): Promise<void> {
    await until(() => this.log.some((one) => one.includes(text)));
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let attempts = 0; attempts < 1_000; attempts++) {
    if (isSo()) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
  throw new Error('It did not happen.');
}

const REPLAY = ['0: user-prompt', '1: tool-call', '2: tool-return', '3: text', 'finished'];

describe.each(STORES)('stream of a run at a desk %s', (_, open) => {
  it('replays a finished run and ends', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, new Writer());
    const runId = await desk.start('writer', 'look');
    await desk.drain();

    expect((await collect(desk.stream(runId))).map(short)).toEqual(REPLAY);
  });

  it('has the text of a run in this process while the model writes it', async () => {
    await using opened = await open();
    const gates = new Map(WORDS.map((word) => [word, new Gate()]));
    const writer = new Writer((word) => gates.get(word)?.opened);
    const desk = deskOn(opened.store, writer);
    const runId = await desk.start('writer', 'Hello');
    const reader = new Reader(desk, runId);
    await reader.until('ready');
    const working = desk.drain();

    for (const word of WORDS.slice(0, 2)) {
      gates.get(word)?.open();
      await reader.until(`'${word}'`);
    }
    // A reader that joins now receives the text so far at once.
    const late = new Reader(desk, runId);
    await late.until("'one two '");
    gates.get('three')?.open();
    await working;
    await reader.ended;
    await late.ended;

    expect(reader.stored).toEqual(['0: user-prompt', '1: text', 'finished']);
    expect(reader.log.indexOf("1~ 'two '")).toBeLessThan(reader.log.indexOf('1: text'));
    expect(late.stored).toEqual(reader.stored);
    expect(writer).toMatchObject({ streamed: 1, requested: 0 });
  });

  it('has the events of sub-agents with their path', async () => {
    await using opened = await open();
    const gates = new Map(WORDS.map((word) => [word, new Gate()]));
    const agent = delegating((word) => gates.get(word)?.opened);
    const desk = openDesk({ store: opened.store, agents: { writer: { agent } } });
    const runId = await desk.start('writer', 'Delegate.');
    const reader = new Reader(desk, runId);
    await reader.until('ready');
    const working = desk.drain();

    for (const word of WORDS.slice(0, 2)) {
      gates.get(word)?.open();
      await reader.until(`2~ helper '${word}'`);
    }
    // A reader that joins now receives the text so far at once.
    const late = new Reader(desk, runId);
    await late.until("2~ helper 'one two '");
    gates.get('three')?.open();
    await working;
    await reader.ended;
    await late.ended;

    const nested = reader.log.filter((one) => one.startsWith('2~ helper'));
    expect(nested[0]).toBe('2~ helper response-start');
    expect(nested.at(-1)).toBe('2~ helper part-end');
    expect(reader.stored).toEqual(REPLAY);
    expect(late.stored).toEqual(REPLAY);
  });

  it('has no part of a nested response whose start no reader received', async () => {
    await using opened = await open();
    const gates = new Map(WORDS.map((word) => [word, new Gate()]));
    const agent = delegating((word) => gates.get(word)?.opened);
    const desk = openDesk({ store: opened.store, agents: { writer: { agent } } });
    const runId = await desk.start('writer', 'Delegate.');
    const leaving = new AbortController();
    const first = new Reader(desk, runId, { signal: leaving.signal });
    await first.until('ready');
    const working = desk.drain();
    gates.get('one ')?.open();
    await first.until("helper 'one '");
    leaving.abort();
    await first.ended;

    const second = new Reader(desk, runId);
    await second.until('running');
    for (const gate of gates.values()) gate.open();
    await working;
    await second.ended;

    expect(second.log.filter((one) => one.startsWith('2~ helper'))).toEqual([]);
    expect(second.stored).toEqual(REPLAY);
  });

  it('does not stream responses that no reader receives', async () => {
    await using opened = await open();
    const writer = new Writer();
    const desk = deskOn(opened.store, writer);
    await desk.start('writer', 'look');
    await desk.drain();

    expect(writer).toMatchObject({ streamed: 0, requested: 2 });
    expect(contextOf(desk).streams.feedCount).toBe(0);
  });

  it('follows a run that executes elsewhere, step by step', async () => {
    await using opened = await open();
    const gate = new Gate();
    const slow = tool({
      name: 'look',
      async execute() {
        await gate.opened;
        return 'Two are open.';
      },
    });
    const elsewhere = openDesk({
      store: opened.store,
      agents: {
        writer: {
          agent: new Agent({
            model: functionModel(({ messages }) => callIn(messages) ?? says('Done.')),
            tools: [slow],
          }),
        },
      },
    });
    const desk = deskOn(opened.store, new Writer());
    const runId = await desk.start('writer', 'look');
    const reader = new Reader(desk, runId, { pollMs: 5 });
    const working = elsewhere.drain();

    await reader.until('1: tool-call');
    gate.open();
    await working;
    await reader.ended;

    expect(reader.stored).toEqual(REPLAY);
    expect(reader.log.some((one) => one.includes('~'))).toBe(false);
  });

  it('ends when the run parks, and resumes after a cursor', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, new Writer());
    const runId = await desk.start('writer', 'pay');
    const first = new Reader(desk, runId);
    await first.until('ready');
    await desk.drain();
    await first.ended;
    const last = first.events.at(-1);
    const after = last?.kind === 'state' ? last.cursor : '';

    expect(await collect(desk.stream(runId, { after }))).toEqual([]);
    await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });
    const second = new Reader(desk, runId, { after });
    await second.until('ready');
    await desk.drain();
    await second.ended;

    expect(first.stored).toEqual(['0: user-prompt', '1: tool-call', 'parked']);
    expect(second.stored.filter((one) => one !== 'rewind 2')).toEqual([
      '2: tool-return',
      '3: text',
      'finished',
    ]);
  });

  it('continues over parking with `continueWhenParked`', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, new Writer());
    const runId = await desk.start('writer', 'pay');
    const reader = new Reader(desk, runId, { continueWhenParked: true });
    await reader.until('ready');
    await desk.drain();
    await reader.until('parked');
    await decide(desk, await onlyHold(desk, runId), { kind: 'approve' });
    await desk.drain();
    await reader.ended;

    expect(reader.stored).toEqual([
      '0: user-prompt',
      '1: tool-call',
      'parked',
      '2: tool-return',
      '3: text',
      'finished',
    ]);
  });

  it('contains only the messages of its run', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, new Writer());
    const first = await desk.start('writer', 'look', { conversationId: 'c' });
    await desk.drain();
    const second = await desk.message('c', 'Hello');
    await desk.drain();

    expect((await collect(desk.stream(first))).map(short)).toEqual(REPLAY);
    expect((await collect(desk.stream(second))).map(short)).toEqual([
      '4: user-prompt',
      '5: text',
      'finished',
    ]);
  });

  it('takes back the text of an attempt that failed', async () => {
    await using opened = await open();
    let failures = 0;
    const writer = new Writer(async (word) => {
      if (word !== 'three' || failures > 0) return;
      failures += 1;
      await reader.until('two ');
      throw Object.assign(new Error('The line is down.'), { isRetryable: true });
    });
    const desk = deskOn(opened.store, writer, () => {});
    const runId = await desk.start('writer', 'Hello');
    const reader = new Reader(desk, runId);
    await reader.until('ready');
    await desk.drain();
    opened.clock.advance(60_000);
    await desk.drain();
    await reader.ended;

    const taken = reader.log.indexOf('rewind 1');
    expect(reader.log.slice(0, taken).join()).toContain("'one two '");
    expect(reader.log.slice(taken).filter((one) => !one.includes('~'))).toEqual([
      'rewind 1',
      '1: text',
      'finished',
    ]);
  });

  it('is found as missing for an unknown run and for a run of another tenant', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, new Writer());
    const runId = await desk.start('writer', 'Hello');

    await expect(collect(desk.stream('unknown'))).rejects.toMatchObject({ code: 'not-found' });
    await expect(collect(desk.forTenant('b').stream(runId))).rejects.toMatchObject({
      code: 'not-found',
    });
    expect(contextOf(desk).streams.feedCount).toBe(0);
  });

  it('ends when the reader leaves, when its signal aborts and when the desk is closed', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, new Writer());
    const runId = await desk.start('writer', 'Hello');
    const { streams } = contextOf(desk);
    const leaving = new AbortController();

    const aborted = new Reader(desk, runId, { signal: leaving.signal });
    const closed = new Reader(desk, runId);
    for await (const _event of desk.stream(runId)) break;
    await closed.until('ready');
    leaving.abort();
    await aborted.ended;
    expect(streams.feedCount).toBe(1);
    await desk.close();
    await closed.ended;

    expect(streams.feedCount).toBe(0);
    expect(await collect(desk.stream(runId))).toEqual([]);
  });

  it('rejects invalid options', async () => {
    await using opened = await open();
    const desk = deskOn(opened.store, new Writer());
    const runId = await desk.start('writer', 'Hello');

    for (const [options, message] of [
      [{ after: 'x' }, '`after` is not the `cursor`'],
      [{ follow: true }, 'Unknown option `follow`'],
      [{ continueWhenParked: 'yes' }, '`continueWhenParked`'],
      [{ pollMs: 0 }, '`pollMs` is 0'],
      [{ signal: {} }, '`signal`'],
    ] as const) {
      // Programs without types pass such options.
      const stream = desk.stream(runId, options as unknown as RunStreamOptions);
      await expect(collect(stream)).rejects.toThrow(message);
    }
  });
});

describe('step events of a stream', () => {
  it.each([
    ['live', true],
    ['stored', false],
  ])('are complete if the run is %s', async (_, isLive) => {
    const [, open] = STORES[0] ?? [];
    await using opened = await open!();
    const desk = deskOn(opened.store, new Writer());
    const runId = await desk.start('writer', 'look');
    if (!isLive) await desk.drain();
    const events = collect(stepEventsOf(desk.stream(runId)));
    if (isLive) {
      await until(() => contextOf(desk).streams.feedCount === 1);
      await desk.drain();
    }

    const log = (await events).filter(({ kind }) => kind !== 'tool-call');
    const text = log.flatMap((event) => (event.kind === 'text-delta' ? [event.text] : [])).join('');
    const kinds = log.map(({ kind }) => kind);
    expect(text).toBe('one two three');
    expect(
      kinds.filter((kind, index) => !kind.endsWith('-delta') || kinds[index - 1] !== kind),
    ).toEqual([
      'response-start',
      'part-start',
      ...(kinds.includes('args-delta') ? ['args-delta'] : []),
      'part-end',
      'tool-result',
      'response-start',
      'part-start',
      'text-delta',
      'part-end',
    ]);
  });
});
