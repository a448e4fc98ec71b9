import type { DeferredToolResults } from 'holdpoint';
import {
  Agent,
  ApprovalRequired,
  CallDeferred,
  DeferredToolRequests,
  messageCodec,
  ModelRetry,
  requestsCodec,
  requestsFromMessages,
  resultsCodec,
  tool,
  ToolDenied,
  ToolFailed,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { lastPartsOf, problemsOf, sentTo } from '../../support/conversation.ts';
import { agentIn, expectParked, ways, workshop } from '../../support/deferral.ts';
import { idsOf } from '../../support/histories.ts';
import { flakyTool } from '../../support/deferral-tools.ts';
import { drain, rejectionOf } from '../../support/latch.ts';
import { present } from '../../support/present.ts';

const mixed = responds(
  'One moment.',
  calls('remove', { path: 'a' }, { id: 'remove' }),
  calls('read', { path: 'b' }, { id: 'read' }),
  calls('paint', { color: 'red' }, { id: 'paint' }),
  calls('move', { path: 'c' }, { id: 'move' }),
  calls('render', { path: 'd' }, { id: 'render' }),
);

describe('a mixed batch', () => {
  it('parks on external and unapproved calls after the others executed', async () => {
    const shop = workshop();

    const parked = await expectParked(agentIn(shop, [mixed]).run('Go.'));

    // Calls that threw a signal come first, then calls that are always deferred.
    expect(idsOf(parked.output.approvals)).toEqual(['move', 'remove']);
    expect(idsOf(parked.output.calls)).toEqual(['render', 'paint']);
    expect(parked.output.metadata).toEqual({ move: { reason: 'protected' }, render: { job: 7 } });
    expect(shop.ran()).toEqual(['read b']);
    expect(parked.messages.at(-1)?.parts).toMatchObject([
      { kind: 'tool-return', toolCallId: 'read', content: 'read b: done' },
    ]);
  });

  it.each(ways)('resumes with the results, in call order, in one request ($way)', async (way) => {
    const shop = workshop();
    const parked = await expectParked(agentIn(shop, [mixed]).run('Go.'));
    const model = scriptedModel(says('Done.'));
    const results = parked.output.buildResults({
      approvals: { move: true, remove: new ToolDenied('Keep it.') },
      calls: { paint: { painted: true }, render: new ToolFailed('Out of ink.') },
      metadata: { move: { by: 'anna' } },
    });

    const finished = await agentIn(shop, []).run(undefined, {
      model,
      messageHistory: way.messages(parked.messages),
      deferredToolResults: way.results(results),
    });

    expect(finished).toMatchObject({ status: 'finished', output: 'Done.' });
    expect(shop.effects.slice(1)).toEqual([
      { tool: 'move', path: 'c', approved: true, metadata: { by: 'anna' } },
    ]);
    expect(finished.newMessages).toHaveLength(2);
    expect(finished.newMessages[0]?.parts).toMatchObject([
      { toolCallId: 'remove', outcome: 'denied', content: 'Keep it.' },
      { toolCallId: 'paint', outcome: 'success', content: { painted: true } },
      { toolCallId: 'move', outcome: 'success', content: 'move c: done' },
      { toolCallId: 'render', outcome: 'failed', content: 'Out of ink.' },
    ]);
    expect(problemsOf(sentTo(model))).toEqual([]);
  });

  it('parks even if a sibling has to be retried', async () => {
    const shop = workshop();
    const picky = tool({
      name: 'picky',
      execute: () => {
        throw new ModelRetry('Try harder.');
      },
    });
    const script = [
      responds(
        calls('picky', {}, { id: 'p' }),
        calls('unknown', {}, { id: 'u' }),
        calls('remove', { path: 'a' }, { id: 'r' }),
      ),
    ];

    const parked = await expectParked(
      agentIn(shop, script, { tools: [picky, shop.remove] }).run('Go.'),
    );

    expect(parked.messages.at(-1)?.parts).toMatchObject([
      { kind: 'retry-prompt', toolCallId: 'p' },
      { kind: 'retry-prompt', toolCallId: 'u' },
    ]);
    expect(idsOf(parked.output.approvals)).toEqual(['r']);
  });

  it('does not park if a sibling throws', async () => {
    const shop = workshop();
    const broken = tool({
      name: 'broken',
      execute: () => {
        throw new Error('broken');
      },
    });
    const script = [responds(calls('broken'), calls('remove', { path: 'a' }))];

    const error = await rejectionOf(
      agentIn(shop, script, { tools: [broken, shop.remove] }).run('Go.'),
    );

    expect(String(error)).toBe('Error: broken');
    expect(shop.effects).toEqual([]);
  });
});

describe('a resumed run', () => {
  it.each(ways)('parks repeatedly, in one step and in several ($way)', async (way) => {
    const shop = workshop();
    let executions = 0;
    const thrice = tool({
      name: 'thrice',
      execute(_, ctx) {
        executions += 1;
        if (executions === 1) throw new ApprovalRequired({ round: 1 });
        if (executions === 2)
          throw new ApprovalRequired({ round: 2, approved: ctx.toolCallApproved });
        throw new CallDeferred({ round: 3 });
      },
    });
    const script = [
      responds(calls('thrice', {}, { id: 't' }), calls('remove', { path: 'a' }, { id: 'r' })),
      calls('remove', { path: 'b' }, { id: 'r2' }),
      says('Done.'),
    ];
    const model = scriptedModel(...script);
    const agent = () => agentIn(shop, [], { tools: [thrice, shop.remove] });
    const go = (messages: Parameters<typeof way.messages>[0], results: DeferredToolResults) =>
      agent().run(undefined, {
        model,
        messageHistory: way.messages(messages),
        deferredToolResults: way.results(results),
      });

    const first = await expectParked(agent().run('Go.', { model }));
    expect(first.output.metadata).toEqual({ t: { round: 1 } });
    const second = await expectParked(
      go(first.messages, first.output.buildResults({ approveAll: true })),
    );
    expect(second.output.metadata).toEqual({ t: { round: 2, approved: true } });
    expect(shop.ran()).toEqual(['remove a']);
    const third = await expectParked(
      go(second.messages, second.output.buildResults({ approveAll: true })),
    );
    expect(idsOf(third.output.calls)).toEqual(['t']);
    const fourth = await expectParked(
      go(third.messages, third.output.buildResults({ calls: { t: 'ok' } })),
    );
    expect(idsOf(fourth.output.approvals)).toEqual(['r2']);
    const finished = await go(fourth.messages, fourth.output.buildResults({ approveAll: true }));

    expect(finished.output).toBe('Done.');
    expect(shop.ran()).toEqual(['remove a', 'remove b']);
    expect(model.calls).toHaveLength(3);
    for (const call of model.calls) expect(problemsOf(call.messages)).toEqual([]);
    expect(finished.usage.toolCalls).toBe(1);
  });

  it.each(ways)('merges requests of two earlier runs into one of neither ($way)', async (way) => {
    const shop = workshop();
    const stages = tool({
      name: 'stages',
      execute(_, ctx) {
        if (!ctx.toolCallApproved) throw new ApprovalRequired();
        throw new CallDeferred();
      },
    });
    const batch = responds(
      calls('stages', {}, { id: 's' }),
      calls('remove', { path: 'a' }, { id: 'r' }),
      calls('read', { path: 'b' }, { id: 'n' }),
    );
    const agent = agentIn(shop, [batch, says('Done.')], {
      tools: [stages, shop.remove, shop.read],
    });
    const first = await expectParked(agent.run('Go.'));
    const go = (messages: typeof first.messages, results: DeferredToolResults) =>
      agent.run(undefined, {
        messageHistory: way.messages(messages),
        deferredToolResults: way.results(results),
      });
    const second = await expectParked(
      go(first.messages, first.output.buildResults({ approveAll: true })),
    );

    const finished = await go(second.messages, second.output.buildResults({ calls: { s: 1 } }));

    const [, response, merged, last] = finished.messages;
    expect(merged?.parts).toMatchObject([{ toolCallId: 'n' }, { toolCallId: 'r' }]);
    expect(merged).not.toHaveProperty('runId');
    expect(merged).not.toHaveProperty('conversationId');
    expect(last).toMatchObject({ parts: [{ toolCallId: 's' }], runId: finished.runId });
    expect(finished.conversationId).toBe(response?.conversationId);
  });

  it('may be in another process, which receives JSON text', async () => {
    const here = workshop();
    const sender = agentIn(here, [mixed]);
    const first = await expectParked(sender.run('Go.', { conversationId: 'talk' }));
    const stored = {
      messages: messageCodec.stringify(first.messages),
      requests: requestsCodec.stringify(first.output),
    };

    // The page of the approver has only the requests.
    const shown = requestsCodec.parse(stored.requests);
    expect(shown).toEqual(first.output);
    const storedResults = resultsCodec.stringify(
      shown.buildResults({ approveAll: true, calls: { paint: 1, render: 2 } }),
    );

    const there = workshop();
    const messages = messageCodec.parse(stored.messages);
    expect(requestsFromMessages(messages)).toEqual(shown);
    const finished = await agentIn(there, [says('Done.')]).resume(
      { messages },
      resultsCodec.parse(storedResults),
    );

    expect(finished).toMatchObject({ output: 'Done.', conversationId: 'talk' });
    expect(finished.runId).not.toBe(first.runId);
    expect(here.ran()).toEqual(['read b']);
    expect(there.ran().toSorted()).toEqual(['move c', 'remove a']);
  });

  it('provides the context that a tool needs', async () => {
    const seen: unknown[] = [];
    const look = tool({
      name: 'look',
      requiresApproval: true,
      execute(_, ctx) {
        const { toolCallApproved, toolCallMetadata, runStep, prompt, toolCallId } = ctx;
        seen.push({ toolCallApproved, toolCallMetadata, runStep, prompt, toolCallId });
        return 'seen';
      },
    });
    const script = [calls('look', {}, { id: 'l' }), says('Done.')];
    const agent = agentIn(workshop(), script, { tools: [look] });
    const parked = await expectParked(agent.run('Go.'));

    const metadata = { l: { by: 'anna' } };
    const results = parked.output.buildResults({ approveAll: true, metadata });
    await agent.resume(parked, results, { prompt: 'Hurry.' });

    expect(seen).toEqual([
      {
        toolCallApproved: true,
        toolCallMetadata: { by: 'anna' },
        runStep: 0,
        prompt: 'Hurry.',
        toolCallId: 'l',
      },
    ]);
  });

  it('accepts a prompt, which follows the results', async () => {
    const shop = workshop();
    const model = scriptedModel(mixed, says('Done.'));
    const agent = agentIn(shop, []);
    const parked = await expectParked(agent.run('Go.', { model }));
    const results = parked.output.buildResults({
      approveAll: true,
      calls: { paint: 1, render: 2 },
    });

    const finished = await agent.resume(parked, results, { model, prompt: 'And then?' });

    expect(lastPartsOf(sentTo(model, 1)).at(-1)).toMatchObject({ content: 'And then?' });
    expect(finished.newMessages[0]?.parts.at(-1)).toMatchObject({ content: 'And then?' });
  });

  it('passes on the options of resume, and parks if its outputs allow it', async () => {
    const shop = workshop();
    const agent = new Agent({ tools: [shop.remove] });
    const parked = await expectParked(
      agent.run('Go.', {
        model: scriptedModel(calls('remove', { path: 'a' }, { id: 'r' })),
        output: [String, DeferredToolRequests],
      }),
    );
    const results = parked.output.buildResults({ approveAll: true });

    const finished = await agent.resume(parked, results, {
      model: scriptedModel(calls('final_result', { n: 1 })),
      output: z.object({ n: z.number() }),
      runId: 'second',
      instructions: 'Be brief.',
    });

    expect(finished.output.n).toBe(1);
    expect(finished.runId).toBe('second');
    expect(finished.newMessages[0]).toMatchObject({ instructions: 'Be brief.' });
    expect(shop.ran()).toEqual(['remove a']);
  });

  it('streams and iterates from tool results', async () => {
    const shop = workshop();
    const parked = await expectParked(agentIn(shop, [mixed]).run('Go.'));
    const results = parked.output.buildResults({
      approvals: { move: true, remove: false },
      calls: { paint: 1, render: 2 },
    });
    const options = { messageHistory: parked.messages, deferredToolResults: results };
    const events: string[] = [];
    const steps: string[] = [];

    for await (const event of agentIn(shop, [says('Done.')]).stream(undefined, options)) {
      if (event.kind === 'tool-call') events.push(`${event.part.toolCallId}: ${event.argsValid}`);
      else if (event.kind === 'tool-result') events.push(event.part.toolCallId);
    }
    for await (const step of agentIn(shop, [says('Done.')]).iter(undefined, options)) {
      steps.push(step.kind);
    }

    expect(events.slice(0, 4)).toEqual([
      'remove: undefined',
      'paint: undefined',
      'move: true',
      'render: undefined',
    ]);
    expect(events.slice(4).toSorted()).toEqual(['move', 'paint', 'remove', 'render']);
    expect(steps).toEqual(['apply-results', 'request-model', 'call-tools', 'finished']);
  });

  it('keeps finished calls when an approved call throws, and continues with the rest', async () => {
    const shop = workshop();
    const { flaky, mend } = flakyTool();
    const batch = responds(
      calls('remove', { path: 'a' }, { id: 'r' }),
      calls('flaky', {}, { id: 'f' }),
      calls('paint', {}, { id: 'p' }),
    );
    const agent = agentIn(shop, [batch, says('Done.')], { tools: [shop.remove, flaky] });
    const parked = await expectParked(agent.run('Go.'));
    const steps = agent.iter(undefined, {
      parallelMode: 'sequential',
      messageHistory: parked.messages,
      deferredToolResults: parked.output.buildResults({ approveAll: true, calls: { p: 1 } }),
    });

    await rejectionOf(drain(steps));
    expect(steps.messages.at(-1)).toMatchObject({
      state: 'interrupted',
      parts: [{ toolCallId: 'r' }, { toolCallId: 'p' }],
    });

    mend();
    const rest = present(requestsFromMessages(steps.messages));
    expect(idsOf(rest.approvals)).toEqual(['f']);
    const finished = await agent.resume(steps, rest.buildResults({ approveAll: true }));
    expect(finished.output).toBe('Done.');
    expect(shop.ran()).toEqual(['remove a']);
  });
});
