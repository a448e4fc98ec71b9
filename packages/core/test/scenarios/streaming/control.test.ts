import { getEventListeners } from 'node:events';
import { Agent, type RunContext, tool } from 'holdpoint';
import { calls, functionModel, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { latch } from '../../support/latch.ts';
import { expectNoUnhandledRejections } from '../../support/unhandled-rejections.ts';

/** Waits until the run can make no progress without the consumer. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 10));

/** A model that streams words, counts them, and records when it is closed. */
function talker(words: number) {
  const seen = { words: 0, closed: 0 };
  const model = functionModel(() => 'not streamed', {
    async *stream() {
      try {
        while (seen.words < words) {
          seen.words += 1;
          yield `${seen.words} `;
        }
      } finally {
        seen.closed += 1;
      }
    },
  });
  return { model, seen };
}

expectNoUnhandledRejections();

describe('a slow consumer', () => {
  it('holds back the model', async () => {
    const { model, seen } = talker(100);
    const iterator = new Agent({ model }).stream('Talk.')[Symbol.asyncIterator]();
    const wordCounts: number[] = [];

    for (const _ of [1, 2, 3, 4, 5, 6]) {
      await iterator.next();
      await aWhile();
      wordCounts.push(seen.words);
    }

    expect(wordCounts).toEqual([1, 1, 1, 1, 2, 3]);
    await iterator.return?.();
  });

  it('holds back the tools, and the request after them', async () => {
    let runs = 0;
    const count = tool({ name: 'count', execute: () => (runs += 1) });
    const model = scriptedModel(calls('count'), says('Done.'));
    const iterator = new Agent({ model, tools: [count] }).stream('Go.')[Symbol.asyncIterator]();
    const log: unknown[] = [];

    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      await aWhile();
      log.push([next.value.kind, runs, model.calls.length]);
    }

    expect(log).toEqual([
      ['response-start', 0, 1],
      ['part-start', 0, 1],
      ['args-delta', 0, 1],
      ['part-end', 0, 1],
      ['tool-call', 0, 1],
      ['tool-result', 1, 1],
      ['response-start', 1, 2],
      ['part-start', 1, 2],
      ['final-result', 1, 2],
      ['text-delta', 1, 2],
      ['part-end', 1, 2],
      ['run-result', 1, 2],
    ]);
  });
});

describe('breaking out of a stream', () => {
  it('stops the run and closes the model', async () => {
    const { model, seen } = talker(100);
    const stream = new Agent({ model }).stream('Talk.');

    for await (const event of stream) if (event.kind === 'text-delta') break;
    await aWhile();

    expect(seen).toEqual({ words: 1, closed: 1 });
    await expect(stream.result).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('keeps the received part', async () => {
    const { model } = talker(100);
    const stream = new Agent({ model }).stream('Talk.');

    for await (const event of stream) if (event.kind === 'text-delta') break;

    expect(stream.messages).toMatchObject([
      { kind: 'request' },
      { kind: 'response', state: 'interrupted', parts: [{ kind: 'text', content: '1 ' }] },
    ]);
  });

  it('stops the run from textStream and partialOutputs as well', async () => {
    for (const view of ['textStream', 'partialOutputs'] as const) {
      const { model, seen } = talker(100);
      const stream = new Agent({ model }).stream('Talk.');

      for await (const _ of stream[view]) break;
      await aWhile();

      expect(seen).toEqual({ words: 1, closed: 1 });
      await expect(stream.result).rejects.toMatchObject({ name: 'AbortError' });
    }
  });

  it("aborts executing tools, and removes its listener from the caller's signal", async () => {
    const { signal } = new AbortController();
    let waiting: AbortSignal | undefined;
    const slow = tool({
      name: 'slow',
      async execute(_args, ctx: RunContext) {
        waiting = ctx.signal;
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
        ctx.signal.throwIfAborted();
      },
    });
    const quick = tool({ name: 'quick', execute: () => 'quick' });
    const model = scriptedModel(responds(calls('slow'), calls('quick')));
    const stream = new Agent({ model, tools: [slow, quick] }).stream('Go.', { signal });

    for await (const event of stream) if (event.kind === 'tool-result') break;

    expect(waiting?.aborted).toBe(true);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(stream.messages.at(-1)).toMatchObject({
      kind: 'request',
      state: 'interrupted',
      parts: [{ kind: 'tool-return', toolName: 'quick' }],
    });
  });

  it('does not wait for a tool that ignores its signal', async () => {
    const { opened, open } = latch();
    const deaf = tool({ name: 'deaf', execute: () => opened });
    const quick = tool({ name: 'quick', execute: () => 'quick' });
    const model = scriptedModel(responds(calls('deaf'), calls('quick')));
    const stream = new Agent({ model, tools: [deaf, quick] }).stream('Go.');

    for await (const event of stream) if (event.kind === 'tool-result') break;

    expect(model.calls).toHaveLength(1);
    open();
  });

  it('leaves no work for later', async () => {
    const { model } = talker(100);
    const iterator = new Agent({ model }).stream('Talk.')[Symbol.asyncIterator]();

    await iterator.next();
    await iterator.return?.();

    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  });

  it('before the first event never starts the run', async () => {
    const { model, seen } = talker(3);
    const stream = new Agent({ model }).stream('Talk.');

    await stream[Symbol.asyncIterator]().return?.();
    await stream.result.catch(() => {});

    expect(seen.words).toBe(0);
  });

  it('after the result does not change the result', async () => {
    const { signal } = new AbortController();
    const stream = new Agent({ model: scriptedModel('Hello.') }).stream('Hi', { signal });

    for await (const event of stream) if (event.kind === 'run-result') break;

    expect((await stream.result).output).toBe('Hello.');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('an error in the middle of a stream', () => {
  const down = new Error('The line is down.');
  const failing = functionModel(() => 'not streamed', {
    async *stream() {
      yield 'Hel';
      throw down;
    },
  });

  it('reaches the consumer after the events before it', async () => {
    const kinds: string[] = [];
    const reading = async () => {
      for await (const event of new Agent({ model: failing }).stream('Hi')) kinds.push(event.kind);
    };

    await expect(reading()).rejects.toBe(down);
    expect(kinds).toEqual(['response-start', 'part-start', 'final-result', 'text-delta']);
  });

  it('rejects the result promise', async () => {
    const stream = new Agent({ model: failing }).stream('Hi');

    await expect(stream.result).rejects.toBe(down);
    expect(stream.messages).toMatchObject([
      { kind: 'request' },
      { kind: 'response', state: 'interrupted', parts: [{ content: 'Hel' }] },
    ]);
  });

  it('is thrown again on each further read', async () => {
    const iterator = new Agent({ model: failing }).stream('Hi')[Symbol.asyncIterator]();
    for (const _ of [1, 2, 3, 4]) await iterator.next();

    await expect(iterator.next()).rejects.toBe(down);
    await expect(iterator.next()).rejects.toBe(down);
  });

  it('is the unchanged error of a tool, and aborts the others', async () => {
    const aborted = latch();
    const slow = tool({
      name: 'slow',
      execute: (_args, ctx: RunContext) =>
        ctx.signal.addEventListener('abort', () => aborted.open()),
    });
    const broken = tool({
      name: 'broken',
      execute: () => aWhile().then(() => Promise.reject(down)),
    });
    const waits = tool({ name: 'waits', execute: () => aborted.opened });
    const model = scriptedModel(responds(calls('slow'), calls('waits'), calls('broken')));
    const stream = new Agent({ model, tools: [slow, waits, broken] }).stream('Go.');

    await expect(stream.result).rejects.toBe(down);
  });

  it("is the abort reason of the caller's signal", async () => {
    const controller = new AbortController();
    const { model, seen } = talker(100);
    const stream = new Agent({ model }).stream('Talk.', { signal: controller.signal });
    const reading = async () => {
      for await (const event of stream) if (event.kind === 'text-delta') controller.abort(down);
    };

    await expect(reading()).rejects.toBe(down);
    await expect(stream.result).rejects.toBe(down);
    expect(seen.closed).toBe(1);
  });
});
