import {
  ApprovalRequired,
  approveAll,
  CallDeferred,
  DeferredToolRequests,
  DeferredToolResults,
  type EndStrategy,
  Agent,
  requestsFromMessages,
  tool,
  UnexpectedModelBehavior,
  UserError,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { problemsOf, sentTo } from '../../packages/core/test/support/conversation.ts';
import {
  agentIn,
  expectParked,
  ways,
  workshop,
} from '../../packages/core/test/support/deferral.ts';
import { historyOf, idsOf, responseWith } from '../../packages/core/test/support/histories.ts';
import { rejectionOf } from '../../packages/core/test/support/latch.ts';
import { present } from '../../packages/core/test/support/present.ts';

describe('deferral at run time alongside a final result', () => {
  const output = [z.object({ n: z.number() }), DeferredToolRequests] as const;

  function agentWith(endStrategy: EndStrategy) {
    const shop = workshop();
    const model = scriptedModel(
      responds(
        calls('render', { path: 'a' }, { id: 'raised-1' }),
        calls('remove', { path: 'b' }, { id: 'marked' }),
        calls('read', { path: 'c' }, { id: 'plain' }),
        calls('final_result', { n: 1 }, { id: 'output' }),
        calls('paint', {}, { id: 'external' }),
        calls('move', { path: 'd' }, { id: 'raised-2' }),
      ),
      calls('final_result', { n: 2 }),
    );
    const { read, remove, move, render, paint } = shop;
    const requested: DeferredToolRequests[] = [];
    const agent = new Agent({
      model,
      tools: [read, remove, move, render],
      toolsets: [paint],
      output,
      endStrategy,
      deferredToolHandler(requests) {
        requested.push(requests);
      },
    });
    return { agent, model, shop, requested };
  }

  it.each(['graceful', 'exhaustive'] as const)(
    'returns a fixed message, after the results of always deferred calls, in call order (%s)',
    async (endStrategy) => {
      const { agent, shop, requested } = agentWith(endStrategy);

      const result = await agent.run('Go.');

      expect(result).toMatchObject({ status: 'finished', output: { n: 1 } });
      expect(shop.ran()).toEqual(['read c']);
      expect(requested).toEqual([]);
      const parts = present(result.messages.at(-1)).parts as readonly { toolCallId: string }[];
      expect(parts.map((part) => part.toolCallId)).toEqual([
        'plain',
        'output',
        'external',
        'marked',
        'raised-1',
        'raised-2',
      ]);
      const said = new Set(
        present(result.messages.at(-1))
          .parts.slice(2)
          .map((part) => 'content' in part && part.content),
      );
      expect(said.size).toBe(1);
    },
  );

  it.each(ways)('leaves a history without pending calls ($way)', async (way) => {
    const { agent, model, shop } = agentWith('graceful');
    const result = await agent.run('Go.');
    const messageHistory = way.messages(result.messages);

    expect(requestsFromMessages(messageHistory)).toBeUndefined();
    await agent.run('Go on.', { messageHistory });
    expect(problemsOf(sentTo(model, 1))).toEqual([]);
    const late = new DeferredToolResults({ approvals: { 'raised-2': true } });
    const error = await rejectionOf(
      agent.run(undefined, { messageHistory, deferredToolResults: late }),
    );
    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toContain("'raised-2'");
    expect(shop.ran()).toEqual(['read c']);
  });
});

describe('two calls with the same id in a response', () => {
  it('execute with their own arguments', async () => {
    const shop = workshop();
    const model = scriptedModel(
      responds(
        calls('read', { path: 'a' }, { id: 'x' }),
        calls('read', { path: 'b' }, { id: 'x' }),
      ),
      says('Done.'),
    );

    const result = await agentIn(shop, []).run('Go.', { model });

    expect(shop.ran()).toEqual(['read a', 'read b']);
    expect(result.messages[2]?.parts).toMatchObject([
      { content: 'read a: done' },
      { content: 'read b: done' },
    ]);
    expect(problemsOf(sentTo(model, 1))).toEqual([]);
  });

  it.each([
    ['pre-marked', 'remove', 'remove'],
    ['raised', 'move', 'move'],
    ['of two kinds', 'remove', 'render'],
    ['external', 'paint', 'paint'],
  ])('are rejected as deferred calls, before any handler: %s', async (_, one, other) => {
    const shop = workshop();
    let handlerCalls = 0;
    const twins = responds(
      calls(one, { path: 'a' }, { id: 'twin' }),
      calls(other, { path: 'b' }, { id: 'twin' }),
    );
    const agent = agentIn(shop, [twins, twins]);

    const parking = await rejectionOf(agent.run('Go.'));
    const handled = await rejectionOf(
      agent.run('Go.', {
        deferredToolHandler(requests) {
          handlerCalls += 1;
          return requests.buildResults({ approveAll: true });
        },
      }),
    );

    for (const error of [parking, handled]) {
      expect(error).toBeInstanceOf(UnexpectedModelBehavior);
      expect(String(error)).toContain("'twin'");
    }
    expect(handlerCalls).toBe(0);
    expect(shop.effects).toEqual([]);
  });

  // The existing result has the same id, so it is ambiguous which of the two calls is pending.
  it.each([
    ['remove', 'read'],
    ['read', 'remove'],
    ['move', 'read'],
    ['read', 'paint'],
  ])('are rejected even if only one of them is pending: %s, %s', async (one, other) => {
    const shop = workshop();
    const twins = responds(
      calls(one, { path: 'a' }, { id: 'twin' }),
      calls(other, { path: 'b' }, { id: 'twin' }),
    );

    const error = await rejectionOf(agentIn(shop, [twins, says('Done.')]).run('Go.'));

    expect(error).toBeInstanceOf(UnexpectedModelBehavior);
    expect(String(error)).toContain("'twin'");
  });

  it.each(ways)('never execute one call because the other was approved ($way)', async (way) => {
    const shop = workshop();
    const twins = responseWith([
      { toolName: 'remove', toolCallId: 'twin', args: { path: 'secret' } },
      { toolName: 'read', toolCallId: 'twin', args: { path: 'b' } },
    ]);
    const resultMessage = {
      kind: 'request',
      parts: [
        {
          kind: 'tool-return',
          toolName: 'read',
          toolCallId: 'twin',
          content: 'b',
          outcome: 'success',
        },
      ],
    } as const;

    const error = await rejectionOf(
      agentIn(shop, [says('Done.')]).run(undefined, {
        messageHistory: way.messages(historyOf(twins, resultMessage)),
        deferredToolResults: new DeferredToolResults({ approvals: { twin: true } }),
      }),
    );

    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toContain("'twin'");
    expect(shop.effects).toEqual([]);
  });
});

describe('deferral thrown by an args validator of an always deferred tool', () => {
  const raise = { approval: ApprovalRequired, external: CallDeferred };

  function raising(Raised: (typeof raise)['approval' | 'external']) {
    const shop = workshop();
    const gated = tool({
      name: 'gated',
      requiresApproval: true,
      argsValidator(_args, ctx) {
        if (!ctx.toolCallApproved) throw new Raised({ amount: 7 });
      },
      execute: (_args, ctx) => shop.work('gated')({ path: 'it' }, ctx),
    });
    return { shop, tools: [gated] };
  }

  it.each(ways)('keeps its metadata ($way)', async (way) => {
    for (const Raised of Object.values(raise)) {
      const { shop, tools } = raising(Raised);

      const script = [calls('gated', {}, { id: 'g' })];
      const parked = await expectParked(agentIn(shop, script, { tools }).run('Go.'));

      // The kind of the tool decides what the call waits for.
      expect(idsOf(parked.output.approvals)).toEqual(['g']);
      expect(parked.output.metadata).toEqual({ g: { amount: 7 } });
      expect(requestsFromMessages(way.messages(parked.messages))).toEqual(parked.output);
      await agentIn(shop, [says('Done.')], { tools }).run(undefined, {
        messageHistory: way.messages(parked.messages),
        deferredToolResults: way.results(parked.output.buildResults({ approveAll: true })),
      });
      expect(shop.ran()).toEqual(['gated it']);
    }
  });

  it('passes its metadata to handlers', async () => {
    const { shop, tools } = raising(ApprovalRequired);
    const seen: unknown[] = [];

    await agentIn(shop, [calls('gated', {}, { id: 'g' }), says('Done.')], { tools }).run('Go.', {
      deferredToolHandler(requests, ctx) {
        seen.push(requests.metadata);
        return approveAll()(requests, ctx);
      },
    });

    expect(seen).toEqual([{ g: { amount: 7 } }]);
    expect(shop.ran()).toEqual(['gated it']);
  });
});
