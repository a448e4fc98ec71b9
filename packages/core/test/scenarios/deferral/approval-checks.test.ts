import {
  approveAll,
  ExternalToolset,
  FunctionToolset,
  type RunContext,
  ToolApproved,
  tool,
  UserError,
} from 'holdpoint';
import type { ApprovalPolicy } from 'holdpoint/deferral';
import { calls, responds, type ScriptEntry, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentIn, expectParked, ways, workshop } from '../../support/deferral.ts';
import { idsOf } from '../../support/histories.ts';
import { rejectionOf, settled } from '../../support/latch.ts';

const input = z.object({ amount: z.coerce.number(), currency: z.string().default('EUR') });

describe('requiresApproval as a function', () => {
  function payer(
    check: (args: z.infer<typeof input>, ctx: RunContext) => boolean | Promise<boolean>,
  ) {
    const paid: number[] = [];
    const pay = tool({
      name: 'pay',
      inputSchema: input,
      requiresApproval: check,
      execute: ({ amount }) => {
        paid.push(amount);
        return 'paid';
      },
    });
    const agent = (...script: readonly ScriptEntry[]) =>
      agentIn(workshop(), script, { tools: [pay] });
    return { paid, agent };
  }
  const pay = (amount: number | string, id: string) => calls('pay', { amount }, { id });

  it('receives the validated arguments and the context of the call', async () => {
    const seen: unknown[] = [];
    const { agent } = payer((args, ctx) => {
      const { toolName, toolCallId, toolCallApproved, prompt, runStep } = ctx;
      seen.push({ args, toolName, toolCallId, toolCallApproved, prompt, runStep });
      expect(Object.isFrozen(args)).toBe(true);
      return true;
    });

    await expectParked(agent(pay('7', 'p')).run('Pay.'));

    expect(seen).toEqual([
      {
        args: { amount: 7, currency: 'EUR' },
        toolName: 'pay',
        toolCallId: 'p',
        toolCallApproved: false,
        prompt: 'Pay.',
        runStep: 1,
      },
    ]);
  });

  it.each([
    ['sync', (args: { amount: number }) => args.amount > 10],
    [
      'async',
      async (args: { amount: number }) => {
        await settled();
        return args.amount > 10;
      },
    ],
  ])('decides call by call (%s)', async (_, check) => {
    const { paid, agent } = payer(check);
    const script = responds(pay(5, 'small'), pay(50, 'big'), pay(6, 'little'));

    const parked = await expectParked(agent(script).run('Pay.'));

    expect(paid).toEqual([5, 6]);
    expect(idsOf(parked.output.approvals)).toEqual(['big']);
    expect(parked.output.calls).toEqual([]);
    expect(parked.output.metadata).toEqual({});
  });

  it.each(ways)('is not called again for an approved call ($way)', async (way) => {
    let policyCalls = 0;
    const { paid, agent } = payer(() => {
      policyCalls += 1;
      return true;
    });
    const parked = await expectParked(agent(pay(50, 'p')).run('Pay.'));
    const edit = new ToolApproved({ overrideArgs: { amount: 999 } });

    await agent(says('Done.')).run(undefined, {
      messageHistory: way.messages(parked.messages),
      deferredToolResults: way.results(parked.output.buildResults({ approvals: { p: edit } })),
    });

    expect(paid).toEqual([999]);
    expect(policyCalls).toBe(1);
  });

  it('is not called with invalid arguments', async () => {
    let policyCalls = 0;
    const { paid, agent } = payer(() => {
      policyCalls += 1;
      return true;
    });

    const result = await agent(calls('pay', { amount: 'much' }), says('Sorry.')).run('Pay.');

    expect(result.messages[2]?.parts).toMatchObject([{ kind: 'retry-prompt' }]);
    expect(policyCalls).toBe(0);
    expect(paid).toEqual([]);
  });

  it('ends the run when it throws, and no call of the batch executes', async () => {
    const failure = new Error('No policy today.');
    for (const check of [
      (args: { amount: number }) => {
        if (args.amount > 10) throw failure;
        return false;
      },
      async (args: { amount: number }) => {
        await settled();
        if (args.amount > 10) throw failure;
        return false;
      },
    ]) {
      const { paid, agent } = payer(check);

      const error = await rejectionOf(agent(responds(pay(5, 'a'), pay(50, 'b'))).run('Pay.'));

      expect(error).toBe(failure);
      expect(paid).toEqual([]);
    }
  });

  it('applies to calls from other tools, which cannot be deferred', async () => {
    const { work, effects } = workshop();
    const inner = tool({
      name: 'inner',
      requiresApproval: () => true,
      execute: (_, ctx) => work('inner')({ path: '' }, ctx),
    });
    const outer = tool({ name: 'outer', execute: (_, ctx) => ctx.toolManager.call('inner') });
    const agent = agentIn(workshop(), [calls('outer')], { tools: [inner, outer] });

    const error = await rejectionOf(agent.run('Go.', { deferredToolHandler: approveAll() }));

    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toContain('`inner`');
    expect(effects).toEqual([]);
  });
});

describe('approvalPolicy of the agent', () => {
  const batch = responds(
    calls('read', { path: 'a' }, { id: 'read' }),
    calls('remove', { path: 'b' }, { id: 'remove' }),
    calls('move', { path: 'c' }, { id: 'move' }),
    calls('paint', {}, { id: 'paint' }),
  );

  it.each<[string, ApprovalPolicy]>([
    ['false', () => false],
    ['false later', async () => false],
  ])('cannot weaken the requirement of tools: %s', async (_, approvalPolicy) => {
    const shop = workshop();

    const parked = await expectParked(agentIn(shop, [batch], { approvalPolicy }).run('Go.'));

    expect(idsOf(parked.output.approvals)).toEqual(['move', 'remove']);
    expect(idsOf(parked.output.calls)).toEqual(['paint']);
    expect(shop.ran()).toEqual(['read a']);
  });

  it('can require approval for any tool', async () => {
    const shop = workshop();
    const more = tool({
      name: 'more',
      execute: (_, ctx) => shop.work('more')({ path: 'x' }, ctx),
    });
    const agent = agentIn(
      shop,
      [
        responds(
          batch,
          calls('more', {}, { id: 'more' }),
          calls('made', {}, { id: 'made' }),
          calls('pre_more', {}, { id: 'pre' }),
        ),
      ],
      {
        approvalPolicy: () => true,
        toolsets: [shop.paint, () => new FunctionToolset({ made: more })],
      },
    );

    const parked = await expectParked(
      agent.run('Go.', {
        toolsets: [new FunctionToolset([more]), new FunctionToolset([more]).prefixed('pre')],
      }),
    );

    expect(idsOf(parked.output.approvals).toSorted()).toEqual([
      'made',
      'more',
      'move',
      'pre',
      'read',
      'remove',
    ]);
    // An external result stays a result.
    expect(idsOf(parked.output.calls)).toEqual(['paint']);
    expect(shop.effects).toEqual([]);
  });

  it('applies to tools that replace native tools', async () => {
    const shop = workshop();
    const agent = agentIn(shop, [calls('read', { path: 'a' }, { id: 'r' })], {
      approvalPolicy: () => true,
    });

    const parked = await agent.override({ tools: [shop.read] }, () =>
      expectParked(agent.run('Go.')),
    );

    expect(idsOf(parked.output.approvals)).toEqual(['r']);
    expect(shop.effects).toEqual([]);
  });

  it('sees the context, the tool and the validated arguments', async () => {
    const shop = workshop();
    const seen: unknown[] = [];

    await expectParked(
      agentIn(shop, [calls('read', { path: 'a' }, { id: 'r' })], {
        approvalPolicy(ctx, definition, args) {
          seen.push([ctx.toolCallId, ctx.prompt, definition.name, args]);
          return true;
        },
      }).run('Go.'),
    );

    expect(seen).toEqual([['r', 'Go.', 'read', { path: 'a', mode: 'soft' }]]);
  });

  it.each(ways)('permits an approved call ($way)', async (way) => {
    const shop = workshop();
    const options = { approvalPolicy: () => true };
    const script = [calls('read', { path: 'a' }, { id: 'r' })];
    const parked = await expectParked(agentIn(shop, script, options).run('Go.'));

    await agentIn(shop, [says('Done.')], options).run(undefined, {
      messageHistory: way.messages(parked.messages),
      deferredToolResults: way.results(parked.output.buildResults({ approveAll: true })),
    });

    expect(shop.effects).toMatchObject([{ tool: 'read', approved: true }]);
  });

  it('ends the run when it throws', async () => {
    const shop = workshop();
    const failure = new Error('No policy today.');
    const agent = agentIn(shop, [batch], {
      approvalPolicy: () => {
        throw failure;
      },
    });

    expect(await rejectionOf(agent.run('Go.'))).toBe(failure);
    expect(shop.effects).toEqual([]);
  });

  it('also applies to calls that tools make', async () => {
    const shop = workshop();
    const outer = tool({
      name: 'outer',
      execute: (_, ctx) => ctx.toolManager.call('read', { path: 'a' }),
    });
    const agent = agentIn(shop, [calls('outer')], {
      tools: [outer, shop.read],
      approvalPolicy: (_ctx, definition) => definition.name === 'read',
    });

    const error = await rejectionOf(agent.run('Go.'));

    expect(String(error)).toContain('`read`');
    expect(shop.effects).toEqual([]);
  });

  it('does not apply to external tools', async () => {
    const checked: string[] = [];
    const agent = agentIn(workshop(), [calls('far', {}, { id: 'f' })], {
      toolsets: [new ExternalToolset([{ name: 'far' }])],
      approvalPolicy(_ctx, definition) {
        checked.push(definition.name);
        return true;
      },
    });

    const parked = await expectParked(agent.run('Go.'));

    expect(idsOf(parked.output.calls)).toEqual(['f']);
    expect(checked).toEqual([]);
  });
});
