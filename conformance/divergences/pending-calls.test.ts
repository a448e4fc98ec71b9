import { approveAll, type Message, type RunContext, tool } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { lastPartsOf, problemsOf, sentTo } from '../../packages/core/test/support/conversation.ts';
import {
  agentIn,
  expectParked,
  ways,
  workshop,
} from '../../packages/core/test/support/deferral.ts';
import { historyOf, idsOf, responseWith } from '../../packages/core/test/support/histories.ts';
import { crashes } from '../../packages/core/test/support/deferral-tools.ts';
import { drain, rejectionOf } from '../../packages/core/test/support/latch.ts';

describe.each(ways)('history with pending calls, no prompt, no results ($way)', (way) => {
  it('defers the calls again, also after a sibling executed', async () => {
    const shop = workshop();
    const script = [
      responds(
        calls('read', { path: 'a' }, { id: 'a' }),
        calls('remove', { path: 'b' }, { id: 'r' }),
        calls('move', { path: 'c' }, { id: 'm' }),
        calls('paint', {}, { id: 'p' }),
        calls('render', { path: 'd' }, { id: 'd' }),
      ),
    ];
    const first = await expectParked(agentIn(shop, script).run('Go.'));

    const again = await expectParked(
      agentIn(shop, []).run(undefined, { messageHistory: way.messages(first.messages) }),
    );

    expect(again.output.approvals).toEqual(first.output.approvals);
    expect(again.output.calls).toEqual(first.output.calls);
    expect(again.output.metadata).toEqual(first.output.metadata);
    expect(again.messages).toEqual(first.messages);
    expect(again.newMessages).toEqual([]);
    expect(shop.ran()).toEqual(['read a']);
  });

  it('calls the handler with the pending calls', async () => {
    const shop = workshop();
    const script = [responds(calls('read', { path: 'a' }), calls('remove', { path: 'b' }))];
    const first = await expectParked(agentIn(shop, script).run('Go.'));

    const result = await agentIn(shop, [says('Done.')]).run(undefined, {
      messageHistory: way.messages(first.messages),
      deferredToolHandler: approveAll(),
    });

    expect(result.output).toBe('Done.');
    expect(shop.ran()).toEqual(['read a', 'remove b']);
  });

  it('executes the calls of a history made by hand, and defers those that defer', async () => {
    const shop = workshop();
    const made = responseWith([
      { toolName: 'read', toolCallId: 'a', args: { path: 'a' } },
      { toolName: 'move', toolCallId: 'm', args: { path: 'b' } },
      { toolName: 'remove', toolCallId: 'r', args: { path: 'c' } },
    ]);

    const parked = await expectParked(
      agentIn(shop, []).run(undefined, { messageHistory: way.messages(historyOf(made)) }),
    );

    expect(idsOf(parked.output.approvals)).toEqual(['m', 'r']);
    expect(shop.ran()).toEqual(['read a']);
  });

  it('stays parked on the recorded deferrals, even if the policy is gone', async () => {
    const shop = workshop();
    const script = [responds(calls('remove', { path: 'a' }, { id: 'r' }))];
    const first = await expectParked(agentIn(shop, script).run('Go.'));
    const free = tool({
      name: 'remove',
      execute: (args, ctx: RunContext) => shop.work('remove')(args as { path: string }, ctx),
    });

    const again = await expectParked(
      agentIn(shop, [], { tools: [free] }).run(undefined, {
        messageHistory: way.messages(first.messages),
      }),
    );

    expect(idsOf(again.output.approvals)).toEqual(['r']);
    expect(shop.effects).toEqual([]);
  });

  it('after an interruption cancels the others as well if a prompt was added by hand', async () => {
    const shop = workshop();
    const open = responseWith([
      { toolName: 'read', toolCallId: 'a', args: { path: 'a' } },
      { toolName: 'read', toolCallId: 'b', args: { path: 'b' } },
    ]);
    const interrupted: Message = {
      kind: 'request',
      state: 'interrupted',
      parts: [
        { kind: 'tool-return', toolName: 'read', toolCallId: 'a', content: 1, outcome: 'success' },
      ],
    };
    const prompt: Message = { kind: 'request', parts: [{ kind: 'user-prompt', content: 'And?' }] };
    const model = scriptedModel(says('Sorry.'));

    await agentIn(shop, []).run(undefined, {
      model,
      messageHistory: way.messages(historyOf(open, interrupted, prompt)),
    });

    // It may have had its effect before the crash.
    expect(shop.effects).toEqual([]);
    expect(problemsOf(sentTo(model))).toEqual([]);
    expect(lastPartsOf(sentTo(model))).toMatchObject([
      { toolCallId: 'a', outcome: 'success' },
      { toolCallId: 'b', outcome: 'interrupted' },
      { content: 'And?' },
    ]);
  });

  it('after an interruption defers external and unapproved calls again and cancels the others', async () => {
    const shop = workshop();
    const tools = [shop.read, shop.remove, crashes];
    const script = [
      responds(
        calls('read', { path: 'a' }, { id: 'a' }),
        calls('crashes', {}, { id: 'c' }),
        calls('read', { path: 'b' }, { id: 'b' }),
        calls('remove', { path: 'c' }, { id: 'r' }),
        calls('paint', {}, { id: 'p' }),
      ),
    ];
    const crashed = agentIn(shop, script, { tools }).iter('Go.', { parallelMode: 'sequential' });
    await rejectionOf(drain(crashed));
    expect(crashed.messages.at(-1)?.state).toBe('interrupted');

    const parked = await expectParked(
      agentIn(shop, [], { tools }).run(undefined, {
        messageHistory: way.messages(crashed.messages),
      }),
    );

    expect(idsOf(parked.output.approvals)).toEqual(['r']);
    expect(idsOf(parked.output.calls)).toEqual(['p']);
    expect(shop.ran()).toEqual(['read a']);
    const results = parked.messages.flatMap((message): readonly unknown[] => message.parts);
    for (const id of ['c', 'b']) {
      expect(results).toContainEqual(
        expect.objectContaining({ toolCallId: id, outcome: 'interrupted' }),
      );
    }

    const finished = await agentIn(shop, [says('Done.')], { tools }).run(undefined, {
      messageHistory: way.messages(parked.messages),
      deferredToolResults: way.results(
        parked.output.buildResults({ approveAll: true, calls: { p: 1 } }),
      ),
    });
    expect(finished.output).toBe('Done.');
    expect(shop.ran()).toEqual(['read a', 'remove c']);
  });
});
