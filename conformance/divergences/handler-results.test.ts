import { DeferredToolResults, UserError } from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import { describe, expect, it } from 'vitest';
import { rejectionOf } from '../../packages/core/test/support/latch.ts';
import { agentIn, workshop } from '../../packages/core/test/support/deferral.ts';
import { approvals, everyKind, values } from '../../packages/core/test/support/every-kind.ts';

describe('unknown ids in handler results', () => {
  it.each<[string, ConstructorParameters<typeof DeferredToolResults>[0]]>([
    ['an approval', { approvals: { ...approvals, ghost: true }, calls: values }],
    ['a denial', { approvals: { ...approvals, ghost: false }, calls: values }],
    ['a result', { approvals, calls: { ...values, ghost: 1 } }],
  ])('are rejected: %s', async (_, decisions) => {
    const shop = workshop();
    const agent = agentIn(shop, [everyKind]);
    const handler = () => new DeferredToolResults(decisions);

    const ofHandler = await rejectionOf(agent.run('Go.', { deferredToolHandler: handler }));
    const capabilities = [handleDeferredToolCalls(handler)];
    const ofCapability = await rejectionOf(agentIn(shop, [everyKind]).run('Go.', { capabilities }));

    for (const error of [ofHandler, ofCapability]) {
      expect(error).toBeInstanceOf(UserError);
      expect(String(error)).toContain("'ghost'");
    }
    expect(shop.effects).toEqual([]);
  });

  it('include ids that an earlier handler resolved, because a resolved id is settled', async () => {
    const shop = workshop();
    const first = handleDeferredToolCalls(
      () => new DeferredToolResults({ approvals: { remove: false } }),
    );
    const second = handleDeferredToolCalls(
      () => new DeferredToolResults({ approvals: { remove: true, move: true } }),
    );

    const error = await rejectionOf(
      agentIn(shop, [everyKind]).run('Go.', { capabilities: [first, second] }),
    );

    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toContain("'remove'");
    expect(String(error)).not.toContain("'move'");
    expect(shop.effects).toEqual([]);
  });

  it('include ids that the deferredToolHandler did not receive', async () => {
    const shop = workshop();
    const deny = handleDeferredToolCalls(
      () => new DeferredToolResults({ approvals: { remove: false } }),
    );

    const error = await rejectionOf(
      agentIn(shop, [everyKind]).run('Go.', {
        capabilities: [deny],
        deferredToolHandler: () => new DeferredToolResults({ approvals, calls: values }),
      }),
    );

    expect(String(error)).toContain("'remove'");
    expect(shop.effects).toEqual([]);
  });
});
