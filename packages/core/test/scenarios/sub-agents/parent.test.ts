import {
  Agent,
  decideByRules,
  approveAll,
  type DeferredToolHandler,
  DeferredToolRequests,
  type RunContext,
  RunUsage,
  type Tool,
  tool,
  UserError,
} from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import { calls, responds, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { latch, never, rejectionOf } from '../../support/latch.ts';
import { following, leadAgent, type PlainAgent, subAgent } from '../../support/sub-agents.ts';
import { resultsIn } from '../../support/toolsets.ts';

const inputSchema = z.object({ prompt: z.string() });

/** A tool `sub` that runs an agent with `parent: ctx`. */
function handOver(agent: PlainAgent): Tool {
  return tool({
    name: 'sub',
    inputSchema,
    execute: async ({ prompt }, ctx: RunContext) =>
      (await agent.run(prompt, { parent: ctx })).output,
  });
}

describe('a run with parent: ctx', () => {
  const remove = (ran: string[]) =>
    tool({ name: 'remove', requiresApproval: true, execute: () => void ran.push('removed') });

  it('calls the capabilities of the delegating run, then its handler, each with the context of the call', async () => {
    const ran: string[] = [];
    const requested: string[] = [];
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      model: following(
        responds(calls('remove', {}, { id: 'a' }), calls('remove', {}, { id: 'b' })),
      ),
      tools: [remove(ran)],
    });
    const note =
      (who: string, next: DeferredToolHandler): DeferredToolHandler =>
      (requests, ctx) => {
        const ids = requests.approvals.map(({ toolCallId }) => toolCallId).join('+');
        requested.push(`${who}: ${ids} in ${ctx.toolCallId}, deps ${JSON.stringify(ctx.deps)}`);
        return next(requests, ctx);
      };
    const lead = new Agent({
      model: following(calls('sub', { prompt: '' }, { id: 'outer' })),
      tools: [handOver(sub)],
      capabilities: [
        handleDeferredToolCalls(
          note('capability', (requests) => {
            const results = requests.buildResults({});
            results.approvals['a'] = true;
            return results;
          }),
        ),
      ],
      deferredToolHandler: note('handler', approveAll()),
    });

    await lead.run('Go.', { deps: { user: 'ada' } });

    expect(requested).toEqual([
      'capability: a+b in outer, deps {"user":"ada"}',
      'handler: b in outer, deps {"user":"ada"}',
    ]);
    expect(ran).toEqual(['removed', 'removed']);
  });

  it('calls its own handler instead of the handler of the delegating run', async () => {
    const ran: string[] = [];
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      model: following(calls('remove')),
      tools: [remove(ran)],
      deferredToolHandler: approveAll(),
    });
    const lead = leadAgent(handOver(sub));

    await lead.run('Go.', {
      deferredToolHandler: () => {
        throw new Error('asked the wrong one');
      },
    });

    expect(ran).toEqual(['removed']);
  });

  /** An agent that delegates to an agent that calls `remove`. */
  const handingOn = (ran: string[]) =>
    new Agent<readonly Tool[]>({
      name: 'sub',
      model: following(calls('sub', { prompt: '' })),
      tools: [handOver(subAgent([calls('remove')], { tools: [remove(ran)] }))],
    });

  it('reaches the handler of an outer run through every run between', async () => {
    const ran: string[] = [];
    const middle = handingOn(ran);

    await leadAgent(handOver(middle)).run('Go.', { deferredToolHandler: approveAll() });

    expect(ran).toEqual(['removed']);
  });

  it('reaches the handler of an outer run through an agent as a tool', async () => {
    const ran: string[] = [];
    const middle = handingOn(ran);

    await leadAgent(middle.asTool()).run('Go.', { deferredToolHandler: approveAll() });

    expect(ran).toEqual(['removed']);
  });

  it.each([
    ['no handler', undefined],
    [
      'a capability that leaves the call open',
      handleDeferredToolCalls(decideByRules([{ tool: 'something_else', decision: true }])),
    ],
  ])('cannot park, and names the alternative: %s', async (_what, capability) => {
    const ran: string[] = [];
    const sub = new Agent({
      name: 'sub',
      model: following(calls('remove', {}, { id: 'inner' })),
      tools: [remove(ran)],
      output: [String, DeferredToolRequests],
    });
    const hand = tool({
      name: 'sub',
      inputSchema,
      execute: async (_args, ctx: RunContext) => (await sub.run('', { parent: ctx })).status,
    });
    const lead = new Agent({
      model: following(calls('sub', { prompt: '' })),
      tools: [hand],
      output: [String, DeferredToolRequests],
      capabilities: capability ? [capability] : [],
    });

    const error = await rejectionOf(lead.run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/'inner' \(remove\).*asTool\(\)/),
    });
    expect(ran).toEqual([]);
  });

  it.each<[string, (ctx: RunContext) => unknown]>([
    ['a copy of one', (ctx) => ({ ...ctx })],
    ['something that passes one on', (ctx) => new Proxy(ctx, {})],
    ['an object', () => ({})],
    ['a text', () => 'ctx'],
  ])('needs the context of a run: %s is none', async (_what, make) => {
    const model = scriptedModel('unused');
    const sub = new Agent({ model });
    const hand = tool({
      name: 'sub',
      inputSchema,
      execute: async (_args, ctx: RunContext) =>
        (await sub.run('', { parent: make(ctx) as RunContext })).output,
    });

    const error = await rejectionOf(leadAgent(hand).run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringMatching(/not the context of a run/) });
    expect(model.calls).toEqual([]);
  });

  it('behaves the same in streams and iterators', async () => {
    const seen: string[] = [];
    const sub = subAgent([calls('noop')], {
      tools: [tool({ name: 'noop', execute: () => 'nothing' })],
    });
    const hand = tool({
      name: 'sub',
      inputSchema,
      async execute({ prompt }, ctx: RunContext) {
        const stream = sub.stream(prompt, { parent: ctx });
        for await (const event of stream) seen.push(event.kind);
        for await (const step of sub.iter(prompt, { parent: ctx })) seen.push(step.kind);
        return (await stream.result).output;
      },
    });

    const { usage } = await leadAgent(hand).run('Go.');

    expect(seen).toContain('tool-result');
    expect(seen).toContain('request-model');
    expect(usage).toMatchObject({ requests: 2 + 2 + 2, toolCalls: 1 + 1 + 1 });
  });

  it('counts in another usage if one is passed', async () => {
    const own = new RunUsage();
    const sub = subAgent([]);
    const hand = tool({
      name: 'sub',
      inputSchema,
      execute: async ({ prompt }, ctx: RunContext) =>
        (await sub.run(prompt, { parent: ctx, usage: own })).output,
    });

    const { usage } = await leadAgent(hand).run('Go.');

    expect([usage.requests, own.requests]).toEqual([2, 1]);
  });

  it('also ends with its own signal, and the call continues', async () => {
    const started = latch();
    const wait = tool({ name: 'wait', execute: () => (started.open(), never()) });
    const sub = subAgent([calls('wait')], { tools: [wait] });
    const controller = new AbortController();
    const hand = tool({
      name: 'sub',
      inputSchema,
      execute: async (_args, ctx: RunContext) =>
        sub.run('', { parent: ctx, signal: controller.signal }).then(
          () => 'finished',
          (error: Error) => `given up: ${error.message}`,
        ),
    });
    const running = leadAgent(hand).run('Go.');
    await started.opened;

    controller.abort(new Error('too slow'));

    expect(resultsIn((await running).messages)).toEqual(['given up: too slow']);
  });
});
