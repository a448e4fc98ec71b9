import {
  Agent,
  ApprovalRequired,
  approveAll,
  CallDeferred,
  type DeferredToolHandler,
  DeferredToolRequests,
  DeferredToolResults,
  denyAll,
  tool,
  UserError,
} from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import {
  agentIn,
  expectParked,
  ways,
  workshop,
} from '../../packages/core/test/support/deferral.ts';
import { idsOf } from '../../packages/core/test/support/histories.ts';
import { drain, rejectionOf } from '../../packages/core/test/support/latch.ts';

const batch = responds(
  calls('remove', { path: 'a' }, { id: 'remove' }),
  calls('paint', {}, { id: 'paint' }),
  calls('move', { path: 'b' }, { id: 'move' }),
);

/** Wraps a handler and records the ids of its requests. */
function watching(handler: DeferredToolHandler) {
  const requested: string[][] = [];
  const watched: DeferredToolHandler = (requests, ctx) => {
    requested.push([...idsOf(requests.approvals), ...idsOf(requests.calls)].toSorted());
    return handler(requests, ctx);
  };
  return { requested, watched };
}

const approveEverything: DeferredToolHandler = (requests) =>
  requests.buildResults({
    approveAll: true,
    calls: Object.fromEntries(idsOf(requests.calls).map((id) => [id, 'a picture'])),
  });

describe('deferredToolHandler', () => {
  it('must resolve every call: a pending call is a UserError that names it, and nothing executes', async () => {
    const shop = workshop();
    const agent = agentIn(shop, [batch]);
    const handler = () => new DeferredToolResults({ approvals: { remove: true } });

    const error = await rejectionOf(agent.run('Go.', { deferredToolHandler: handler }));

    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toMatch(
      /no decision or result for 'move' \(move\), 'paint' \(paint\)\. No pending call/,
    );
    expect(String(error)).not.toContain("'remove'");
    expect(shop.effects).toEqual([]);
  });

  it.each([undefined, null, new DeferredToolResults()])(
    'resolves nothing with %s, which is a UserError',
    async (nothing) => {
      const shop = workshop();
      const agent = agentIn(shop, [batch]);

      const error = await rejectionOf(agent.run('Go.', { deferredToolHandler: () => nothing }));

      expect(error).toBeInstanceOf(UserError);
      expect(String(error)).toContain("'remove'");
      expect(shop.effects).toEqual([]);
    },
  );

  it('of the run replaces the handler of the agent', async () => {
    const shop = workshop();
    const ofAgent = watching(approveEverything);
    const ofRun = watching(approveEverything);
    const agent = agentIn(shop, [batch, says('Done.'), batch, says('Done.')], {
      deferredToolHandler: ofAgent.watched,
    });

    await agent.run('Go.', { deferredToolHandler: ofRun.watched });
    expect(ofAgent.requested).toEqual([]);
    expect(ofRun.requested).toHaveLength(1);

    await agent.run('Go.');
    expect(ofAgent.requested).toHaveLength(1);
    expect(ofRun.requested).toHaveLength(1);
  });

  it('receives the calls that the capabilities left pending', async () => {
    const shop = workshop();
    const first = watching(() => new DeferredToolResults({ approvals: { remove: true } }));
    const second = watching(() => undefined);
    const last = watching(approveEverything);

    const result = await agentIn(shop, [batch, says('Done.')], {
      capabilities: [handleDeferredToolCalls(first.watched)],
    }).run('Go.', {
      capabilities: [handleDeferredToolCalls(second.watched)],
      deferredToolHandler: last.watched,
    });

    expect(first.requested).toEqual([['move', 'paint', 'remove']]);
    expect(second.requested).toEqual([['move', 'paint']]);
    expect(last.requested).toEqual([['move', 'paint']]);
    expect(result.output).toBe('Done.');
    expect(shop.ran().toSorted()).toEqual(['move b', 'remove a']);
  });

  it('is not called if the capabilities leave no call pending', async () => {
    const shop = workshop();
    const last = watching(approveEverything);

    await agentIn(shop, [batch, says('Done.')]).run('Go.', {
      capabilities: [handleDeferredToolCalls(approveEverything)],
      deferredToolHandler: last.watched,
    });

    expect(last.requested).toEqual([]);
  });

  it('may be absent: the run then parks on the calls that the capabilities left pending', async () => {
    const shop = workshop();

    const parked = await expectParked(
      agentIn(shop, [batch]).run('Go.', { capabilities: [handleDeferredToolCalls(approveAll())] }),
    );

    expect(shop.ran().toSorted()).toEqual(['move b', 'remove a']);
    expect(idsOf(parked.output.calls)).toEqual(['paint']);
    expect(parked.output.approvals).toEqual([]);

    const agent = new Agent({
      model: scriptedModel(batch),
      tools: [shop.remove, shop.move],
      toolsets: [shop.paint],
      capabilities: [handleDeferredToolCalls(denyAll())],
    });
    const error = await rejectionOf(agent.run('Go.'));
    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toContain("'paint'");
  });

  it('is called once per response, with all pending calls', async () => {
    const shop = workshop();
    const { requested, watched } = watching(approveEverything);
    const second = responds(
      calls('move', { path: 'c' }, { id: 'm2' }),
      calls('read', { path: 'd' }, { id: 'r2' }),
    );

    await agentIn(shop, [batch, second, says('Done.')]).run('Go.', {
      deferredToolHandler: watched,
    });

    expect(requested).toEqual([['move', 'paint', 'remove'], ['m2']]);
  });

  describe('an approved call that defers again', () => {
    const stubborn = tool({
      name: 'stubborn',
      execute(_, ctx) {
        if (ctx.toolCallApproved) throw new CallDeferred({ stage: 2 });
        throw new ApprovalRequired({ stage: 1 });
      },
    });
    const script = () => [
      responds(calls('stubborn', {}, { id: 's' }), calls('remove', { path: 'a' }, { id: 'r' })),
      says('Done.'),
    ];

    it.each(ways)('parks the run without calling the handler again ($way)', async (way) => {
      const shop = workshop();
      const { requested, watched } = watching(approveEverything);
      const agent = agentIn(shop, script(), { tools: [stubborn, shop.remove] });

      const parked = await expectParked(agent.run('Go.', { deferredToolHandler: watched }));

      expect(requested).toEqual([['r', 's']]);
      expect(shop.ran()).toEqual(['remove a']);
      expect(idsOf(parked.output.calls)).toEqual(['s']);
      expect(parked.output.metadata).toEqual({ s: { stage: 2 } });
      expect(parked.messages.at(-1)?.parts).toMatchObject([{ toolCallId: 'r' }]);

      const results = parked.output.buildResults({ calls: { s: 'at last' } });
      const finished = await agent.run(undefined, {
        messageHistory: way.messages(parked.messages),
        deferredToolResults: way.results(results),
      });
      expect(finished.output).toBe('Done.');
      expect(shop.ran()).toEqual(['remove a']);
    });

    it('is a UserError without DeferredToolRequests among the outputs, and keeps the executed results', async () => {
      const shop = workshop();
      const agent = new Agent({
        model: scriptedModel(...script()),
        tools: [stubborn, shop.remove],
      });
      const steps = agent.iter('Go.', { deferredToolHandler: approveEverything });

      const error = await rejectionOf(drain(steps));

      expect(error).toBeInstanceOf(UserError);
      expect(String(error)).toContain("'s'");
      expect(String(error)).not.toContain("'r'");
      expect(steps.messages.at(-1)).toMatchObject({
        state: 'interrupted',
        parts: [{ toolCallId: 'r', outcome: 'success' }],
      });
      const rest = new DeferredToolResults({ calls: { s: 1 } });
      const finished = await agent.resume(steps, rest, { output: [String, DeferredToolRequests] });
      expect(finished.output).toBe('Done.');
      expect(shop.ran()).toEqual(['remove a']);
    });
  });
});
