import {
  Agent,
  fromJsonSchema,
  type JsonObject,
  ModelRetry,
  type RunContext,
  tool,
  ToolFailed,
  UsageLimitExceeded,
} from 'holdpoint';
import { calls, fakeClock, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { partsOf } from '../../support/conversation.ts';
import { never, rejectionOf } from '../../support/latch.ts';

/** A tool that calls other tools. */
const outer = (execute: (ctx: RunContext) => unknown, options: { timeout?: number } = {}) =>
  tool({ ...options, name: 'outer', execute: (_, ctx) => execute(ctx) });

const square = tool({
  name: 'square',
  inputSchema: z.strictObject({ n: z.number() }),
  execute: ({ n }) => n * n,
});

const script = () => scriptedModel(calls('outer'), says('Done.'));

describe('a tool that calls other tools', () => {
  it('receives their results, which are not in the history', async () => {
    const sum = outer(async ({ toolManager }) => {
      const squares = await Promise.all([3, 4].map((n) => toolManager.call('square', { n })));
      return squares;
    });

    const result = await new Agent({ model: script(), tools: [sum, square] }).run('Go.');

    expect(partsOf(result.messages)).toHaveLength(4);
    expect(partsOf(result.messages)[2]).toMatchObject({ toolName: 'outer', content: [9, 16] });
    expect(result.usage.toolCalls).toBe(3);
  });

  it.each([
    ['wrong arguments', 'square', { n: 'x' }, 'n'],
    ['a key too many', 'square', { n: 1, m: 2 }, 'm'],
    ['a tool that is not there', 'cube', { n: 1 }, "'cube'"],
    ['a tool named __proto__', '__proto__', {}, "'__proto__'"],
  ])('receives a ModelRetry about %s', async (_what, name, args, mention) => {
    const thrown: unknown[] = [];
    const wrong = outer(async ({ toolManager }) => {
      await toolManager.call(name, args).catch((error: unknown) => thrown.push(error));
    });

    const result = await new Agent({ model: script(), tools: [wrong, square] }).run('Go.');

    expect(thrown).toEqual([expect.any(ModelRetry)]);
    expect(thrown).toMatchObject([{ message: expect.stringContaining(mention) }]);
    expect(result.usage.toolCalls).toBe(1);
  });

  it('passes an uncaught ModelRetry to the model as its own failure', async () => {
    const wrong = outer(({ toolManager }) => toolManager.call('square', {}));

    const result = await new Agent({ model: script(), tools: [wrong, square] }).run('Go.');

    expect(partsOf(result.messages)[2]).toMatchObject({ kind: 'retry-prompt', toolName: 'outer' });
  });

  it.each([
    ['ToolFailed', new ToolFailed('The disk is full.'), expect.any(ToolFailed)],
    ['ModelRetry', new ModelRetry('Later.'), expect.any(ModelRetry)],
    ['any other error', new RangeError('broken'), expect.any(RangeError)],
  ])('receives their errors: %s', async (_what, error, expected) => {
    const thrown: unknown[] = [];
    const broken = tool({ name: 'broken', execute: () => Promise.reject(error) });
    const using = outer(async ({ toolManager }) => {
      await toolManager.call('broken').catch((reason: unknown) => thrown.push(reason));
    });

    await new Agent({ model: script(), tools: [using, broken] }).run('Go.');

    expect(thrown).toEqual([expected]);
    expect(thrown).toMatchObject([{ message: error.message }]);
  });

  it('keeps the arguments that it passes unfrozen', async () => {
    const inputSchema = fromJsonSchema<JsonObject>({ type: 'object' });
    const store = tool({ name: 'store', inputSchema, execute: () => 'stored' });
    const args: { tags: string[] } = { tags: ['a'] };
    const using = outer(async ({ toolManager }) => {
      await toolManager.call('store', args);
      args.tags.push('b');
      return args;
    });

    const result = await new Agent({ model: script(), tools: [using, store] }).run('Go.');

    expect(partsOf(result.messages)[2]).toMatchObject({ content: { tags: ['a', 'b'] } });
  });

  it.each([
    ['one after the other', false],
    ['at the same time', true],
  ])('cannot exceed the limit of tool calls: %s', async (_what, together) => {
    let squares = 0;
    const counted = tool({ name: 'counted', execute: () => (squares += 1) });
    const using = outer(async ({ toolManager }) => {
      const call = () => toolManager.call('counted');
      if (together) return Promise.all([call(), call(), call(), call()]);
      for (let round = 0; round < 4; round++) await call();
      return squares;
    });
    const agent = new Agent({ model: script(), tools: [using, counted] });

    const error = await rejectionOf(agent.run('Go.', { usageLimits: { toolCallsLimit: 3 } }));

    // The call of the model is the first of the three.
    expect(error).toBeInstanceOf(UsageLimitExceeded);
    expect(squares).toBe(2);
  });

  it('receives an error when one of them times out', async () => {
    const thrown: unknown[] = [];
    const slow = tool({ name: 'slow', execute: never, timeout: 10 });
    const using = outer(async ({ toolManager }) => {
      await toolManager.call('slow').catch((error: unknown) => thrown.push(error));
    });

    await new Agent({ model: script(), tools: [using, slow] }).run('Go.');

    expect(thrown).toEqual([expect.any(ModelRetry)]);
  });

  it('aborts them when it is aborted', async () => {
    const clock = fakeClock();
    let signal: AbortSignal | undefined;
    const slow = tool({
      name: 'slow',
      execute: (_, ctx) => {
        signal = ctx.signal;
        return never();
      },
    });
    const using = outer(({ toolManager }) => toolManager.call('slow'), { timeout: 10 });
    const agent = new Agent({ model: script(), tools: [using, slow], environment: clock });
    const running = agent.run('Go.');

    await clock.advance(10);
    await running;

    expect(signal?.aborted).toBe(true);
  });
});
