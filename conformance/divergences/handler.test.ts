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

/** A handler that writes down what it is asked. */
function watching(handler: DeferredToolHandler) {
  const asked: string[][] = [];
  const watched: DeferredToolHandler = (requests, ctx) => {
    asked.push([...idsOf(requests.approvals), ...idsOf(requests.calls)].toSorted());
    return handler(requests, ctx);
  };
  return { asked, watched };
}

const answerAll: DeferredToolHandler = (requests) =>
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

  it('of the run replaces that of the agent', async () => {
    const shop = workshop();
    const ofAgent = watching(answerAll);
    const ofRun = watching(answerAll);
    const agent = agentIn(shop, [batch, says('Done.'), batch, says('Done.')], {
      deferredToolHandler: ofAgent.watched,
    });

    await agent.run('Go.', { deferredToolHandler: ofRun.watched });
    expect(ofAgent.asked).toEqual([]);
    expect(ofRun.asked).toHaveLength(1);

    await agent.run('Go.');
    expect(ofAgent.asked).toHaveLength(1);
    expect(ofRun.asked).toHaveLength(1);
  });

  it('receives the calls that the capabilities leave pending, after them', async () => {
    const shop = workshop();
    const first = watching(() => new DeferredToolResults({ approvals: { remove: true } }));
    const second = watching(() => undefined);
    const last = watching(answerAll);

    const result = await agentIn(shop, [batch, says('Done.')], {
      capabilities: [handleDeferredToolCalls(first.watched)],
    }).run('Go.', {
      capabilities: [handleDeferredToolCalls(second.watched)],
      deferredToolHandler: last.watched,
    });

    expect(first.asked).toEqual([['move', 'paint', 'remove']]);
    expect(second.asked).toEqual([['move', 'paint']]);
    expect(last.asked).toEqual([['move', 'paint']]);
    expect(result.output).toBe('Done.');
    expect(shop.ran().toSorted()).toEqual(['move b', 'remove a']);
  });

  it('is not called if the capabilities leave no call pending', async () => {
    const shop = workshop();
    const last = watching(answerAll);

    await agentIn(shop, [batch, says('Done.')]).run('Go.', {
      capabilities: [handleDeferredToolCalls(answerAll)],
      deferredToolHandler: last.watched,
    });

    expect(last.asked).toEqual([]);
  });

  it('may be absent: then what the capabilities leave bubbles up', async () => {
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
    const { asked, watched } = watching(answerAll);
    const second = responds(
      calls('move', { path: 'c' }, { id: 'm2' }),
      calls('read', { path: 'd' }, { id: 'r2' }),
    );

    await agentIn(shop, [batch, second, says('Done.')]).run('Go.', {
      deferredToolHandler: watched,
    });

    expect(asked).toEqual([['move', 'paint', 'remove'], ['m2']]);
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
      const { asked, watched } = watching(answerAll);
      const agent = agentIn(shop, script(), { tools: [stubborn, shop.remove] });

      const parked = await expectParked(agent.run('Go.', { deferredToolHandler: watched }));

      expect(asked).toEqual([['r', 's']]);
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

    it('is a UserError without DeferredToolRequests among the outputs, and what ran is kept', async () => {
      const shop = workshop();
      const agent = new Agent({
        model: scriptedModel(...script()),
        tools: [stubborn, shop.remove],
      });
      const steps = agent.iter('Go.', { deferredToolHandler: answerAll });

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
