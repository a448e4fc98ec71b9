import {
  Agent,
  approveAll,
  type DeferredToolHandler,
  type RunUsage,
  type Tool,
  tool,
  type UsageLimits,
} from 'holdpoint';
import { calls, functionModel, responds, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { never, rejectionOf, settled } from '../../support/latch.ts';
import { following, leadAgent, subAgent } from '../../support/sub-agents.ts';
import { delegations } from '../../support/toolset-policies/observe.ts';
import { resultsIn } from '../../support/toolsets.ts';

const cost = (inputTokens: number, outputTokens: number) => ({
  usage: { inputTokens, outputTokens },
});

describe.each(delegations)('a run that delegates with $way', ({ delegate }) => {
  it('counts everything once, in its own usage', async () => {
    const seen: RunUsage[] = [];
    const note = tool({ name: 'note', execute: (_args, ctx) => void seen.push(ctx.usage) });
    const nested = new Agent<readonly Tool[]>({
      name: 'nested',
      model: following(responds(calls('note'), cost(100, 100)), responds('Done.', cost(100, 100))),
      tools: [note],
    });
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      model: following(
        responds(calls('nested', { prompt: '' }), cost(10, 10)),
        responds('Done.', cost(10, 10)),
      ),
      tools: [delegate(nested)],
    });
    const both = responds(calls('sub', { prompt: '' }), calls('sub', { prompt: '' }), cost(1, 1));
    const lead = new Agent({
      model: following(both, responds('Done.', cost(1, 1))),
      tools: [delegate(sub)],
    });

    const { usage } = await lead.run('Go.');

    // Two requests of the lead, two of each sub-agent, two of each sub-agent at the next level.
    expect(usage).toMatchObject({
      requests: 2 + 4 + 4,
      toolCalls: 2 + 2 + 2,
      inputTokens: 2 + 40 + 400,
      outputTokens: 2 + 40 + 400,
    });
    expect(seen.map(({ requests }) => requests)).toEqual([10, 10]);
  });

  it.each<[string, UsageLimits, UsageLimits, RegExp]>([
    ['its own limit', { requestLimit: 3 }, {}, /3 model requests, and 3 are allowed/],
    [
      'its own limit where that is less',
      { requestLimit: 3 },
      { requestLimit: 9 },
      /and 3 are allowed/,
    ],
    [
      'that of the sub-agent where that is less',
      { requestLimit: 9 },
      { requestLimit: 2 },
      /and 2 are allowed/,
    ],
    [
      'its own where the sub-agent has none',
      { requestLimit: 3 },
      { requestLimit: null },
      /and 3 are allowed/,
    ],
    ['its own of another kind', { toolCallsLimit: 1 }, { requestLimit: 9 }, /1 are allowed/],
    ['its tokens', { inputTokensLimit: 25 }, { totalTokensLimit: 1000 }, /used 30 inputTokens/],
  ])('stays within %s', async (_what, leads, subs, message) => {
    const noop = tool({ name: 'noop', execute: () => 'nothing' });
    const again = responds(calls('noop'), cost(10, 10));
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      model: following(again, again, again, again),
      tools: [noop],
      usageLimits: subs,
    });
    const lead = new Agent({
      model: following(responds(calls('sub', { prompt: '' }), cost(10, 10))),
      tools: [delegate(sub)],
      usageLimits: leads,
    });

    const error = await rejectionOf(lead.run('Go.'));

    expect(error).toMatchObject({
      code: 'usage-limit-exceeded',
      message: expect.stringMatching(message),
    });
  });

  it('has the default limit of requests', async () => {
    const noop = tool({ name: 'noop', execute: () => 'nothing' });
    const endless = functionModel(() => calls('noop'));
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      model: endless,
      tools: [noop],
      usageLimits: { requestLimit: null },
    });

    const error = await rejectionOf(leadAgent(delegate(sub)).run('Go.'));

    expect(error).toMatchObject({ message: expect.stringMatching(/and 50 are allowed/) });
  });

  it('aborts the sub-agent when it is aborted', async () => {
    const reasons: unknown[] = [];
    const wait = tool({
      name: 'wait',
      execute: (_args, { signal }) =>
        new Promise<never>(() => {
          signal.addEventListener('abort', () => reasons.push(signal.reason));
        }),
    });
    const sub = subAgent([calls('wait')], { tools: [wait] });
    const controller = new AbortController();
    const ended = rejectionOf(leadAgent(delegate(sub)).run('Go.', { signal: controller.signal }));
    await settled();
    const reason = new Error('Somebody pressed stop.');

    controller.abort(reason);

    expect(await ended).toBe(reason);
    await settled();
    expect(reasons).toEqual([reason]);
  });

  it('ends only the sub-agent when the call times out', async () => {
    const aborted: string[] = [];
    const wait = tool({
      name: 'wait',
      execute: (_args, { signal }) =>
        new Promise<never>(() => {
          signal.addEventListener('abort', () => aborted.push('wait'));
        }),
    });
    const sub = subAgent([calls('wait')], { tools: [wait] });
    const lead = new Agent<readonly Tool[]>({
      model: following(calls('sub', { prompt: '' })),
      tools: [delegate(sub)],
      toolTimeout: 10,
    });

    const { output, messages } = await lead.run('Go.');

    expect(output).toBe('Done.');
    expect(resultsIn(messages)).toEqual(['retry sub']);
    expect(aborted).toEqual(['wait']);
  });

  it('ends the other sub-agents of the same response when one fails', async () => {
    const aborted: string[] = [];
    const work = tool({
      name: 'work',
      execute: (_args, { prompt, signal }) => {
        if (prompt === 'fail') throw new RangeError('broken');
        signal.addEventListener('abort', () => aborted.push(String(prompt)));
        return never();
      },
    });
    const sub = subAgent([calls('work')], { tools: [work] });
    const lead = new Agent({
      model: following(
        responds(calls('sub', { prompt: 'left' }), calls('sub', { prompt: 'fail' })),
      ),
      tools: [delegate(sub)],
    });

    expect(await rejectionOf(lead.run('Go.'))).toMatchObject({ message: 'broken' });
    await settled();

    expect(aborted).toEqual(['left']);
  });

  it('fails with the error of the sub-agent', async () => {
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      model: scriptedModel(new RangeError('The model is down.')),
    });

    const error = await rejectionOf(leadAgent(delegate(sub)).run('Go.'));

    expect(error).toMatchObject({ name: 'RangeError', message: 'The model is down.' });
  });

  it('lets its handler decide the calls of the sub-agent', async () => {
    const ran: string[] = [];
    const remove = tool({
      name: 'remove',
      requiresApproval: true,
      execute: () => void ran.push('removed'),
    });
    const requested: [names: string[], runId: string, agent: string | undefined][] = [];
    const handler: DeferredToolHandler = (requests, ctx) => {
      requested.push([
        requests.approvals.map(({ toolName }) => toolName),
        ctx.runId,
        ctx.agent.name,
      ]);
      return approveAll()(requests, ctx);
    };
    const sub = subAgent([calls('remove')], { tools: [remove] });

    const { output } = await leadAgent(delegate(sub)).run('Go.', {
      deferredToolHandler: handler,
      runId: 'leads',
    });

    expect(output).toBe('Done.');
    expect(requested).toEqual([[['remove'], 'leads', 'lead']]);
    expect(ran).toEqual(['removed']);
  });
});
