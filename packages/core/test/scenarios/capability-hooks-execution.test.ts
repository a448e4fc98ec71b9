import {
  ApprovalRequired,
  CallDeferred,
  type Capability,
  type CapabilityHooks,
  GateError,
  type Message,
  ModelRetry,
  type RunContext,
  ToolFailed,
  ToolReturn,
  tool,
  UserError,
} from 'holdpoint';
import { calls, reply, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentWith, capability, oneCall, retriesIn, waysToRun } from '../support/capabilities.ts';
import { partsOf } from '../support/conversation.ts';
import { expectParked, workshop } from '../support/deferral.ts';
import { latch, never, rejectionOf, settled } from '../support/latch.ts';
import { resultsIn } from '../support/toolsets.ts';

type Around = NonNullable<CapabilityHooks['aroundToolExecution']>;

const executing = (aroundToolExecution: Around): Capability => capability({ aroundToolExecution });
const returnsIn = (messages: readonly Message[]) =>
  partsOf(messages).filter((part) => part.kind === 'tool-return');

describe.each(waysToRun)('a hook around the execution of calls, with $way,', ({ go }) => {
  it('is around each call, the first capability outermost', async () => {
    const log: string[] = [];
    const noting = (name: string): Capability =>
      executing(async ({ call, args, definition }, next) => {
        log.push(`${name} ${definition.name} ${call.toolCallId} ${JSON.stringify(args)}`);
        const result = await next();
        log.push(`${name} ${result}`);
        return result;
      });
    const shop = workshop();
    const { agent } = agentWith([noting('first'), noting('second')], {
      tools: [shop.read],
      script: oneCall('read'),
    });

    const { messages } = await go(agent, { capabilities: [noting('of the run')] });

    const call = 'read c {"path":"a","mode":"soft"}';
    expect(log).toEqual([
      `first ${call}`,
      `second ${call}`,
      `of the run ${call}`,
      'of the run read a: done',
      'second read a: done',
      'first read a: done',
    ]);
    expect(resultsIn(messages)).toEqual(['read a: done']);
  });

  it('can change the result', async () => {
    const shop = workshop();
    const shouting = executing(async (_call, next) => String(await next()).toUpperCase());
    const { agent } = agentWith([shouting], { tools: [shop.read], script: oneCall('read') });

    const { messages } = await go(agent);

    expect(resultsIn(messages)).toEqual(['READ A: DONE']);
    expect(shop.ran()).toEqual(['read a']);
  });

  it('can give a result without the tool', async () => {
    const shop = workshop();
    const { agent } = agentWith([executing(() => 'From the cache.')], {
      tools: [shop.read],
      script: oneCall('read'),
    });

    const { messages, usage } = await go(agent);

    expect(resultsIn(messages)).toEqual(['From the cache.']);
    expect(shop.ran()).toEqual([]);
    expect(usage.toolCalls).toBe(1);
  });

  it('can have a tool executed once', async () => {
    const shop = workshop();
    const twice = executing(async (_call, next) => {
      await next();
      return next();
    });
    const { agent } = agentWith([twice], { tools: [shop.read], script: oneCall('read') });

    expect(await rejectionOf(go(agent))).toBeInstanceOf(GateError);
    expect(shop.ran()).toEqual(['read a']);
  });

  it('sees only calls that may run', async () => {
    const seen: string[] = [];
    const shop = workshop();
    const noting = executing(async ({ call }, next) => {
      seen.push(call.toolName);
      return next();
    });
    const { agent } = agentWith([noting], {
      tools: [shop.read, shop.remove],
      toolsets: [shop.paint],
      script: [
        reply(
          calls('read', { path: 5 } as never, { id: 'bad' }),
          calls('remove', { path: 'a' }, { id: 'r' }),
          calls('paint', {}, { id: 'p' }),
          calls('nobody'),
        ),
        says('Done.'),
      ],
    });

    const parked = await expectParked(go(agent));
    expect(seen).toEqual([]);
    await agent.resume(
      parked,
      parked.output.buildResults({ approveAll: true, calls: { p: 'Red.' } }),
    );

    expect(seen).toEqual(['remove']);
    expect(shop.ran()).toEqual(['remove a']);
  });
});

describe('a hook around the execution of a call', () => {
  it('can go on after the tool has failed', async () => {
    const failing = tool({ name: 'failing', execute: () => Promise.reject(new Error('Away.')) });
    const recovering = executing((_call, next) => next().catch(() => 'Instead.'));
    const { agent } = agentWith([recovering], {
      tools: [failing],
      script: [calls('failing'), says('Done.')],
    });

    const { messages } = await agent.run('Go.');

    expect(resultsIn(messages)).toEqual(['Instead.']);
  });

  it('fails the run with an error that it throws', async () => {
    const broken = new Error('The log is full.');
    const shop = workshop();
    const { agent } = agentWith([executing(() => Promise.reject(broken))], {
      tools: [shop.read],
      script: oneCall('read'),
    });

    expect(await rejectionOf(agent.run('Go.'))).toBe(broken);
    expect(shop.ran()).toEqual([]);
  });

  it('may be a plain function, which may throw at once', async () => {
    const shop = workshop();
    const recovering = executing((_call, next) => next().catch(() => 'Instead.'));
    const throwing = executing(() => {
      throw new Error('No.');
    });
    const { agent } = agentWith([recovering, throwing], {
      tools: [shop.read],
      script: oneCall('read'),
    });

    const { messages } = await agent.run('Go.');

    expect(resultsIn(messages)).toEqual(['Instead.']);
  });

  it('that gives nothing has nothing as the result', async () => {
    const shop = workshop();
    const forgetful = executing(async (_call, next) => void (await next()));
    const { agent } = agentWith([forgetful], { tools: [shop.read], script: oneCall('read') });

    const { messages } = await agent.run('Go.');

    expect(resultsIn(messages)).toEqual([null]);
    expect(shop.ran()).toEqual(['read a']);
  });

  it('has to give what JSON can hold', async () => {
    const shop = workshop();
    const { agent } = agentWith([executing(() => new Map())], {
      tools: [shop.read],
      script: oneCall('read'),
    });

    await expect(agent.run('Go.')).rejects.toThrow(/'read'/);
  });

  it('gets a ToolReturn as it is, and may give one', async () => {
    const seen: unknown[] = [];
    const telling = tool({
      name: 'telling',
      execute: () => new ToolReturn({ returnValue: 1, content: 'Look.' }),
    });
    const adding = executing(async (_call, next) => {
      const result = (await next()) as ToolReturn<number>;
      seen.push(result);
      return new ToolReturn({ returnValue: result.returnValue + 1, content: result.content });
    });
    const { agent } = agentWith([adding], {
      tools: [telling],
      script: [calls('telling'), says('Done.')],
    });

    const { messages } = await agent.run('Go.');

    expect(seen).toEqual([expect.any(ToolReturn)]);
    expect(resultsIn(messages)).toEqual([2]);
    expect(partsOf(messages)).toContainEqual({ kind: 'user-prompt', content: 'Look.' });
  });

  it('cannot change the arguments', async () => {
    const shop = workshop();
    const meddling = executing(async ({ args }, next) => {
      Object.assign(args as object, { path: 'other' });
      return next();
    });
    const { agent } = agentWith([meddling], { tools: [shop.read], script: oneCall('read') });

    expect(await rejectionOf(agent.run('Go.'))).toBeInstanceOf(TypeError);
    expect(shop.ran()).toEqual([]);
  });

  it('cannot change them by handing over others either', async () => {
    const shop = workshop();
    const meddling = executing((call, next) => {
      Object.assign(call, { args: { path: 'other' } });
      return (next as (other: unknown) => Promise<unknown>)({ path: 'other' });
    });
    const { agent } = agentWith([meddling], { tools: [shop.read], script: oneCall('read') });

    await agent.run('Go.');

    expect(shop.ran()).toEqual(['read a']);
  });

  it('has the context of the call', async () => {
    const seen: unknown[] = [];
    const looking = executing((_call, next, ctx: RunContext) => {
      seen.push([ctx.toolName, ctx.toolCallId, ctx.toolCallApproved, ctx.toolCallMetadata]);
      return next();
    });
    const { agent } = agentWith([looking], {
      tools: [workshop().remove],
      script: oneCall('remove'),
    });
    const parked = await expectParked(agent.run('Go.'));

    await agent.resume(
      parked,
      parked.output.buildResults({ approveAll: true, metadata: { c: { by: 'Ada' } } }),
    );

    expect(seen).toEqual([['remove', 'c', true, { by: 'Ada' }]]);
  });

  it('is around calls that tools make, too', async () => {
    const seen: string[] = [];
    const shop = workshop();
    const noting = executing(async ({ call }, next) => {
      seen.push(call.toolName);
      return next();
    });
    const outer = tool({
      name: 'outer',
      execute: (_args, { toolManager }) => toolManager.call('read', { path: 'a' }),
    });
    const { agent } = agentWith([noting], {
      tools: [outer, shop.read],
      script: [calls('outer'), says('Done.')],
    });

    await agent.run('Go.');

    expect(seen).toEqual(['outer', 'read']);
  });

  it('can call another tool, through the gate', async () => {
    const shop = workshop();
    const backingUp = executing(async ({ call }, next, { toolManager }) => {
      if (call.toolName === 'write') await toolManager.call('read', { path: 'backup' });
      return next();
    });
    const reaching = executing(async ({ call }, next, { toolManager }) => {
      if (call.toolName === 'write') await toolManager.call('remove', { path: 'a' });
      return next();
    });
    const write = tool({ name: 'write', execute: () => 'written' });
    const options = { tools: [write, shop.read, shop.remove] };
    const script = [calls('write'), says('Done.')];

    await agentWith([backingUp], { ...options, script }).agent.run('Go.');
    const error = await rejectionOf(agentWith([reaching], { ...options, script }).agent.run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(shop.ran()).toEqual(['read backup']);
  });
});

describe('signals of a tool', () => {
  const passing = executing((_call, next) => next());

  it.each(['thrown by the tool', 'thrown by a hook'])('pass through hooks: %s', async (who) => {
    const thrown: Record<string, Error> = {
      retry: new ModelRetry('Again.'),
      failed: new ToolFailed('Closed.'),
      approval: new ApprovalRequired({ why: 'a' }),
      external: new CallDeferred({ why: 'b' }),
    };
    const throwing = ({ toolName }: { toolName: string | undefined }) => {
      throw thrown[toolName ?? ''];
    };
    const byTool = who === 'thrown by the tool';
    const inner = byTool ? passing : executing((_call, _next, ctx) => throwing(ctx));
    const tools = Object.keys(thrown).map((name) =>
      tool({ name, execute: (_args, ctx) => (byTool ? throwing(ctx) : 'ran') }),
    );
    const { agent } = agentWith([passing, inner], {
      tools,
      script: [reply(...Object.keys(thrown).map((name) => calls(name, {}, { id: name })))],
    });

    const { output, messages } = await expectParked(agent.run('Go.'));

    expect(output.approvals).toMatchObject([{ toolCallId: 'approval' }]);
    expect(output.calls).toMatchObject([{ toolCallId: 'external' }]);
    expect(output.metadata).toEqual({ approval: { why: 'a' }, external: { why: 'b' } });
    expect(messages.at(-1)?.parts).toMatchObject([
      { kind: 'retry-prompt', content: 'Again.' },
      { kind: 'tool-return', content: 'Closed.', outcome: 'failed' },
    ]);
  });

  it('that a hook does not let through have no effect, and the tool has not run', async () => {
    const shop = workshop();
    const swallowing = executing((_call, next) => next().catch(() => 'Never mind.'));
    const { agent } = agentWith([swallowing], { tools: [shop.move], script: oneCall('move') });

    const { status, messages } = await agent.run('Go.');

    expect(status).toBe('finished');
    expect(resultsIn(messages)).toEqual(['Never mind.']);
    expect(shop.ran()).toEqual([]);
  });

  it('of a hook that asks before the tool runs have the call approved, and then it runs once', async () => {
    const shop = workshop();
    const asking = executing((_call, next, ctx) => {
      if (!ctx.toolCallApproved) throw new ApprovalRequired();
      return next();
    });
    const { agent } = agentWith([asking], { tools: [shop.read], script: oneCall('read') });

    const parked = await expectParked(agent.run('Go.'));
    expect(shop.ran()).toEqual([]);
    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(shop.ran()).toEqual(['read a']);
  });

  it('of an agent that waits pass, and its run goes on', async () => {
    const shop = workshop();
    const { agent: sub } = agentWith([], {
      name: 'sub',
      tools: [shop.remove],
      script: [calls('remove', { path: 'a' }), says('Removed.')],
    });
    const { agent } = agentWith([passing, passing], {
      tools: [sub.asTool() as never],
      script: [calls('sub', { prompt: 'Go.' }), says('Done.')],
    });

    const parked = await expectParked(agent.run('Go.'));
    const { messages } = await agent.resume(
      parked,
      parked.output.buildResults({ approveAll: true }),
    );

    expect(shop.ran()).toEqual(['remove a']);
    expect(resultsIn(messages)).toEqual(['Removed.']);
  });
});

describe('calls of one response, with hooks around them,', () => {
  const tracking = (log: string[]) =>
    executing(async ({ args }, next) => {
      const { path } = args as { path: string };
      log.push(`${path} in`);
      const result = await next();
      log.push(`${path} out`);
      return result;
    });
  const two = () => [
    reply(calls('work', { path: 'a' }), calls('work', { path: 'b' })),
    says('Done.'),
  ];
  const slow = (options: object = {}) =>
    tool({
      name: 'work',
      inputSchema: z.object({ path: z.string() }),
      execute: settled,
      ...options,
    });

  it('run together', async () => {
    const log: string[] = [];

    await agentWith([tracking(log)], { tools: [slow()], script: two() }).agent.run('Go.');

    expect(log.slice(0, 2)).toEqual(['a in', 'b in']);
  });

  it.each([
    ['the tool', slow({ sequential: true }), 'parallel'],
    ['the run', slow(), 'sequential'],
  ] as const)('run one after the other where %s says so', async (_who, work, parallelMode) => {
    const log: string[] = [];
    const { agent } = agentWith([tracking(log)], { tools: [work], script: two() });

    await agent.run('Go.', { parallelMode });

    expect(log).toEqual(['a in', 'a out', 'b in', 'b out']);
  });

  it('are cancelled when one of the hooks fails', async () => {
    const broken = new Error('The log is full.');
    const signals: AbortSignal[] = [];
    const work = slow({
      execute: (_args: unknown, ctx: RunContext) => {
        signals.push(ctx.signal);
        return never();
      },
    });
    const failing = executing(async ({ args }, next) => {
      if ((args as { path: string }).path === 'a') return next();
      await settled();
      throw broken;
    });
    const { agent } = agentWith([failing], { tools: [work], script: two() });

    expect(await rejectionOf(agent.run('Go.'))).toBe(broken);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

describe('a timeout', () => {
  it('holds for the hooks as well', async () => {
    const shop = workshop();
    const { agent } = agentWith([executing(never)], {
      tools: [shop.read],
      toolTimeout: 5,
      script: oneCall('read'),
    });

    const { messages } = await agent.run('Go.');

    expect(retriesIn(messages)).toEqual([expect.stringContaining('5 ms')]);
  });

  it('means that the tool does not run any more, should a hook come to it later', async () => {
    const shop = workshop();
    const late = latch();
    const outcomes: unknown[] = [];
    const waiting = executing(async (_call, next) => {
      await late.opened;
      return next().then(
        (result) => outcomes.push(result),
        (error: unknown) => outcomes.push(error),
      );
    });
    const { agent } = agentWith([waiting], {
      tools: [shop.read],
      toolTimeout: 5,
      script: oneCall('read'),
    });

    const { messages } = await agent.run('Go.');
    late.open();
    await settled();

    expect(retriesIn(messages)).toHaveLength(1);
    expect(shop.ran()).toEqual([]);
    expect(outcomes).toEqual([expect.any(Error)]);
  });
});

describe('a run that is aborted while a hook waits', () => {
  const reason = new Error('Somebody pressed stop.');

  it('ends at once', async () => {
    const controller = new AbortController();
    const { agent } = agentWith([executing(never)], {
      tools: [workshop().read],
      script: oneCall('read'),
    });

    const running = agent.run('Go.', { signal: controller.signal });
    await settled();
    controller.abort(reason);

    expect(await rejectionOf(running)).toBe(reason);
  });

  it('has its signal aborted', async () => {
    const controller = new AbortController();
    const seen: unknown[] = [];
    const listening = executing((_call, _next, { signal }) => {
      signal.addEventListener('abort', () => seen.push(signal.reason));
      return never();
    });
    const { agent } = agentWith([listening], { tools: [workshop().read], script: oneCall('read') });

    const running = agent.run('Go.', { signal: controller.signal });
    await settled();
    controller.abort(reason);
    await rejectionOf(running);

    expect(seen).toEqual([reason]);
  });

  it('does not run the tool any more, should the hook come to it later', async () => {
    const controller = new AbortController();
    const shop = workshop();
    const late = latch();
    const waiting = executing(async (_call, next) => {
      await late.opened;
      return next();
    });
    const { agent } = agentWith([waiting], { tools: [shop.read], script: oneCall('read') });

    const running = agent.run('Go.', { signal: controller.signal });
    await settled();
    controller.abort(reason);
    await rejectionOf(running);
    late.open();
    await settled();

    expect(shop.ran()).toEqual([]);
  });

  it('keeps the results that were there', async () => {
    const controller = new AbortController();
    const shop = workshop();
    const picky = executing(({ args }, next) =>
      (args as { path: string }).path === 'b' ? never() : next(),
    );
    const { agent } = agentWith([picky], {
      tools: [shop.read],
      script: [reply(calls('read', { path: 'a' }), calls('read', { path: 'b' }))],
    });
    const run = agent.iter('Go.', { signal: controller.signal });
    await run.next();
    await run.next();

    const running = run.next();
    running.catch(() => {});
    await settled();
    controller.abort(reason);

    expect(await rejectionOf(running)).toBe(reason);
    expect(returnsIn(run.messages)).toMatchObject([{ content: 'read a: done' }]);
  });
});

describe('a hook that has the tool executed after it has given its result', () => {
  it('has it executed once, and the result is what it gave', async () => {
    const shop = workshop();
    const later: (() => Promise<unknown>)[] = [];
    const hasty = executing((_call, next) => {
      later.push(next);
      return 'Later.';
    });
    const { agent } = agentWith([hasty], { tools: [shop.read], script: oneCall('read') });

    const { messages } = await agent.run('Go.');
    const outcomes = await Promise.allSettled([later[0]?.(), later[0]?.()]);

    expect(resultsIn(messages)).toEqual(['Later.']);
    expect(shop.ran().length).toBeLessThan(2);
    expect(outcomes[1]).toMatchObject({ status: 'rejected' });
  });
});
