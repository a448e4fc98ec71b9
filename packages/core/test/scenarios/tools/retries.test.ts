import { Agent, ModelRetry, tool, ToolFailed, UnexpectedModelBehavior } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lastPartsOf, sentTo } from '../../support/conversation.ts';
import { rejectionOf } from '../../support/latch.ts';

const count = z.object({ n: z.number() });

/** Creates a tool that fails for negative numbers and records `ctx.retry`. */
function counting(options: { maxRetries?: number } = {}) {
  const retries: number[] = [];
  const made = tool({
    ...options,
    name: 'count',
    inputSchema: count,
    execute: ({ n }, ctx) => {
      retries.push(ctx.retry);
      if (n < 0) throw new ModelRetry('Count upwards.');
      return n;
    },
  });
  return { retries, tool: made };
}

describe('a call to a tool that does not exist', () => {
  it.each(['delete', '__proto__', 'constructor', 'toString', ''])(
    'returns the available tools to the model: %j',
    async (name) => {
      const model = scriptedModel(calls(name), says('Sorry.'));
      const tools = { write: counting().tool, count: counting().tool };

      const result = await new Agent({ model, tools }).run('Go.');

      expect(result.output).toBe('Sorry.');
      expect(lastPartsOf(sentTo(model, 1))).toMatchObject([
        {
          kind: 'retry-prompt',
          toolName: name,
          content: expect.stringContaining("'count', 'write'"),
        },
      ]);
    },
  );

  it('is reported if there are no tools', async () => {
    const model = scriptedModel(calls('delete'), says('Sorry.'));

    await new Agent({ model }).run('Go.');

    expect(lastPartsOf(sentTo(model, 1))).toMatchObject([
      { kind: 'retry-prompt', content: expect.stringContaining('no tools') },
    ]);
  });

  it.each(['delete', '__proto__'])('ends the run when it is repeated: %s', async (name) => {
    const model = scriptedModel(calls(name), calls(name));

    const error = await rejectionOf(new Agent({ model, tools: [counting().tool] }).run('Go.'));

    expect(error).toBeInstanceOf(UnexpectedModelBehavior);
    expect(error).toMatchObject({ message: expect.stringContaining(`'${name}'`) });
  });

  it('is detected correctly for tools with odd names', async () => {
    const tools = Object.fromEntries(
      ['__proto__', 'constructor'].map((name) => [name, tool({ execute: () => name })]),
    );
    const model = scriptedModel(responds(calls('__proto__'), calls('constructor')), says('Done.'));

    await new Agent({ model, tools }).run('Go.');

    expect(lastPartsOf(sentTo(model, 1))).toMatchObject([
      { kind: 'tool-return', content: '__proto__' },
      { kind: 'tool-return', content: 'constructor' },
    ]);
  });
});

describe('retries', () => {
  it('are counted once for each step in which a tool failed', async () => {
    const { retries, tool: counter } = counting();
    const model = scriptedModel(
      responds(calls('count', { n: -1 }), calls('count', { n: -2 }), calls('count', { n: 3 })),
      calls('count', { n: 4 }),
      says('Done.'),
    );

    const result = await new Agent({ model, tools: [counter] }).run('Go.');

    expect(retries).toEqual([0, 0, 0, 1]);
    expect(result.usage.toolCalls).toBe(2);
  });

  it('restart after the tool succeeds, but not after another tool succeeds', async () => {
    const { retries, tool: counter } = counting();
    const tools = { count: counter, other: tool({ execute: () => 'ok' }) };
    const model = scriptedModel(
      calls('count', { n: -1 }),
      calls('other'),
      calls('count', { n: 1 }),
      calls('count', { n: -1 }),
      calls('count', { n: 1 }),
      says('Done.'),
    );

    await new Agent({ model, tools }).run('Go.');

    expect(retries).toEqual([0, 1, 0, 1]);
  });

  it.each([0, 1, 3])('end the run after more than %i', async (maxRetries) => {
    const { retries, tool: counter } = counting({ maxRetries });
    const model = scriptedModel(...Array.from({ length: 5 }, () => calls('count', { n: -1 })));

    const error = await rejectionOf(new Agent({ model, tools: [counter] }).run('Go.'));

    expect(error).toBeInstanceOf(UnexpectedModelBehavior);
    expect(error).toMatchObject({ message: expect.stringContaining('Count upwards.') });
    expect(retries).toHaveLength(maxRetries + 1);
  });

  it('are limited by the tool, then by the run, then by the agent', async () => {
    const attempts = async (own?: number, run?: number, agent?: number) => {
      const { retries, tool: counter } = counting(own === undefined ? {} : { maxRetries: own });
      const model = scriptedModel(...Array.from({ length: 9 }, () => calls('count', { n: -1 })));
      const options = { model, tools: [counter], retries: { tools: agent } };
      await rejectionOf(new Agent(options).run('Go.', { retries: { tools: run } }));
      return retries.length;
    };

    expect(await attempts(2, 3, 4)).toBe(3);
    expect(await attempts(undefined, 3, 4)).toBe(4);
    expect(await attempts(undefined, undefined, 4)).toBe(5);
    expect(await attempts()).toBe(2);
  });

  it('end with the error that the tool threw last as the cause', async () => {
    const thrown = new ModelRetry('Not yet.');
    const execute = () => {
      throw thrown;
    };
    const wait = tool({ name: 'wait', execute, maxRetries: 0 });
    const agent = new Agent({ model: scriptedModel(calls('wait')), tools: [wait] });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toMatchObject({ cause: thrown });
  });

  it('end with the issues of the arguments as the cause', async () => {
    const model = scriptedModel(calls('count', { n: 'x' }));
    const agent = new Agent({ model, tools: [counting({ maxRetries: 0 }).tool] });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toBeInstanceOf(UnexpectedModelBehavior);
    expect(error).toMatchObject({ cause: [{ path: ['n'], input: 'x' }] });
  });

  it('end the run before the next call of the response is validated', async () => {
    const model = scriptedModel(
      responds(calls('count', { n: 'x' }, { id: 'a' }), calls('other', { n: 1 }, { id: 'b' })),
    );
    const validated: string[] = [];
    const argsValidator = () => void validated.push('other');
    const other = tool({ name: 'other', inputSchema: count, argsValidator, execute: () => 1 });
    const agent = new Agent({ model, tools: [counting({ maxRetries: 0 }).tool, other] });
    const announced: unknown[] = [];

    await rejectionOf(
      agent.run('Go.', {
        onEvent: (event) =>
          void (event.kind === 'tool-call' && announced.push(event.part.toolCallId)),
      }),
    );

    expect(announced).toEqual(['a']);
    expect(validated).toEqual([]);
  });

  it.each([-1, 0.5, Number.NaN])('cannot be %d', (retries) => {
    expect(() => new Agent({ model: scriptedModel(), retries })).toThrow('retries');
  });
});

describe('a validator of arguments', () => {
  const guarded = (argsValidator: () => void | Promise<void>, ran: string[] = []) =>
    tool({ name: 'guarded', argsValidator, execute: () => ran.push('ran'), maxRetries: 0 });

  it('can send the call back, which counts as a retry', async () => {
    const ran: string[] = [];
    const reject = () => Promise.reject(new ModelRetry('Not today.'));
    const model = scriptedModel(calls('guarded'));

    const error = await rejectionOf(new Agent({ model, tools: [guarded(reject, ran)] }).run('Go.'));

    expect(error).toMatchObject({ message: expect.stringContaining('Not today.') });
    expect(ran).toEqual([]);
  });

  it('can fail the call, which does not count as a retry', async () => {
    const ran: string[] = [];
    const fail = () => {
      throw new ToolFailed('The disk is full.');
    };
    const model = scriptedModel(calls('guarded'), calls('guarded'), says('Sorry.'));

    const result = await new Agent({ model, tools: [guarded(fail, ran)] }).run('Go.');

    expect(result.output).toBe('Sorry.');
    expect(ran).toEqual([]);
    expect(lastPartsOf(sentTo(model, 1))).toMatchObject([
      { kind: 'tool-return', outcome: 'failed', content: 'The disk is full.' },
    ]);
  });

  it('ends the run with any other error, before a call of the same response executes', async () => {
    const ran: string[] = [];
    const broken = new Error('The validator is broken.');
    const model = scriptedModel(responds(calls('free'), calls('guarded')));
    const tools = {
      free: tool({ execute: () => ran.push('free') }),
      guarded: guarded(() => Promise.reject(broken), ran),
    };

    const error = await rejectionOf(new Agent({ model, tools }).run('Go.'));

    expect(error).toBe(broken);
    expect(ran).toEqual([]);
  });
});
