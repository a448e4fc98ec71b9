import { ApprovalRequired, CallDeferred, DeferredToolResults, tool, ToolDenied } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { lastPartsOf, problemsOf, sentTo } from '../../packages/core/test/support/conversation.ts';
import {
  agentIn,
  expectParked,
  ways,
  workshop,
} from '../../packages/core/test/support/deferral.ts';

/** A tool that wants approval, then a result from elsewhere. */
const twoStages = tool({
  name: 'two_stages',
  execute(_, ctx) {
    if (ctx.toolCallApproved) throw new CallDeferred({ stage: 2 });
    throw new ApprovalRequired({ stage: 1 });
  },
});

/** A tool that never has enough. */
const insists = tool({
  name: 'insists',
  execute(_, ctx) {
    throw new ApprovalRequired({ round: ctx.toolCallApproved ? 'again' : 'first' });
  },
});

describe.each(ways)(
  'prompt given with results, when the resumed step defers again ($way)',
  (way) => {
    const prompt = 'And be quick.';

    it('is the last part of the trailing request', async () => {
      const shop = workshop();
      const script = [
        responds(calls('two_stages', {}, { id: 't' }), calls('remove', { path: 'a' }, { id: 'r' })),
      ];
      const agent = agentIn(shop, script, { tools: [twoStages, shop.remove] });
      const first = await expectParked(agent.run('Go.'));
      const results = first.output.buildResults({ approveAll: true });

      const second = await expectParked(
        agent.run(prompt, {
          messageHistory: way.messages(first.messages),
          deferredToolResults: way.results(results),
        }),
      );

      expect(second.newMessages).toHaveLength(1);
      expect(second.newMessages[0]?.parts).toMatchObject([
        { kind: 'tool-return', toolCallId: 'r' },
        { kind: 'user-prompt', content: prompt },
      ]);

      const model = scriptedModel(says('Done.'));
      const finished = await agentIn(shop, []).run(undefined, {
        model,
        messageHistory: way.messages(second.messages),
        deferredToolResults: way.results(second.output.buildResults({ calls: { t: 'late' } })),
      });
      expect(finished.output).toBe('Done.');
      const sent = sentTo(model);
      expect(problemsOf(sent)).toEqual([]);
      expect(lastPartsOf(sent)).toMatchObject([
        { kind: 'tool-return', toolCallId: 'r' },
        { kind: 'tool-return', toolCallId: 't', content: 'late' },
        { kind: 'user-prompt', content: prompt },
      ]);
    });

    it('is a request of its own if no sibling finished, and later prompts come after it', async () => {
      const shop = workshop();
      const agent = agentIn(shop, [calls('insists', {}, { id: 'i' })], { tools: [insists] });
      const first = await expectParked(agent.run('Go.'));

      const second = await expectParked(
        agent.run(prompt, {
          messageHistory: way.messages(first.messages),
          deferredToolResults: way.results(first.output.buildResults({ approveAll: true })),
        }),
      );

      expect(second.newMessages).toHaveLength(1);
      expect(second.newMessages[0]?.parts).toEqual([{ kind: 'user-prompt', content: prompt }]);
      expect(second.output.metadata).toEqual({ i: { round: 'again' } });

      const model = scriptedModel(says('Done.'));
      const denied = new DeferredToolResults({ approvals: { i: new ToolDenied('Enough.') } });
      const finished = await agent.run('Are you done?', {
        model,
        messageHistory: way.messages(second.messages),
        deferredToolResults: way.results(denied),
      });
      expect(finished.output).toBe('Done.');
      const sent = sentTo(model);
      expect(problemsOf(sent)).toEqual([]);
      expect(lastPartsOf(sent)).toMatchObject([
        { kind: 'tool-return', toolCallId: 'i', outcome: 'denied' },
        { kind: 'user-prompt', content: prompt },
        { kind: 'user-prompt', content: 'Are you done?' },
      ]);
    });

    it('stays the last part when a handler resolves the calls that deferred again', async () => {
      const shop = workshop();
      const script = [
        responds(calls('two_stages', {}, { id: 't' }), calls('remove', { path: 'a' }, { id: 'r' })),
      ];
      const agent = agentIn(shop, script, { tools: [twoStages, shop.remove] });
      const first = await expectParked(agent.run('Go.'));
      const model = scriptedModel(says('Done.'));

      await agent.run(prompt, {
        model,
        messageHistory: way.messages(first.messages),
        deferredToolResults: way.results(first.output.buildResults({ approveAll: true })),
        deferredToolHandler: () => new DeferredToolResults({ calls: { t: 'at once' } }),
      });

      expect(lastPartsOf(sentTo(model))).toMatchObject([
        { toolCallId: 'r' },
        { toolCallId: 't', content: 'at once' },
        { kind: 'user-prompt', content: prompt },
      ]);
    });
  },
);
