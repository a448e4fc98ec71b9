import { type Capability, type Message, type RunContext, tool } from 'holdpoint';
import type { CapabilityHooks } from 'holdpoint/capabilities';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  abortedDuring,
  agentWith,
  capability,
  oneCall,
  retriesIn,
} from '../../support/capabilities.ts';
import { partsOf } from '../../support/conversation.ts';
import { workshop } from '../../support/deferral.ts';
import { latch, never, rejectionOf, settled } from '../../support/latch.ts';

type Around = NonNullable<CapabilityHooks['wrapToolExecution']>;

const executing = (wrapToolExecution: Around): Capability => capability({ wrapToolExecution });

const returnsIn = (messages: readonly Message[]) =>
  partsOf(messages).filter((part) => part.kind === 'tool-return');

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
    responds(calls('work', { path: 'a' }), calls('work', { path: 'b' })),
    says('Done.'),
  ];
  const slow = (options: object = {}) =>
    tool({
      name: 'work',
      inputSchema: z.object({ path: z.string() }),
      execute: settled,
      ...options,
    });

  it('execute concurrently', async () => {
    const log: string[] = [];

    await agentWith([tracking(log)], { tools: [slow()], script: two() }).agent.run('Go.');

    expect(log.slice(0, 2)).toEqual(['a in', 'b in']);
  });

  it.each([
    ['the tool', slow({ sequential: true }), 'parallel'],
    ['the run', slow(), 'sequential'],
  ] as const)('execute sequentially if %s is set', async (_who, work, parallelMode) => {
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
  it('includes the time of hooks', async () => {
    const shop = workshop();
    const { agent } = agentWith([executing(never)], {
      tools: [shop.read],
      toolTimeout: 5,
      script: oneCall('read'),
    });

    const { messages } = await agent.run('Go.');

    expect(retriesIn(messages)).toEqual([expect.stringContaining('5 ms')]);
  });

  it('prevents a later execution of the tool by the hook', async () => {
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

describe('a run that is aborted while a hook is pending', () => {
  const reason = new Error('Somebody pressed stop.');

  it('ends at once', async () => {
    expect(await abortedDuring(executing(never), reason)).toBe(reason);
  });

  it('aborts the signal of the hook', async () => {
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

  it('does not execute the tool afterwards', async () => {
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

  it('keeps earlier results', async () => {
    const controller = new AbortController();
    const shop = workshop();
    const picky = executing(({ args }, next) =>
      (args as { path: string }).path === 'b' ? never() : next(),
    );
    const { agent } = agentWith([picky], {
      tools: [shop.read],
      script: [responds(calls('read', { path: 'a' }), calls('read', { path: 'b' }))],
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
