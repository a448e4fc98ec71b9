import {
  ApprovalRequired,
  type Capability,
  type JsonObject,
  ModelRetry,
  type RunContext,
  tool,
  UserError,
} from 'holdpoint';
import type { ArgsValidation } from 'holdpoint/capabilities';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  type AroundValidation,
  agentWith,
  inFolder,
  oneCall,
  retriesIn,
  validating,
  waysToRun,
} from '../../support/capabilities.ts';
import { partsOf } from '../../support/conversation.ts';
import { expectParked, workshop } from '../../support/deferral.ts';
import { never, rejectionOf, settled } from '../../support/latch.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { untyped } from '../../support/untyped.ts';

describe.each(waysToRun)('a hook around the validation of arguments, with $way,', ({ go }) => {
  it('wraps each call, with the first capability outermost', async () => {
    const log: string[] = [];
    const noting = (name: string): Capability =>
      validating(async ({ call, args, definition }, next) => {
        log.push(`${name} ${definition.name} ${call.toolCallId} ${args['path']}`);
        const validation = await next(args);
        log.push(`${name} ${validation.ok}`);
      });
    const shop = workshop();
    const { agent } = agentWith([noting('first'), noting('second')], {
      tools: [shop.read],
      script: oneCall('read'),
    });

    await go(agent, { capabilities: [noting('of the run')] });

    expect(log).toEqual([
      'first read c a',
      'second read c a',
      'of the run read c a',
      'of the run true',
      'second true',
      'first true',
    ]);
    expect(shop.ran()).toEqual(['read a']);
  });

  it('can change the arguments; the history keeps those of the model', async () => {
    const shop = workshop();
    const { agent } = agentWith([inFolder('outer'), inFolder('inner')], {
      tools: [shop.read],
      script: oneCall('read', '{"path":"a"}'),
    });

    const { messages } = await go(agent);

    expect(shop.ran()).toEqual(['read inner/outer/a']);
    expect(partsOf(messages)[1]).toMatchObject({ kind: 'tool-call', args: '{"path":"a"}' });
  });

  it('can correct invalid arguments', async () => {
    const shop = workshop();
    const mending = validating(async ({ args }, next) => {
      const validation = await next(args);
      if (!validation.ok) await next({ path: String(args['path']) });
    });
    const { agent } = agentWith([mending], {
      tools: [shop.read],
      script: oneCall('read', { path: 5 }),
    });

    const { messages } = await go(agent);

    expect(shop.ran()).toEqual(['read 5']);
    expect(retriesIn(messages)).toEqual([]);
  });

  it('can send the call back', async () => {
    const shop = workshop();
    const picky = validating(async ({ args }, next) => {
      await next(args);
      throw new ModelRetry('Not this one.');
    });
    const { agent } = agentWith([picky], { tools: [shop.read], script: oneCall('read') });

    const { messages } = await go(agent);

    expect(retriesIn(messages)).toEqual(['Not this one.']);
    expect(shop.ran()).toEqual([]);
  });

  it('that blocks the call sends it back', async () => {
    const shop = workshop();
    const { agent } = agentWith([validating(async () => {})], {
      tools: [shop.read],
      script: oneCall('read'),
    });

    const { messages } = await go(agent);

    expect(retriesIn(messages)).toEqual([expect.stringContaining('not allowed')]);
    expect(shop.ran()).toEqual([]);
  });

  it('can require approval, with a message for the approver', async () => {
    const shop = workshop();
    const asking = validating(async ({ args }, next, ctx) => {
      await next(args);
      if (!ctx.toolCallApproved) throw new ApprovalRequired({ reason: 'Who are you?' });
    });
    const { agent } = agentWith([asking], { tools: [shop.read], script: oneCall('read') });

    const parked = await expectParked(go(agent));
    expect(shop.ran()).toEqual([]);
    const finished = await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(parked.output.metadata).toEqual({ c: { reason: 'Who are you?' } });
    expect(finished.output).toBe('Done.');
    expect(shop.effects).toMatchObject([{ tool: 'read', path: 'a', approved: true }]);
  });
});

describe('result of next in a hook around validation', () => {
  const resultFor = async (args: JsonObject, argsValidator?: () => void) => {
    const validations: ArgsValidation[] = [];
    const looking = validating(async (call, next) => {
      validations.push(await next(call.args));
    });
    const typed = tool({
      name: 'typed',
      inputSchema: z.object({ path: z.string(), mode: z.string().default('soft') }),
      argsValidator,
      execute: () => 'ran',
    });
    await agentWith([looking], { tools: [typed], script: oneCall('typed', args) }).agent.run('Go.');
    return validations;
  };

  it('contains the arguments that the tool receives', async () => {
    expect(await resultFor({ path: 'a' })).toEqual([
      { ok: true, args: { path: 'a', mode: 'soft' } },
    ]);
  });

  it('contains the issues of invalid arguments', async () => {
    expect(await resultFor({ path: 5 })).toEqual([
      { ok: false, problem: [expect.objectContaining({ path: ['path'] })] },
    ]);
  });

  it('contains the verdict of the validator', async () => {
    const rejecting = () => {
      throw new ModelRetry('Not on Sundays.');
    };

    expect(await resultFor({ path: 'a' }, rejecting)).toEqual([
      { ok: false, problem: 'Not on Sundays.' },
    ]);
  });

  it('cannot be changed', async () => {
    const [validation] = await resultFor({ path: 'a' });

    expect(() => Object.assign((validation as { args: object }).args, { path: 'b' })).toThrow(
      TypeError,
    );
  });

  it('is a rejection if an inner hook blocks the call', async () => {
    const seen: unknown[] = [];
    const looking = validating(async ({ args }, next) => void seen.push(await next(args)));
    const { agent } = agentWith([looking, validating(async () => {})], {
      tools: [workshop().read],
      script: oneCall('read'),
    });

    await agent.run('Go.');

    expect(seen).toEqual([{ ok: false, problem: expect.any(String) }]);
  });

  it('is absent for unreadable arguments and unknown tools', async () => {
    const seen: unknown[] = [];
    const looking = validating(async ({ call, args }, next) => {
      seen.push(call);
      await next(args);
    });
    const { agent } = agentWith([looking], {
      tools: [workshop().read],
      script: [responds(calls('read', '{"pa'), calls('nobody')), says('Done.')],
    });

    const { messages } = await agent.run('Go.');

    expect(seen).toEqual([]);
    expect(resultsIn(messages)).toEqual(['retry read', 'retry nobody']);
  });
});

describe('hooks around the validation of arguments', () => {
  it('are called for tools that always defer, and not for resolved calls', async () => {
    const seen: string[] = [];
    const shop = workshop();
    const looking = validating(async ({ call, args }, next) => {
      seen.push(call.toolName);
      await next(args);
    });
    const { agent } = agentWith([looking], {
      tools: [shop.remove],
      toolsets: [shop.paint],
      script: [
        responds(calls('remove', { path: 'a' }, { id: 'r' }), calls('paint', {}, { id: 'p' })),
      ],
    });

    const parked = await expectParked(agent.run('Go.'));
    seen.sort();
    expect(seen.splice(0)).toEqual(['paint', 'remove']);
    await agent
      .resume(parked, parked.output.buildResults({ approvals: { r: false }, calls: { p: 'Red.' } }))
      .catch(() => {});

    expect(seen).toEqual([]);
  });

  it('are called for calls that tools make', async () => {
    const shop = workshop();
    const outer = tool({
      name: 'outer',
      execute: (_args, { toolManager }) => toolManager.call('read', { path: 'a' }),
    });
    const { agent } = agentWith([validating(onlyPaths)], {
      tools: [outer, shop.read],
      script: [calls('outer'), says('Done.')],
    });

    await agent.run('Go.');

    expect(shop.ran()).toEqual(['read nested/a']);
  });

  const onlyPaths: AroundValidation = async ({ args }, next) => {
    await next('path' in args ? { path: `nested/${args['path']}` } : args);
  };

  it('are called for calls that an inline handler approves, and cannot change them', async () => {
    const shop = workshop();
    const always = validating(
      async ({ args }, next) => void (await next({ path: `x${args['path']}` })),
    );
    const { agent } = agentWith([always], {
      tools: [shop.remove],
      script: oneCall('remove'),
      deferredToolHandler: (requests) => requests.buildResults({ approveAll: true }),
    });

    expect(await rejectionOf(agent.run('Go.'))).toBeInstanceOf(UserError);
    expect(shop.ran()).toEqual([]);
  });

  it('are not awaited after the run was aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('Stop.');
    const shop = workshop();
    const { agent } = agentWith([validating(never)], {
      tools: [shop.read],
      script: oneCall('read'),
    });

    const running = agent.run('Go.', { signal: controller.signal });
    await settled();
    controller.abort(reason);

    expect(await rejectionOf(running)).toBe(reason);
    expect(shop.ran()).toEqual([]);
  });

  it('receive the context of the call', async () => {
    const seen: unknown[] = [];
    const looking = validating(async ({ args }, next, ctx: RunContext) => {
      seen.push([ctx.toolName, ctx.toolCallId, ctx.toolCallApproved, ctx.retry]);
      await next(args);
    });
    const { agent } = agentWith([looking], { tools: [workshop().read], script: oneCall('read') });

    await agent.run('Go.');

    expect(seen).toEqual([['read', 'c', false, 0]]);
  });

  it('receive arguments as JSON', async () => {
    const odd = validating(async (_call, next) => void (await next(untyped({ path: () => 'a' }))));
    const shop = workshop();
    const { agent } = agentWith([odd], { tools: [shop.read], script: oneCall('read') });

    await expect(agent.run('Go.')).rejects.toThrow(/args\.path/);
    expect(shop.ran()).toEqual([]);
  });
});
