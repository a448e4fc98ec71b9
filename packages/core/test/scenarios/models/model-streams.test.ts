import { Agent, type Model, tool } from 'holdpoint';
import type { ModelStreamEvent } from 'holdpoint/models';
import { calls, functionModel, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';

/** A model that streams these events unchanged. */
function streaming(...events: ModelStreamEvent[]): Model {
  return functionModel(() => 'not streamed', {
    async *stream() {
      yield* events;
    },
  });
}

const text = (content: string, index = 0): ModelStreamEvent => ({
  kind: 'part-start',
  index,
  part: { kind: 'text', content },
});

describe('the stream of a model', () => {
  it('may interleave chunks of several parts', async () => {
    const model = streaming(
      text('Hel'),
      { kind: 'part-start', index: 1, part: { kind: 'thinking', content: 'Well' } },
      { kind: 'text-delta', index: 0, text: 'lo.' },
      { kind: 'thinking-delta', index: 1, text: ' then.' },
      { kind: 'part-done', index: 1, fields: { signature: 'seal' } },
      { kind: 'part-done', index: 0 },
    );

    const { messages, output } = await new Agent({ model }).stream('Hi').result;

    expect(output).toBe('Hello.');
    expect(messages[1]?.parts).toEqual([
      { kind: 'text', content: 'Hello.' },
      { kind: 'thinking', content: 'Well then.', signature: 'seal' },
    ]);
  });

  it('may end without closing its parts', async () => {
    const model = streaming(text('Hel'), { kind: 'text-delta', index: 0, text: 'lo.' });

    expect((await new Agent({ model }).stream('Hi').result).output).toBe('Hello.');
  });

  it('streams the arguments of a native tool as well', async () => {
    const search = { kind: 'native-tool-call', toolName: 'web_search', toolCallId: 's' } as const;
    const model = streaming(
      { kind: 'part-start', index: 0, part: { ...search, args: '{"query":' } },
      { kind: 'args-delta', index: 0, text: '"weather"}' },
      { kind: 'part-done', index: 0 },
      text('Sunny.', 1),
    );

    const { messages } = await new Agent({ model }).stream('How is it?').result;

    expect(messages[1]?.parts).toMatchObject([
      { ...search, args: '{"query":"weather"}' },
      { kind: 'text' },
    ]);
  });

  it('that ends early is an error', async () => {
    const model: Model = {
      name: 'cut-off',
      system: 'test',
      request: async () => ({ parts: [] }),
      async *stream() {
        yield text('Hel');
      },
    };

    const stream = new Agent({ model }).stream('Hi');

    await expect(stream.result).rejects.toMatchObject({
      code: 'unexpected-model-behavior',
      message: expect.stringContaining('cut-off'),
    });
  });

  it.each([
    [
      'goes on with a part that was not begun',
      { kind: 'text-delta', index: 1, text: '!' } as const,
    ],
    ['leaves out a part', text('!', 2)],
  ])('that %s is an error', async (_, event) => {
    const stream = new Agent({ model: streaming(text('Hello'), event) }).stream('Hi');

    await expect(stream.result).rejects.toMatchObject({ code: 'unexpected-model-behavior' });
  });
});

describe('leaving a stream', () => {
  it('does not wait for a model that sends nothing more', async () => {
    const model = functionModel(() => 'not streamed', {
      async *stream() {
        yield 'Well…';
        await new Promise(() => {});
      },
    });
    const iterator = new Agent({ model }).stream('Hi')[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();

    const next = iterator.next();
    await iterator.return?.();

    expect(await next).toEqual({ value: undefined, done: true });
  });

  it('while its model is loading sends no request to the model', async () => {
    let ran = false;
    const touch = tool({
      name: 'touch',
      execute() {
        ran = true;
      },
    });
    // A model that is passed by name is loaded first. This one calls every tool.
    const stream = new Agent({ model: 'test', tools: [touch] }).stream('Hi');
    const iterator = stream[Symbol.asyncIterator]();

    const next = iterator.next();
    await iterator.return?.();

    expect(await next).toEqual({ value: undefined, done: true });
    expect(ran).toBe(false);
  });
});

describe('a tool without a timeout', () => {
  it('may take any time', async () => {
    const slow = tool({
      name: 'slow',
      timeout: Number.POSITIVE_INFINITY,
      execute: () => new Promise((resolve) => setTimeout(resolve, 20, 'done')),
    });
    const model = scriptedModel(calls('slow'), 'Done.');

    const { messages } = await new Agent({ model, tools: [slow] }).run('Go.');

    expect(messages[2]?.parts).toMatchObject([{ kind: 'tool-return', content: 'done' }]);
  });
});
