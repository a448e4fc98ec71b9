import {
  Agent,
  approveAll,
  DeferredToolRequests,
  DeferredToolResults,
  DynamicToolset,
  denyAll,
  FunctionToolset,
  ModelRetry,
  RunUsage,
  ToolDenied,
  type Toolset,
  tool,
  UsageLimitExceeded,
  requestsFromMessages,
} from 'holdpoint';
import { calls, fakeClock, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  agentIn,
  expectParked,
  ways,
  workshop,
} from '../../packages/core/test/support/deferral.ts';
import { historyOf, idsOf, responseWith } from '../../packages/core/test/support/histories.ts';
import { drain, never, rejectionOf } from '../../packages/core/test/support/latch.ts';
import { untyped } from '../../packages/core/test/support/untyped.ts';

describe('toolCallsLimit', () => {
  const limits = (toolCallsLimit: number) => ({ usageLimits: { toolCallsLimit } });
  const read = (path: string) => calls('read', { path });
  const remove = (path: string) => calls('remove', { path }, { id: path });

  it('is checked for the function and unknown calls of a response', async () => {
    for (const batch of [responds(read('a'), read('b')), responds(read('a'), calls('nothing'))]) {
      const shop = workshop();

      const error = await rejectionOf(agentIn(shop, [batch]).run('Go.', limits(1)));

      expect(error).toBeInstanceOf(UsageLimitExceeded);
      expect(shop.effects).toEqual([]);
    }
  });

  it('applies to the pending calls of a continued history', async () => {
    const shop = workshop();
    const two = responseWith(
      ['a', 'b'].map((path) => ({ toolName: 'read', toolCallId: path, args: { path } })),
    );

    const error = await rejectionOf(
      agentIn(shop, []).run(undefined, { messageHistory: historyOf(two), ...limits(1) }),
    );

    expect(error).toBeInstanceOf(UsageLimitExceeded);
    expect(shop.effects).toEqual([]);
  });

  it.each(ways)('is checked for the approved calls of a resume ($way)', async (way) => {
    const shop = workshop();
    const batch = responds(remove('a'), remove('b'), remove('c'));
    const parked = await expectParked(agentIn(shop, [batch]).run('Go.'));
    const resume = (approvals: Record<string, boolean>, limit: number) =>
      agentIn(shop, [says('Done.')]).run(undefined, {
        messageHistory: way.messages(parked.messages),
        deferredToolResults: way.results(new DeferredToolResults({ approvals })),
        ...limits(limit),
      });

    const error = await rejectionOf(resume({ a: true, b: true, c: false }, 1));
    expect(error).toBeInstanceOf(UsageLimitExceeded);
    expect(shop.effects).toEqual([]);

    await resume({ a: false, b: true, c: false }, 1);
    expect(shop.ran()).toEqual(['remove b']);
  });

  it('is checked for a resume that carries usage over', async () => {
    const shop = workshop();
    const agent = agentIn(shop, [responds(read('a'), remove('b')), says('Done.')]);
    const usage = new RunUsage();
    const parked = await expectParked(agent.run('Go.', { usage, ...limits(1) }));
    const results = parked.output.buildResults({ approveAll: true });

    const error = await rejectionOf(agent.resume(parked, results, { usage, ...limits(1) }));

    expect(error).toBeInstanceOf(UsageLimitExceeded);
    expect(shop.ran()).toEqual(['read a']);
  });

  it('is checked for the calls that a handler approves', async () => {
    const shop = workshop();
    const batch = responds(read('a'), remove('b'), remove('c'));

    const error = await rejectionOf(
      agentIn(shop, [batch]).run('Go.', { deferredToolHandler: approveAll(), ...limits(2) }),
    );

    expect(error).toBeInstanceOf(UsageLimitExceeded);
    expect(shop.ran()).toEqual(['read a']);
  });

  it('leaves a parked history if a handler approves too many calls', async () => {
    const shop = workshop();
    const batch = responds(
      calls('read', { path: 'a' }, { id: 'a' }),
      calls('move', { path: 'b' }, { id: 'b' }),
      calls('remove', { path: 'c' }, { id: 'c' }),
    );
    const steps = agentIn(shop, [batch]).iter('Go.', {
      deferredToolHandler: approveAll(),
      ...limits(2),
    });

    const error = await rejectionOf(drain(steps));

    expect(error).toBeInstanceOf(UsageLimitExceeded);
    expect(shop.ran()).toEqual(['read a']);
    const again = await expectParked(
      agentIn(shop, []).run(undefined, { messageHistory: steps.messages }),
    );
    expect(idsOf(again.output.approvals)).toEqual(['b', 'c']);
    expect(again.output.metadata).toEqual({ b: { reason: 'protected' } });
    expect(requestsFromMessages(steps.messages)).toEqual(again.output);
  });

  it.each(ways)(
    'never counts denials, supplied values, deferred or output calls ($way)',
    async (way) => {
      const shop = workshop();
      const batch = responds(
        remove('a'),
        calls('paint', {}, { id: 'p' }),
        calls('paint', {}, { id: 'q' }),
        remove('b'),
      );
      const parked = await expectParked(agentIn(shop, [batch]).run('Go.', limits(0)));
      const results = parked.output.buildResults({
        approvals: { a: false, b: new ToolDenied('No.') },
        calls: { p: 1, q: new ModelRetry('Again.') },
      });

      const resumed = await agentIn(shop, [calls('final_result', { n: 1 })]).run(undefined, {
        messageHistory: way.messages(parked.messages),
        deferredToolResults: way.results(results),
        output: z.object({ n: z.number() }),
        ...limits(0),
      });
      expect(resumed.output).toEqual({ n: 1 });

      const inline = await agentIn(shop, [responds(remove('a'), remove('b')), says('Done.')]).run(
        'Go.',
        { deferredToolHandler: denyAll(), ...limits(0) },
      );
      expect(inline.output).toBe('Done.');
      expect(shop.effects).toEqual([]);
    },
  );
});

describe('toolTimeout of the agent', () => {
  const slow = (timeout?: number) => tool({ name: 'slow', timeout, execute: never });
  const inToolsets: readonly [string, () => Toolset][] = [
    ['a function toolset', () => new FunctionToolset([slow()])],
    ['a prefixed toolset', () => new FunctionToolset([slow()]).prefixed('very')],
    ['a dynamic toolset', () => new DynamicToolset(() => new FunctionToolset([slow()]))],
  ];

  it.each(inToolsets)('is the default for the tools of %s', async (name, toolset) => {
    const clock = fakeClock();
    const toolName = name.includes('prefixed') ? 'very_slow' : 'slow';
    const agent = new Agent({
      model: scriptedModel(calls(toolName), says('Done.'), calls(toolName), says('Done.')),
      toolsets: [toolset()],
      toolTimeout: 1000,
      environment: clock,
    });

    const more = new FunctionToolset([tool({ name: 'x', execute: never })]);
    for (const options of [{}, { toolsets: [more] }]) {
      const run = agent.run('Go.', options);
      await clock.advance(1000);
      const result = await run;
      expect(result.messages[2]?.parts).toMatchObject([
        { kind: 'retry-prompt', content: expect.stringContaining('1000 ms') },
      ]);
    }
  });

  it('is overridden by the timeout of a toolset, and that by the timeout of a tool', async () => {
    const clock = fakeClock();
    const agent = new Agent({
      model: scriptedModel(responds(calls('slow'), calls('slower')), says('Done.')),
      toolsets: [
        new FunctionToolset([slow(50), tool({ name: 'slower', execute: never })], { timeout: 200 }),
      ],
      toolTimeout: 1000,
      environment: clock,
    });

    const run = agent.run('Go.');
    await clock.advance(200);

    expect((await run).messages[2]?.parts).toMatchObject([
      { content: expect.stringContaining(' 50 ms') },
      { content: expect.stringContaining(' 200 ms') },
    ]);
  });

  it('applies to approved calls, in a resume and inline', async () => {
    const clock = fakeClock();
    const agent = new Agent({
      model: scriptedModel(calls('slow'), says('Done.'), calls('slow'), says('Done.')),
      toolsets: [new FunctionToolset([slow()], { requiresApproval: true })],
      output: [String, DeferredToolRequests],
      toolTimeout: 1000,
      environment: clock,
    });
    const parked = await expectParked(agent.run('Go.'));

    const runs = [
      () => agent.resume(parked, parked.output.buildResults({ approveAll: true })),
      () => agent.run('Go.', { deferredToolHandler: approveAll() }),
    ];

    for (const start of runs) {
      const run = start();
      await clock.advance(1000);
      expect((await run).messages[2]?.parts).toMatchObject([
        { content: expect.stringContaining('1000 ms') },
      ]);
    }
  });
});

describe('requiresApproval on a function toolset', () => {
  function toolsWith(requiresApproval: boolean | ((args: unknown) => boolean)) {
    const shop = workshop();
    const { read, remove, work } = shop;
    const opened = tool({
      name: 'opened',
      requiresApproval: false,
      execute: (_, ctx) => work('opened')({ path: 'x' }, ctx),
    });
    const toolset = new FunctionToolset([read, remove], { requiresApproval });
    toolset.add(opened).add(read, 'read_too');
    const script = [
      responds(
        calls('read', { path: 'a' }, { id: 'a' }),
        calls('remove', { path: 'b' }, { id: 'b' }),
        calls('opened', {}, { id: 'c' }),
        calls('read_too', { path: 'd' }, { id: 'd' }),
      ),
      says('Done.'),
    ];
    const agent = (given: Toolset) => agentIn(shop, script, { tools: [], toolsets: [given] });
    return { shop, toolset, agent };
  }

  it.each(ways)('applies to every tool in the toolset, initial or added ($way)', async (way) => {
    const { shop, toolset, agent } = toolsWith(true);

    const parked = await expectParked(agent(toolset).run('Go.'));

    expect(idsOf(parked.output.approvals)).toEqual(['a', 'b', 'c', 'd']);
    expect(shop.effects).toEqual([]);
    await agent(toolset).run(undefined, {
      model: scriptedModel(says('Done.')),
      messageHistory: way.messages(parked.messages),
      deferredToolResults: way.results(parked.output.buildResults({ approveAll: true })),
    });
    expect(shop.ran()).toEqual(['read a', 'remove b', 'opened x', 'read d']);
  });

  it('as a function is called for every tool in the toolset, and cannot weaken the requirement of a tool', async () => {
    const { shop, toolset, agent } = toolsWith((args) => (args as { path?: string }).path === 'd');

    const parked = await expectParked(agent(toolset).run('Go.'));

    expect(idsOf(parked.output.approvals)).toEqual(['d', 'b']);
    expect(shop.ran()).toEqual(['read a', 'opened x']);
  });

  it('applies inside other toolsets', async () => {
    const { shop, toolset } = toolsWith(true);
    const wrapped = new DynamicToolset(() => toolset.prefixed('my'));
    const script = [calls('my_read', { path: 'a' }, { id: 'a' })];

    const agent = agentIn(shop, script, { tools: [], toolsets: [wrapped] });

    expect(idsOf((await expectParked(agent.run('Go.'))).output.approvals)).toEqual(['a']);
    expect(shop.effects).toEqual([]);
  });

  it('is not weakened by the prepare function of a tool', async () => {
    const shop = workshop();
    const eager = tool({
      name: 'eager',
      prepare: (_ctx, definition) => ({ ...definition, kind: 'function' }),
      execute: (_, ctx) => shop.work('eager')({ path: 'x' }, ctx),
    });
    const toolset = new FunctionToolset([eager], { requiresApproval: true });
    const script = [calls('eager', {}, { id: 'e' }), says('Done.')];

    const parked = await agentIn(shop, script, { tools: [], toolsets: [toolset] }).run('Go.');

    expect(shop.effects).toEqual([]);
    expect(parked.status).toBe('parked');
  });

  it('is not weakened by a toolset around it that prepares the tools', async () => {
    const shop = workshop();
    const toolset = new FunctionToolset([shop.read], { requiresApproval: true }).prepared(
      (_ctx, definitions) => definitions.map((one) => ({ ...one, kind: 'function' })),
    );
    const script = [calls('read', { path: 'a' }, { id: 'r' }), says('Done.')];

    const parked = await agentIn(shop, script, { tools: [], toolsets: [toolset] }).run('Go.');

    expect(shop.effects).toEqual([]);
    expect(parked.status).toBe('parked');
  });

  // From plain JavaScript, or out of a configuration file.
  it.each(['yes', 1, {}])('is never interpreted as false: %s', (truthy) => {
    const read = tool({ name: 'read', execute: () => 'read' });
    const requiresApproval = untyped<boolean>(truthy);

    expect(() => new FunctionToolset([read], { requiresApproval })).toThrow(/requiresApproval/);
    expect(() => tool({ name: 'x', requiresApproval, execute: () => 1 })).toThrow(
      /requiresApproval/,
    );
  });
});
