import {
  type Capability,
  GateError,
  type RunContext,
  ToolReturn,
  tool,
  UserError,
} from 'holdpoint';
import type { CapabilityHooks } from 'holdpoint/capabilities';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith, capability, oneCall, waysToRun } from '../../support/capabilities.ts';
import { partsOf } from '../../support/conversation.ts';
import { expectParked, workshop } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { resultsIn } from '../../support/toolsets.ts';

type Around = NonNullable<CapabilityHooks['wrapToolExecution']>;

const executing = (wrapToolExecution: Around): Capability => capability({ wrapToolExecution });

describe.each(waysToRun)('a hook around the execution of calls, with $way,', ({ go }) => {
  it('wraps each call, with the first capability outermost', async () => {
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

  it('can return a result without executing the tool', async () => {
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

  it('can execute the tool only once', async () => {
    const shop = workshop();
    const twice = executing(async (_call, next) => {
      await next();
      return next();
    });
    const { agent } = agentWith([twice], { tools: [shop.read], script: oneCall('read') });

    expect(await rejectionOf(go(agent))).toBeInstanceOf(GateError);
    expect(shop.ran()).toEqual(['read a']);
  });

  it('is called only for permitted calls', async () => {
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
        responds(
          calls('read', { path: 5 }, { id: 'bad' }),
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
  it('can continue after the tool failed', async () => {
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

  it('that returns nothing sets the result to undefined', async () => {
    const shop = workshop();
    const forgetful = executing(async (_call, next) => void (await next()));
    const { agent } = agentWith([forgetful], { tools: [shop.read], script: oneCall('read') });

    const { messages } = await agent.run('Go.');

    expect(resultsIn(messages)).toEqual([null]);
    expect(shop.ran()).toEqual(['read a']);
  });

  it('must return a JSON value', async () => {
    const shop = workshop();
    const { agent } = agentWith([executing(() => new Map())], {
      tools: [shop.read],
      script: oneCall('read'),
    });

    await expect(agent.run('Go.')).rejects.toThrow(/'read'/);
  });

  it('receives a ToolReturn unchanged, and may return one', async () => {
    const seen: unknown[] = [];
    const describing = tool({
      name: 'telling',
      execute: () => new ToolReturn({ returnValue: 1, content: 'Look.' }),
    });
    const adding = executing(async (_call, next) => {
      const result = (await next()) as ToolReturn<number>;
      seen.push(result);
      return new ToolReturn({ returnValue: result.returnValue + 1, content: result.content });
    });
    const { agent } = agentWith([adding], {
      tools: [describing],
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

  it('cannot pass other arguments to next either', async () => {
    const shop = workshop();
    const meddling = executing((call, next) => {
      Object.assign(call, { args: { path: 'other' } });
      return (next as (other: unknown) => Promise<unknown>)({ path: 'other' });
    });
    const { agent } = agentWith([meddling], { tools: [shop.read], script: oneCall('read') });

    await agent.run('Go.');

    expect(shop.ran()).toEqual(['read a']);
  });

  it('receives the context of the call', async () => {
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

  it('wraps calls that tools make as well', async () => {
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

describe('a hook that executes the tool after it returned a result', () => {
  it('executes it once, and the result is the one it returned', async () => {
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
