import {
  Agent,
  captureRunMessages,
  RunUsage,
  tool,
  ToolFailed,
  UsageLimitExceeded,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { partsOf } from '../../support/conversation.ts';

/** An agent with a tool that counts its executions. */
function counting(model: ReturnType<typeof scriptedModel>) {
  const ran: string[] = [];
  const work = tool({ name: 'work', execute: (_, ctx) => ran.push(ctx.toolCallId ?? '') });
  const fail = tool({ name: 'fail', execute: () => Promise.reject(new ToolFailed('No.')) });
  return { agent: new Agent({ model, tools: [work, fail], retries: 3 }), ran };
}

describe('a limit of requests', () => {
  it('stops the run before the next request; the results are in the history', async () => {
    const model = scriptedModel(calls('work'), calls('work'), says('Done.'));
    const { agent, ran } = counting(model);

    const captured = await captureRunMessages(() =>
      agent.run('Go.', { usageLimits: { requestLimit: 2 } }),
    );

    expect(captured).toMatchObject({ reason: expect.any(UsageLimitExceeded) });
    expect(model.calls).toHaveLength(2);
    expect(ran).toHaveLength(2);
    expect(partsOf(captured.messages).at(-1)).toMatchObject({ kind: 'tool-return' });
  });

  it('is 50 by default, and can be removed', async () => {
    const model = scriptedModel(...Array.from({ length: 60 }, () => calls('work')), says('Done.'));
    const { agent, ran } = counting(model);

    const stopped = await captureRunMessages(() => agent.run('Go.'));
    expect(stopped).toMatchObject({ reason: expect.any(UsageLimitExceeded) });
    expect(ran).toHaveLength(50);

    const { messages: messageHistory } = stopped;
    const usageLimits = { requestLimit: null };
    const result = await agent.run('Go on.', { messageHistory, usageLimits });
    expect(result.output).toBe('Done.');
  });

  it('of 0 allows no request', async () => {
    const model = scriptedModel(says('Hi.'));

    const captured = await captureRunMessages(() =>
      new Agent({ model, usageLimits: { requestLimit: 0 } }).run('Go.'),
    );

    expect(captured).toMatchObject({ reason: expect.any(UsageLimitExceeded) });
    expect(model.calls).toEqual([]);
  });
});

describe('a limit of tool calls', () => {
  it.each([
    ['functions', responds(calls('work'), calls('work'), calls('work'))],
    ['functions and unknown ones', responds(calls('work'), calls('work'), calls('unknown'))],
  ])('permits all calls of a response or none: %s', async (_what, response) => {
    const { agent, ran } = counting(scriptedModel(response));

    const captured = await captureRunMessages(() =>
      agent.run('Go.', { usageLimits: { toolCallsLimit: 2 } }),
    );

    expect(captured).toMatchObject({ reason: expect.any(UsageLimitExceeded) });
    expect(ran).toEqual([]);
    expect(captured.messages.at(-1)?.kind).toBe('response');
  });

  it('does not count failed calls and outputs', async () => {
    const model = scriptedModel(
      calls('fail'),
      calls('unknown'),
      calls('work'),
      calls('final_result', { n: 1 }),
    );
    const { agent } = counting(model);

    const result = await agent.run('Go.', {
      usageLimits: { toolCallsLimit: 1 },
      output: z.object({ n: z.number() }),
    });

    expect(result.output).toEqual({ n: 1 });
    expect(result.usage.toolCalls).toBe(1);
  });
});

describe('a limit of tokens', () => {
  const usage = { inputTokens: 10, outputTokens: 5 };

  it.each([
    ['inputTokensLimit', { inputTokensLimit: 9 }],
    ['outputTokensLimit', { outputTokensLimit: 4 }],
    ['totalTokensLimit', { totalTokensLimit: 14 }],
  ])('stops the run before any tool executes: %s', async (_name, usageLimits) => {
    const { agent, ran } = counting(scriptedModel(responds(calls('work'), { usage })));

    const captured = await captureRunMessages(() => agent.run('Go.', { usageLimits }));

    expect(captured).toMatchObject({ reason: expect.any(UsageLimitExceeded) });
    expect(ran).toEqual([]);
    expect(captured.messages).toHaveLength(2);
  });

  it('that is met exactly is not exceeded', async () => {
    const model = scriptedModel(responds('Hi.', { usage }));
    const usageLimits = { inputTokensLimit: 10, outputTokensLimit: 5, totalTokensLimit: 15 };

    const result = await new Agent({ model, usageLimits }).run('Go.');

    expect(result.output).toBe('Hi.');
  });

  it('applies to all runs that share a usage', async () => {
    const shared = new RunUsage();
    const model = scriptedModel(responds('1', { usage }), responds('2', { usage }));
    const agent = new Agent({ model, usageLimits: { totalTokensLimit: 20 } });
    await agent.run('Go.', { usage: shared });

    const captured = await captureRunMessages(() => agent.run('Go.', { usage: shared }));

    expect(captured).toMatchObject({ reason: expect.any(UsageLimitExceeded) });
    expect(shared).toMatchObject({ requests: 2, totalTokens: 30 });
  });
});

describe('a limit of tool calls that the shared usage has passed', () => {
  const usageLimits = { toolCallsLimit: 1 };
  const used = () => Object.assign(new RunUsage(), { toolCalls: 2 });

  it('allows a response without function calls', async () => {
    const model = scriptedModel(calls('final_result', { value: 'done' }));
    const agent = new Agent({ model, output: z.object({ value: z.string() }), usageLimits });

    const result = await agent.run('Go.', { usage: used() });

    expect(result.output).toEqual({ value: 'done' });
  });

  it('stops the run before the next function call', async () => {
    const { agent, ran } = counting(scriptedModel(calls('work')));

    const captured = await captureRunMessages(() =>
      agent.run('Go.', { usageLimits, usage: used() }),
    );

    expect(captured).toMatchObject({ reason: expect.any(UsageLimitExceeded) });
    expect(ran).toEqual([]);
  });
});

describe('a limit that is no number', () => {
  it.each([
    'requestLimit',
    'toolCallsLimit',
    'inputTokensLimit',
    'outputTokensLimit',
    'totalTokensLimit',
  ])('is rejected instead of ignored: %s', async (name) => {
    const { agent } = counting(scriptedModel(says('Hi.')));

    const captured = await captureRunMessages(() =>
      agent.run('Go.', { usageLimits: { [name]: Number.NaN } }),
    );

    expect(captured).toMatchObject({ status: 'rejected', reason: { code: 'user-error' } });
  });
});
