import {
  ApprovalRequired,
  CallDeferred,
  DeferredToolResults,
  type Message,
  requestsFromMessages,
  tool,
  UserError,
} from 'holdpoint';
import { calls, type ResponseItem, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { lastPartsOf, problemsOf, sentTo } from '../../packages/core/test/support/conversation.ts';
import {
  agentIn,
  expectParked,
  ways,
  workshop,
} from '../../packages/core/test/support/deferral.ts';
import { historyOf, idsOf, responseWith } from '../../packages/core/test/support/histories.ts';
import { crashes, flakyTool, twoStages } from '../../packages/core/test/support/deferral-tools.ts';
import { drain, rejectionOf } from '../../packages/core/test/support/latch.ts';
import { untyped } from '../../packages/core/test/support/untyped.ts';

describe.each(ways)('new prompt for a parked run ($way)', (way) => {
  async function parkedOn(script: readonly ResponseItem[]) {
    const shop = workshop();
    const parked = await expectParked(agentIn(shop, [responds(...script)]).run('Go.'));
    return { shop, messageHistory: way.messages(parked.messages) };
  }
  const alone = [calls('remove', { path: 'a' }, { id: 'r' })] as const;
  const withSibling = [calls('read', { path: 'b' }, { id: 'b' }), ...alone] as const;

  it.each([
    ['whose calls all wait', alone],
    ['with a sibling that ran', withSibling],
  ])('is rejected by default: a response %s', async (_, script) => {
    const { shop, messageHistory } = await parkedOn(script);
    const before = shop.effects.length;

    for (const onPendingCalls of [undefined, 'error'] as const) {
      const model = scriptedModel(says('Hi.'));
      const error = await rejectionOf(
        agentIn(shop, []).run('Hello?', { model, messageHistory, onPendingCalls }),
      );
      expect(error).toBeInstanceOf(UserError);
      expect(String(error)).toContain("'r' (remove)");
      expect(model.calls).toEqual([]);
    }
    expect(shop.effects).toHaveLength(before);
  });

  it.each([
    ['whose calls all wait', alone],
    ['with a sibling that ran', withSibling],
  ])("cancels the calls with 'cancel': a response %s", async (_, script) => {
    const { shop, messageHistory } = await parkedOn(script);
    const before = shop.effects.length;
    const model = scriptedModel(says('Never mind.'), says('Fine.'));
    const agent = agentIn(shop, []);

    const result = await agent.run('Hello?', { model, messageHistory, onPendingCalls: 'cancel' });

    expect(result.output).toBe('Never mind.');
    expect(shop.effects).toHaveLength(before);
    expect(problemsOf(sentTo(model))).toEqual([]);
    const closed = result.messages.flatMap((message): readonly unknown[] => message.parts);
    expect(closed).toContainEqual(
      expect.objectContaining({ kind: 'tool-return', toolCallId: 'r', outcome: 'interrupted' }),
    );
    expect(result.newMessages.at(0)?.parts).toMatchObject([{ content: 'Hello?' }]);

    // A cancelled call has its result in the history, so a late decision is rejected.
    expect(requestsFromMessages(way.messages(result.messages))).toBeUndefined();
    const late = new DeferredToolResults({ approvals: { r: true } });
    const history = way.messages(result.messages);
    await rejectionOf(agent.run(undefined, { messageHistory: history, deferredToolResults: late }));
    expect(shop.effects).toHaveLength(before);
    await agent.run('Go on.', { model, messageHistory: history });
    expect(problemsOf(sentTo(model, 1))).toEqual([]);
  });

  it('cancels nothing for an unknown option', async () => {
    const { shop, messageHistory } = await parkedOn(alone);
    const model = scriptedModel(says('Hi.'));

    const error = await rejectionOf(
      agentIn(shop, []).run('Hello?', {
        model,
        messageHistory,
        onPendingCalls: untyped<'error'>('ask'),
      }),
    );

    expect(error).toBeInstanceOf(UserError);
    expect(model.calls).toEqual([]);
  });

  it('does not prevent tool results, which take precedence', async () => {
    const { shop, messageHistory } = await parkedOn(alone);

    const result = await agentIn(shop, [says('Done.')]).run('Hello?', {
      messageHistory,
      deferredToolResults: new DeferredToolResults({ approvals: { r: true } }),
      onPendingCalls: 'cancel',
    });

    expect(result.output).toBe('Done.');
    expect(shop.ran()).toEqual(['remove a']);
  });

  it('cancels calls that a crash left pending, without the option', async () => {
    const shop = workshop();
    const agent = agentIn(
      shop,
      [
        responds(
          calls('read', { path: 'a' }, { id: 'a' }),
          calls('crashes', {}, { id: 'c' }),
          calls('remove', { path: 'b' }, { id: 'r' }),
        ),
      ],
      { tools: [shop.read, shop.remove, crashes] },
    );
    const steps = agent.iter('Go.', { parallelMode: 'sequential' });
    await rejectionOf(drain(steps));
    expect(steps.messages.at(-1)).toMatchObject({ state: 'interrupted' });
    const model = scriptedModel(says('Sorry.'));

    const result = await agent.run('What happened?', {
      model,
      messageHistory: way.messages(steps.messages),
    });

    expect(result.output).toBe('Sorry.');
    const sent = sentTo(model);
    expect(problemsOf(sent)).toEqual([]);
    expect(lastPartsOf(sent)).toMatchObject([
      { toolCallId: 'a', outcome: 'success' },
      { toolCallId: 'c', outcome: 'interrupted' },
      { toolCallId: 'r', outcome: 'interrupted' },
      { content: 'What happened?' },
    ]);
    expect(shop.ran()).toEqual(['read a']);
  });

  it('cancels calls of an interrupted response, without the option', async () => {
    const shop = workshop();
    const cut: Message = {
      ...responseWith([{ toolName: 'remove', toolCallId: 'r', args: { path: 'a' } }]),
      state: 'interrupted',
    };
    const model = scriptedModel(says('Sorry.'));

    await agentIn(shop, []).run('Hello?', {
      model,
      messageHistory: way.messages(historyOf(cut)),
    });

    expect(problemsOf(sentTo(model))).toEqual([]);
    expect(shop.effects).toEqual([]);
  });

  it('cancels pending calls of earlier responses, without the option', async () => {
    const shop = workshop();
    const up = responseWith([{ toolName: 'remove', toolCallId: 'r', args: { path: 'a' } }]);
    const text: Message = { kind: 'response', parts: [{ kind: 'text', content: 'Well.' }] };
    const model = scriptedModel(says('Sorry.'));

    await agentIn(shop, []).run('Hello?', {
      model,
      messageHistory: way.messages(historyOf(up, text)),
    });

    expect(problemsOf(sentTo(model))).toEqual([]);
    expect(shop.effects).toEqual([]);
  });

  it('is rejected for a run that crashed, was resumed and parked again', async () => {
    const shop = workshop();
    const { flaky, mend } = flakyTool();
    const agent = agentIn(
      shop,
      [
        responds(
          calls('two_stages', {}, { id: 't' }),
          calls('flaky', {}, { id: 'f' }),
          calls('remove', { path: 'a' }, { id: 'r' }),
        ),
      ],
      { tools: [twoStages, flaky, shop.remove] },
    );
    const first = await expectParked(agent.run('Go.'));
    const denied = first.output.buildResults({ approvals: { r: false }, approveAll: true });
    const crashed = agent.iter(undefined, {
      messageHistory: first.messages,
      deferredToolResults: denied,
    });
    await rejectionOf(drain(crashed));
    mend();
    const parked = await expectParked(
      agent.run(undefined, {
        messageHistory: way.messages(crashed.messages),
        deferredToolResults: new DeferredToolResults({ approvals: { t: true, f: true } }),
      }),
    );
    expect(idsOf(parked.output.calls)).toEqual(['t']);

    // The request that this run added is complete: the run was not interrupted, it waits for the
    // handler.
    const error = await rejectionOf(
      agent.run('Hello?', {
        model: scriptedModel(says('Hi.')),
        messageHistory: way.messages(parked.messages),
      }),
    );

    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toContain("'t' (two_stages)");
  });

  it.each(['two phases', 'inline'])(
    'is rejected even if the parked run added nothing else (%s)',
    async (first) => {
      const shop = workshop();
      let tries = 0;
      const slow = tool({
        name: 'slow',
        execute(_, ctx) {
          if (!ctx.toolCallApproved) throw new ApprovalRequired();
          tries += 1;
          if (tries === 1) throw new Error('crash');
          throw new CallDeferred({ job: 7 });
        },
      });
      const script = [
        responds(calls('slow', {}, { id: 's' }), calls('remove', { path: 'a' }, { id: 'r' })),
      ];
      const agent = agentIn(shop, script, { tools: [slow, shop.remove] });
      const decisions = new DeferredToolResults({ approvals: { s: true, r: false } });
      const start = async () => {
        if (first === 'inline') return agent.iter('Go.', { deferredToolHandler: () => decisions });
        const { messages } = await expectParked(agent.run('Go.'));
        return agent.iter(undefined, { messageHistory: messages, deferredToolResults: decisions });
      };
      const crashed = await start();
      await rejectionOf(drain(crashed));
      expect(crashed.messages.at(-1)).toMatchObject({ state: 'interrupted' });

      const parked = await expectParked(
        agent.run(undefined, {
          messageHistory: way.messages(crashed.messages),
          deferredToolResults: new DeferredToolResults({ approvals: { s: true } }),
        }),
      );
      expect(idsOf(parked.output.calls)).toEqual(['s']);
      const error = await rejectionOf(
        agent.run('Hello?', {
          model: scriptedModel(says('Hi.')),
          messageHistory: way.messages(parked.messages),
        }),
      );

      expect(error).toBeInstanceOf(UserError);
      expect(String(error)).toContain("'s' (slow)");
      expect(requestsFromMessages(way.messages(parked.messages))).toEqual(parked.output);
    },
  );
});
