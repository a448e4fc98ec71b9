import { Agent, ModelRetry, type RunContext, RunUsage, tool } from 'holdpoint';
import { calls, functionModel, responds, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

/** A tool that records its contexts. */
function spy() {
  const contexts: RunContext[] = [];
  const look = tool({
    name: 'look',
    execute(_args, ctx: RunContext) {
      contexts.push(ctx);
      return 'seen';
    },
  });
  return { look, contexts };
}

describe('the context of a tool', () => {
  it('describes the run, the step and the call', async () => {
    const { look, contexts } = spy();
    const model = scriptedModel(calls('look', {}, { id: 'c1' }), 'Done.');
    const deps = { db: 'main' };
    const validationContext = new Map();
    const agent = new Agent({
      name: 'clerk',
      model,
      tools: [look],
      modelSettings: { seed: 1 },
      metadata: { team: 'a' },
      validationContext,
    });

    await agent.run('Look.', { deps, runId: 'run-1', conversationId: 'talk-1' });

    const [ctx] = contexts;
    expect(ctx?.deps).toBe(deps);
    expect(ctx?.agent).toBe(agent);
    expect(ctx?.model).toBe(model);
    expect(ctx?.validationContext).toBe(validationContext);
    expect(ctx?.signal).toBeInstanceOf(AbortSignal);
    expect(ctx).toMatchObject({
      prompt: 'Look.',
      runId: 'run-1',
      conversationId: 'talk-1',
      runStep: 1,
      toolName: 'look',
      toolCallId: 'c1',
      retry: 0,
      maxRetries: 1,
      lastAttempt: false,
      retries: {},
      toolCallApproved: false,
      toolCallMetadata: undefined,
      partialOutput: false,
      metadata: { team: 'a' },
      modelSettings: { seed: 1 },
    });
  });

  it('shows the conversation up to the call', async () => {
    const lengths: number[] = [];
    const look = tool({
      name: 'look',
      execute: (_args, ctx) => void lengths.push(ctx.messages.length),
    });
    const agent = new Agent({
      model: scriptedModel(calls('look'), calls('look'), 'Done.'),
      tools: [look],
    });

    await agent.run('Look twice.');

    expect(lengths).toEqual([2, 4]);
  });

  it('keeps its step and retries after the run continued', async () => {
    const { look, contexts } = spy();
    const agent = new Agent({
      model: scriptedModel(calls('look'), calls('look'), 'Done.'),
      tools: [look],
    });

    await agent.run('Look twice.');

    expect(contexts.map((ctx) => ctx.runStep)).toEqual([1, 2]);
  });

  it('has metadata and validation context of the run instead of those of the agent', async () => {
    const { look, contexts } = spy();
    const model = scriptedModel(calls('look'), 'Done.');
    const agent = new Agent({
      model,
      tools: [look],
      metadata: { a: 1 },
      validationContext: 'agent',
    });

    await agent.run('Look.', { metadata: { b: 2 }, validationContext: 'run' });

    expect(contexts[0]?.metadata).toEqual({ b: 2 });
    expect(contexts[0]?.validationContext).toBe('run');
  });

  it('has the retries of its tool and of the others', async () => {
    const seen: unknown[] = [];
    const flaky = tool({
      name: 'flaky',
      maxRetries: 2,
      execute(_args, { retry, maxRetries, lastAttempt, retries }: RunContext) {
        seen.push([retry, maxRetries, lastAttempt, { ...retries }]);
        if (!lastAttempt) throw new ModelRetry('Again.');
        return 'at last';
      },
    });
    const strict = tool({
      name: 'strict',
      inputSchema: z.object({ n: z.number() }),
      execute: () => 1,
    });
    const both = () =>
      responds(calls('flaky'), calls('strict', { n: seen.length === 0 ? 'x' : 1 }));
    const agent = new Agent({
      model: scriptedModel(both, both, both, 'Done.'),
      tools: [flaky, strict],
    });

    await agent.run('Go.');

    expect(seen).toEqual([
      [0, 2, false, {}],
      [1, 2, false, { flaky: 1, strict: 1 }],
      [2, 2, true, { flaky: 2 }],
    ]);
  });

  it('is the same for the validator of the arguments', async () => {
    const seen: unknown[] = [];
    const checked = tool({
      name: 'checked',
      inputSchema: z.object({ n: z.number() }),
      argsValidator: ({ n }, ctx) => void seen.push([n, ctx.toolName, ctx.toolCallId, ctx.runStep]),
      execute: () => 1,
    });
    const agent = new Agent({
      model: scriptedModel(calls('checked', { n: 1 }), 'Done.'),
      tools: [checked],
    });

    await agent.run('Go.');

    expect(seen).toEqual([[1, 'checked', 'call-1', 1]]);
  });
});

describe('usage', () => {
  const cost = (inputTokens: number, outputTokens: number) => ({
    usage: { inputTokens, outputTokens },
  });

  it('accumulates in an object that is passed in', async () => {
    const usage = new RunUsage();
    const agent = new Agent({
      model: scriptedModel(responds('Hi', cost(1, 2)), responds('Bye', cost(3, 4))),
    });

    await agent.run('One', { usage });
    const { usage: counted } = await agent.run('Two', { usage });

    expect(counted).toBe(usage);
    expect(usage).toMatchObject({ requests: 2, inputTokens: 4, outputTokens: 6, totalTokens: 10 });
  });

  it('of a run inside a tool counts for the outer run, if it is passed on', async () => {
    const sub = new Agent({ model: functionModel(() => responds('Hi', cost(10, 20))) });
    const ask = tool({
      name: 'ask',
      inputSchema: z.object({ shared: z.boolean() }),
      execute: async ({ shared }, ctx: RunContext) =>
        (await sub.run('Hi', shared ? { usage: ctx.usage } : {})).output,
    });
    const model = scriptedModel(
      calls('ask', { shared: true }),
      calls('ask', { shared: false }),
      'Done.',
    );

    const { usage } = await new Agent({ model, tools: [ask] }).run('Go.');

    expect(usage).toMatchObject({ requests: 4, toolCalls: 2, inputTokens: 10, outputTokens: 20 });
  });

  it('can be serialized, also by a tool', async () => {
    const show = tool({ name: 'show', execute: (_args, { usage }) => JSON.stringify(usage) });
    const agent = new Agent({ model: scriptedModel(calls('show'), 'Done.'), tools: [show] });

    const { messages } = await agent.run('Go.');

    expect(messages[2]?.parts).toMatchObject([
      { content: expect.stringContaining('"requests":1,"toolCalls":0') },
    ]);
  });

  it('that is shared also shares the limit', async () => {
    const sub = new Agent({ model: functionModel(() => 'Hi') });
    const ask = tool({
      name: 'ask',
      execute: async (_args, { usage }: RunContext) =>
        (await sub.run('Hi', { usage, usageLimits: { requestLimit: 1 } })).output,
    });
    const agent = new Agent({ model: scriptedModel(calls('ask')), tools: [ask] });

    await expect(agent.run('Go.')).rejects.toMatchObject({ code: 'usage-limit-exceeded' });
  });
});
