import {
  ApprovalRequired,
  CallDeferred,
  type JsonObject,
  ModelRetry,
  ToolFailed,
  tool,
  UnexpectedModelBehavior,
} from 'holdpoint';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith, oneCall, retriesIn, validating } from '../../support/capabilities.ts';
import { partsOf } from '../../support/conversation.ts';
import { expectParked, workshop } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';

describe('errors thrown by a hook', () => {
  const thrown = async (error: Error, args: JsonObject = { path: 'a' }, early = true) => {
    const shop = workshop();
    const throwing = validating(async (call, next) => {
      if (!early) await next(call.args);
      throw error;
    });
    const { agent } = agentWith([throwing], { tools: [shop.read], script: oneCall('read', args) });
    const running = agent.run('Go.');
    await running.catch(() => {});
    expect(shop.ran()).toEqual([]);
    return running;
  };

  it.each([true, false])(
    'as a ModelRetry are sent to the model; before next: %s',
    async (early) => {
      const { messages } = await thrown(new ModelRetry('No.'), { path: 'a' }, early);

      expect(retriesIn(messages)).toEqual(['No.']);
    },
  );

  it.each([true, false])('as a ToolFailed become the result; before next: %s', async (early) => {
    const { messages } = await thrown(new ToolFailed('Closed.'), { path: 'a' }, early);

    expect(partsOf(messages)).toMatchObject([
      {},
      {},
      { content: 'Closed.', outcome: 'failed' },
      {},
    ]);
  });

  it.each([true, false])('as a CallDeferred defer the call; before next: %s', async (early) => {
    const parked = await expectParked(thrown(new CallDeferred({ job: 1 }), { path: 'a' }, early));

    expect(parked.output).toMatchObject({
      approvals: [],
      calls: [{ toolCallId: 'c' }],
      metadata: { c: { job: 1 } },
    });
    expect(parked.output.get('c').args).toEqual({ path: 'a', mode: 'soft' });
  });

  it('request no approval for invalid arguments', async () => {
    const { status, messages } = await thrown(new ApprovalRequired(), { path: 5 });

    expect(status).toBe('finished');
    expect(retriesIn(messages)).toEqual([[expect.objectContaining({ path: ['path'] })]]);
  });

  it.each([true, false])('as another error end the run; before next: %s', async (early) => {
    const broken = new Error('The rules are lost.');

    expect(await rejectionOf(thrown(broken, { path: 'a' }, early))).toBe(broken);
  });

  it('as another error end the run also for invalid arguments', async () => {
    const broken = new Error('The rules are lost.');

    expect(await rejectionOf(thrown(broken, { path: 5 }, false))).toBe(broken);
  });

  it('count as a retry of the tool', async () => {
    const picky = validating(async () => Promise.reject(new ModelRetry('No.')));
    const { agent } = agentWith([picky], {
      tools: [workshop().read],
      script: [calls('read', { path: 'a' }), calls('read', { path: 'b' })],
    });

    expect(await rejectionOf(agent.run('Go.'))).toBeInstanceOf(UnexpectedModelBehavior);
  });

  it('by requiring approval do not weaken the requirement of the validator', async () => {
    const external = tool({
      name: 'external',
      argsValidator: () => {
        throw new CallDeferred();
      },
      execute: () => 'ran',
    });
    const asking = validating(async ({ args }, next) => {
      await next(args);
      throw new ApprovalRequired({ reason: 'by the hook' });
    });
    const { agent } = agentWith([asking], { tools: [external], script: [calls('external')] });

    const parked = await expectParked(agent.run('Go.'));
    const again = await expectParked(
      agent.resume(parked, parked.output.buildResults({ approveAll: true })),
    );

    expect(again.output.approvals).toHaveLength(1);
  });
});
