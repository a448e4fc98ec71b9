import { Agent, type RunContext, tool, ToolFailed } from 'holdpoint';
import { otel } from 'holdpoint/otel';
import { calls, fakeClock, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { lastPartsOf, partsOf, sentTo } from '../../support/conversation.ts';
import { latch, never, rejectionOf, settled } from '../../support/latch.ts';
import { recordSpans } from '../../support/spans.ts';

/** A tool with this function, which accepts any arguments. */
const does = (execute: (args: object, ctx: RunContext) => unknown, timeout?: number) =>
  tool({ name: 'work', execute, timeout });

describe('a tool that throws', () => {
  const frozen = Object.freeze(new Error('frozen'));
  const odd = [new Error('broken'), frozen, 'a text', 0, null, undefined, Object.create(null)];

  it.each(odd.map((thrown) => [thrown]))(
    'ends the run with the thrown value: %o',
    async (thrown) => {
      const sync = does(() => {
        throw thrown;
      });
      const async = does(() => Promise.reject(thrown));

      for (const work of [sync, async]) {
        const agent = new Agent({ model: scriptedModel(calls('work')), tools: [work] });
        expect(await rejectionOf(agent.run('Go.'))).toBe(thrown);
      }
    },
  );

  it.each(odd.map((thrown) => [thrown]))(
    'ends the run with the thrown value also when it is traced: %o',
    async (thrown) => {
      const { tracer, spans } = recordSpans();
      const work = does(() => Promise.reject(thrown));
      const model = scriptedModel(calls('work'));
      const agent = new Agent({ model, tools: [work], capabilities: [otel({ tracer })] });

      const error = await rejectionOf(agent.run('Go.'));

      expect(error).toBe(thrown);
      const call = spans().find(({ name }) => name === 'execute_tool work');
      expect(call?.events).toMatchObject([{ name: 'exception' }]);
    },
  );

  it('informs the model when it throws ToolFailed, without a limit', async () => {
    const work = does(() => {
      throw new ToolFailed('The disk is full.');
    });
    const model = scriptedModel(calls('work'), calls('work'), calls('work'), says('Sorry.'));

    const result = await new Agent({ model, tools: [work] }).run('Go.');

    expect(result.output).toBe('Sorry.');
    expect(result.usage.toolCalls).toBe(0);
    expect(lastPartsOf(sentTo(model, 3))).toMatchObject([
      { kind: 'tool-return', content: 'The disk is full.', outcome: 'failed' },
    ]);
  });

  it('is traced with arguments that JSON cannot hold, and works', async () => {
    const { tracer } = recordSpans();
    const double = tool({
      name: 'double',
      inputSchema: z.object({ n: z.string().transform(BigInt) }),
      execute: ({ n }) => String(n * 2n),
    });
    const model = scriptedModel(calls('double', { n: '21' }), says('42'));
    const capabilities = [otel({ tracer, includeContent: true })];
    const agent = new Agent({ model, tools: [double], capabilities });

    const result = await agent.run('Go.');

    expect(partsOf(result.messages)[2]).toMatchObject({ content: '42' });
  });
});

describe('a tool that takes too long', () => {
  it('is stopped after its timeout, and the model is informed', async () => {
    const clock = fakeClock();
    let signal: AbortSignal | undefined;
    const work = does((_, ctx) => {
      signal = ctx.signal;
      return never();
    }, 200);
    const model = scriptedModel(calls('work'), says('Too slow.'));
    const running = new Agent({ model, tools: [work], environment: clock }).run('Go.');

    await clock.advance(199);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    const result = await running;

    expect(signal?.aborted).toBe(true);
    expect(partsOf(result.messages)[2]).toMatchObject({
      kind: 'retry-prompt',
      content: expect.stringContaining('200 ms'),
    });
    expect(result.usage.toolCalls).toBe(0);
  });

  it('ends the run after more timeouts than allowed', async () => {
    const clock = fakeClock();
    const model = scriptedModel(calls('work'), calls('work'));
    const agent = new Agent({ model, tools: [does(never, 10)], environment: clock });
    const running = rejectionOf(agent.run('Go.'));

    await clock.advance(20);

    expect(await running).toMatchObject({ code: 'unexpected-model-behavior' });
  });

  it.each([
    ['its own', 50, 1000, 50],
    ['the one of the agent', undefined, 70, 70],
    ['its own, also if that is longer', 90, 10, 90],
  ])('has %s timeout', async (_what, own, agent, expected) => {
    const clock = fakeClock();
    const model = scriptedModel(calls('work'), says('Too slow.'));
    const options = { model, tools: [does(never, own)], toolTimeout: agent, environment: clock };
    const start = clock.now();
    const finished = vi.fn();
    const running = new Agent(options).run('Go.').then(() => finished(clock.now() - start));

    await clock.advance(1000);
    await running;

    expect(finished).toHaveBeenCalledWith(expected);
  });

  it('is ignored when its result comes late', async () => {
    const clock = fakeClock();
    const late = latch<string>();
    const events: string[] = [];
    const response = latch<string>();
    const model = scriptedModel(calls('work'), () => response.opened);
    const agent = new Agent({ model, tools: [does(() => late.opened, 10)], environment: clock });
    const running = agent.run('Go.', { onEvent: (event) => void events.push(event.kind) });
    await clock.advance(10);

    late.open('too late');
    await settled();
    response.open('Too slow.');
    const result = await running;

    expect(events).toEqual(['tool-call', 'tool-result']);
    expect(partsOf(result.messages)).not.toContainEqual(
      expect.objectContaining({ content: 'too late' }),
    );
    expect(result.usage.toolCalls).toBe(0);
  });

  it.each([Number.POSITIVE_INFINITY, 2 ** 31])(
    'may take any time with a timeout of %d ms',
    async (timeout) => {
      const work = does(async () => {
        await settled();
        return 'done';
      }, timeout);
      const model = scriptedModel(calls('work'), says('Done.'));

      const result = await new Agent({ model, tools: [work] }).run('Go.');

      expect(partsOf(result.messages)[2]).toMatchObject({ kind: 'tool-return', content: 'done' });
    },
  );
});

describe('the timer of a tool', () => {
  const hanging = tool({ name: 'hang', execute: never, timeout: 60_000 });

  it('is cleared when the tool ends', async () => {
    const clock = fakeClock();
    const work = tool({ name: 'work', execute: () => 'done', timeout: 60_000 });
    const model = scriptedModel(calls('work'), says('Done.'));

    await new Agent({ model, tools: [work], environment: clock }).run('Go.');

    expect(clock.sleeping).toBe(0);
  });

  it('is cleared when another tool throws', async () => {
    const clock = fakeClock();
    const broken = tool({ name: 'broken', execute: () => Promise.reject(new Error('broken')) });
    const model = scriptedModel(responds(calls('hang'), calls('broken')));
    const agent = new Agent({ model, tools: [hanging, broken], environment: clock });

    await rejectionOf(agent.run('Go.'));

    expect(clock.sleeping).toBe(0);
  });

  it('is cleared when the run is aborted, so that the process can exit', async () => {
    const clock = fakeClock();
    const controller = new AbortController();
    const agent = new Agent({
      model: scriptedModel(calls('hang')),
      tools: [hanging],
      environment: clock,
    });
    const running = rejectionOf(agent.run('Go.', { signal: controller.signal }));
    await settled();

    controller.abort();
    await running;

    expect(clock.sleeping).toBe(0);
  });
});
