import {
  Agent,
  approveAll,
  type DeferredToolHandler,
  DeferredToolRequests,
  FunctionToolset,
  noopTracer,
  type RunContext,
  type RunUsage,
  type Tool,
  type Tracer,
  tool,
  type UsageLimits,
} from 'holdpoint';
import { calls, functionModel, reply, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../support/deferral.ts';
import { never, rejectionOf, settled } from '../support/latch.ts';
import {
  following,
  leadAgent,
  type PlainAgent,
  reporting,
  subAgent,
} from '../support/sub-agents.ts';
import { delegations } from '../support/toolset-policies/observe.ts';
import { LivedToolset, resultsIn } from '../support/toolsets.ts';

const inputSchema = z.object({ prompt: z.string() });
const cost = (inputTokens: number, outputTokens: number) => ({
  usage: { inputTokens, outputTokens },
});

describe('an agent as a tool', () => {
  it('is asked with a prompt, and its output is the result', async () => {
    const model = scriptedModel(says('It rains.'));
    const weather = new Agent({ name: 'weather', model });
    const lead = new Agent({
      model: scriptedModel(calls('weather', { prompt: 'In Lyon?' }), says('Take an umbrella.')),
      tools: [weather.asTool({ description: 'Knows the weather.' })],
    });

    const { output, messages } = await lead.run('What shall I take?');

    expect(output).toBe('Take an umbrella.');
    expect(resultsIn(messages)).toEqual(['It rains.']);
    expect(model.calls[0]?.messages).toMatchObject([
      { parts: [{ kind: 'user-prompt', content: 'In Lyon?' }] },
    ]);
  });

  it('tells the model what it takes', async () => {
    const model = scriptedModel('Done.');
    const agent = new Agent({ name: 'helper', model: following() });

    await new Agent({
      model,
      tools: [agent.asTool(), agent.asTool({ name: 'other', description: 'Another one.' })],
    }).run('Go.');

    expect(model.calls[0]?.functionTools).toMatchObject([
      {
        name: 'helper',
        parametersJsonSchema: {
          properties: { prompt: { type: 'string' } },
          required: ['prompt'],
          additionalProperties: false,
        },
      },
      { name: 'other', description: 'Another one.' },
    ]);
  });

  it.each([
    ['nothing', {}],
    ['no text', { prompt: 7 }],
    ['too much', { prompt: 'Go.', more: true }],
  ])('sends arguments back that do not fit: %s', async (_what, args) => {
    const sub = subAgent([]);
    const model = scriptedModel(calls('sub', args), calls('sub', { prompt: 'Go.' }), says('Done.'));

    const { messages } = await new Agent({ model, tools: [sub.asTool()] }).run('Go.');

    expect(resultsIn(messages)).toEqual(['retry sub', 'Done.']);
  });

  it('takes what its schema says, and gives structured output', async () => {
    const model = scriptedModel(calls('final_result', { city: 'Lyon' }));
    const finder = new Agent({ model, output: z.object({ city: z.string() }) });
    const find = finder.asTool({
      name: 'find',
      inputSchema: z.object({ river: z.string() }),
      prompt: ({ river }) => `Which city is on the ${river}?`,
    });
    const lead = new Agent({
      model: scriptedModel(calls('find', { river: 'Saône' }), 'Done.'),
      tools: [find],
    });

    const { messages } = await lead.run('Go.');

    expect(resultsIn(messages)).toEqual([{ city: 'Lyon' }]);
    expect(model.calls[0]?.messages).toMatchObject([
      { parts: [{ content: 'Which city is on the Saône?' }] },
    ]);
  });

  it('gets the deps of the run, or what deps makes of them', async () => {
    const whoAmI = tool({
      name: 'who',
      execute: (_args, ctx: RunContext<{ user: string }>) => ctx.deps.user,
    });
    const sub = new Agent({ name: 'sub', model: reporting(calls('who')), tools: [whoAmI] });
    const translated = sub.asTool({
      name: 'translated',
      deps: (ctx: RunContext<{ user: string }>) => ({ user: ctx.deps.user.toUpperCase() }),
    });
    const lead = new Agent({
      model: scriptedModel(
        reply(calls('sub', { prompt: '' }), calls('translated', { prompt: '' })),
        says('Done.'),
      ),
      tools: [sub.asTool(), translated],
    });

    const { messages } = await lead.run('Go.', { deps: { user: 'ada' } });

    expect(resultsIn(messages)).toEqual(['ada', 'ADA']);
  });

  it('needs a name, and a prompt where it has a schema of its own', () => {
    const nameless = new Agent({ model: following() });

    expect(() => nameless.asTool()).toThrow(/asTool\(\{ name/);
    expect(() => nameless.asTool({ name: 'x', inputSchema })).toThrow(/prompt: \(args\)/);
  });

  it('that calls itself without end is stopped by the limit, and nothing is left over', async () => {
    const lived: LivedToolset[] = [];
    const agent: PlainAgent = new Agent<readonly Tool[]>({
      name: 'again',
      model: functionModel(() => calls('again', { prompt: 'Once more.' })),
      toolsets: [
        () => new FunctionToolset([agent.asTool()]),
        () => {
          lived.push(new LivedToolset('lived'));
          return lived.at(-1)!;
        },
      ],
      usageLimits: { requestLimit: 20 },
    });

    expect(await rejectionOf(agent.run('Go.'))).toMatchObject({ code: 'usage_limit_exceeded' });

    expect(lived.map(({ timesOpened, opened }) => [timesOpened, opened])).toEqual(
      Array.from({ length: 21 }, () => [1, 0]),
    );
  });

  it('passes its calls that wait on to the requests of the run, and goes on with it', async () => {
    const ran: string[] = [];
    const remove = tool({
      name: 'remove',
      requiresApproval: true,
      execute: (_args, ctx) => void ran.push(`approved: ${ctx.toolCallApproved}`),
    });
    const sub = subAgent([calls('remove', {}, { id: 'inner' })], { tools: [remove] });
    const lead = new Agent({
      model: scriptedModel(calls('sub', { prompt: 'Go on.' }, { id: 'outer' }), says('Removed.')),
      tools: [sub.asTool()],
      output: [String, DeferredToolRequests],
    });

    const parked = await expectParked(lead.run('Go.'));
    expect(parked.output.approvals).toMatchObject([
      { toolName: 'remove', toolCallId: 'outer/inner' },
    ]);
    expect(ran).toEqual([]);
    const done = await lead.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(done).toMatchObject({ status: 'finished', output: 'Removed.' });
    expect(ran).toEqual(['approved: true']);
  });
});

describe.each(delegations)('a run that delegates with $way', ({ delegate }) => {
  it('counts everything once, in its own usage', async () => {
    const seen: RunUsage[] = [];
    const note = tool({ name: 'note', execute: (_args, ctx) => void seen.push(ctx.usage) });
    const nested = new Agent<readonly Tool[]>({
      name: 'nested',
      model: following(reply(calls('note'), cost(100, 100)), reply('Done.', cost(100, 100))),
      tools: [note],
    });
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      model: following(
        reply(calls('nested', { prompt: '' }), cost(10, 10)),
        reply('Done.', cost(10, 10)),
      ),
      tools: [delegate(nested)],
    });
    const both = reply(calls('sub', { prompt: '' }), calls('sub', { prompt: '' }), cost(1, 1));
    const lead = new Agent({
      model: following(both, reply('Done.', cost(1, 1))),
      tools: [delegate(sub)],
    });

    const { usage } = await lead.run('Go.');

    // Two requests of the lead, two of each sub-agent, two of each agent below that.
    expect(usage).toMatchObject({
      requests: 2 + 4 + 4,
      toolCalls: 2 + 2 + 2,
      inputTokens: 2 + 40 + 400,
      outputTokens: 2 + 40 + 400,
    });
    expect(seen.map(({ requests }) => requests)).toEqual([10, 10]);
  });

  it.each<[string, UsageLimits, UsageLimits, RegExp]>([
    ['its own limit', { requestLimit: 3 }, {}, /3 model requests and may make 3/],
    ['its own limit where that is less', { requestLimit: 3 }, { requestLimit: 9 }, /may make 3/],
    [
      'that of the sub-agent where that is less',
      { requestLimit: 9 },
      { requestLimit: 2 },
      /may make 2/,
    ],
    [
      'its own where the sub-agent has none',
      { requestLimit: 3 },
      { requestLimit: null },
      /may make 3/,
    ],
    ['its own of another kind', { toolCallsLimit: 1 }, { requestLimit: 9 }, /1 are allowed/],
    ['its tokens', { inputTokensLimit: 25 }, { totalTokensLimit: 1000 }, /used 30 inputTokens/],
  ])('stays within %s', async (_what, leads, subs, message) => {
    const noop = tool({ name: 'noop', execute: () => 'nothing' });
    const again = reply(calls('noop'), cost(10, 10));
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      model: following(again, again, again, again),
      tools: [noop],
      usageLimits: subs,
    });
    const lead = new Agent({
      model: following(reply(calls('sub', { prompt: '' }), cost(10, 10))),
      tools: [delegate(sub)],
      usageLimits: leads,
    });

    const error = await rejectionOf(lead.run('Go.'));

    expect(error).toMatchObject({
      code: 'usage_limit_exceeded',
      message: expect.stringMatching(message),
    });
  });

  it('has no more requests than usual unless it says so', async () => {
    const noop = tool({ name: 'noop', execute: () => 'nothing' });
    const endless = functionModel(() => calls('noop'));
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      model: endless,
      tools: [noop],
      usageLimits: { requestLimit: null },
    });

    const error = await rejectionOf(leadAgent(delegate(sub)).run('Go.'));

    expect(error).toMatchObject({ message: expect.stringMatching(/may make 50/) });
  });

  it('ends the sub-agent with it when it is aborted', async () => {
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

  it('ends the sub-agent with the call when that takes too long, and nothing else', async () => {
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
      model: following(reply(calls('sub', { prompt: 'left' }), calls('sub', { prompt: 'fail' }))),
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

  it('has its handler answer the calls of the sub-agent while it waits', async () => {
    const ran: string[] = [];
    const remove = tool({
      name: 'remove',
      requiresApproval: true,
      execute: () => void ran.push('removed'),
    });
    const asked: [names: string[], runId: string, agent: string | undefined][] = [];
    const handler: DeferredToolHandler = (requests, ctx) => {
      asked.push([requests.approvals.map(({ toolName }) => toolName), ctx.runId, ctx.agent.name]);
      return approveAll()(requests, ctx);
    };
    const sub = subAgent([calls('remove')], { tools: [remove] });

    const { output } = await leadAgent(delegate(sub)).run('Go.', {
      deferredToolHandler: handler,
      runId: 'leads',
    });

    expect(output).toBe('Done.');
    expect(asked).toEqual([[['remove'], 'leads', 'lead']]);
    expect(ran).toEqual(['removed']);
  });

  it('traces the sub-agent where it traces itself', async () => {
    const spans: string[] = [];
    const tracer: Tracer = {
      startSpan(name) {
        spans.push(name);
        return noopTracer.startSpan(name);
      },
    };
    const plain = new Agent({ model: following(), tracer });
    const lead = new Agent({
      model: following(calls('sub', { prompt: '' })),
      tools: [delegate(subAgent([]))],
      tracer,
    });
    await plain.run('Go.');
    const ofOneRun = spans.splice(0);

    await lead.run('Go.');

    // Its own two requests and the call, and inside of that what a run of its own would have shown.
    const call = spans.indexOf('execute_tool sub');
    expect(spans.slice(call + 1, call + 1 + ofOneRun.length)).toEqual(ofOneRun);
  });
});
