import { ExternalToolset, type Message, requestsFromMessages, UserError } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { problemsOf, sentTo } from '../../support/conversation.ts';
import { agentIn, ways, workshop } from '../../support/deferral.ts';
import { historyOf, idsOf, responseWith } from '../../support/histories.ts';
import { rejectionOf } from '../../support/latch.ts';
import { forge, good, parkedRun, rejectionMessage } from '../../support/hostile.ts';
import { present } from '../../support/present.ts';

describe.each(ways)('a hostile history ($way)', (way) => {
  it('with two parked steps accepts results for the last one only', async () => {
    const shop = workshop();
    const record = (id: string) => ({
      v: 1,
      step: id,
      open: { [id]: { kind: 'approval', details: { validatedArgs: { path: id, mode: 'soft' } } } },
    });
    const step = (id: string) =>
      responseWith([{ toolName: 'remove', toolCallId: id, args: { path: id } }], record(id));
    const messages = way.messages(historyOf(step('one'), step('two')));

    for (const decisions of [
      { approvals: { one: true } },
      { approvals: { one: true, two: true } },
      { approvals: { two: true }, calls: { one: 1 } },
    ]) {
      const error = await rejectionMessage(shop, messages, way.results(forge(decisions)));
      expect(error).toContain("'one'");
    }
    expect(idsOf(present(requestsFromMessages(messages)).approvals)).toEqual(['two']);

    const model = scriptedModel(says('Done.'));
    await agentIn(shop, []).run(undefined, {
      model,
      messageHistory: messages,
      deferredToolResults: way.results(forge({ approvals: { two: true } })),
    });
    expect(shop.ran()).toEqual(['remove two']);
    expect(problemsOf(sentTo(model))).toEqual([]);
  });

  it('with a second prompt after the parked step has no pending calls', async () => {
    const { shop, messages } = await parkedRun();
    const text: Message = { kind: 'response', parts: [{ kind: 'text', content: 'Hm.' }] };
    const prompt: Message = { kind: 'request', parts: [{ kind: 'user-prompt', content: 'Hi.' }] };
    const grown = way.messages([...messages, prompt, text]);

    const error = await rejectionMessage(shop, grown, way.results(forge(good)));

    expect(error).toMatch(/no call of the history is pending/);
  });

  it('without the parked response accepts no results', async () => {
    const { shop, messages } = await parkedRun();

    const error = await rejectionMessage(
      shop,
      way.messages(messages.slice(0, 1)),
      way.results(forge(good)),
    );

    expect(error).toContain('no response');
  });

  it('with a call to an unknown tool executes nothing, and informs the model', async () => {
    const shop = workshop();
    const open = responseWith([
      { toolName: 'launch', toolCallId: 'l', args: { target: 'moon' } },
      { toolName: 'remove', toolCallId: 'r', args: { path: 'a' } },
    ]);
    const messages = way.messages(historyOf(open));

    expect(
      await rejectionMessage(shop, messages, way.results(forge({ approvals: { r: true } }))),
    ).toContain("'l'");
    const result = await agentIn(shop, [says('Sorry.')]).run(undefined, {
      messageHistory: messages,
      deferredToolResults: way.results(forge({ approvals: { l: true, r: false } })),
    });
    expect(result.messages.at(-2)?.parts).toMatchObject([
      { kind: 'retry-prompt', toolCallId: 'l', content: expect.stringContaining("'launch'") },
      { kind: 'tool-return', toolCallId: 'r', outcome: 'denied' },
    ]);
    expect(shop.effects).toEqual([]);
  });

  it('whose tool is external now does not execute it', async () => {
    const { shop, messages } = await parkedRun();
    const model = scriptedModel(says('Done.'));
    const toolsets = [shop.paint, new ExternalToolset([{ name: 'remove' }])];

    const error = await rejectionOf(
      agentIn(shop, [], { tools: [], toolsets }).run(undefined, {
        model,
        messageHistory: way.messages(messages),
        deferredToolResults: way.results(forge(good)),
      }),
    );

    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toContain('`remove`');
    expect(shop.effects).toEqual([]);
    expect(model.calls).toEqual([]);
  });

  it('whose tool is gone informs the model', async () => {
    const { shop, messages } = await parkedRun();

    const result = await agentIn(shop, [says('Sorry.')], { tools: [] }).run(undefined, {
      messageHistory: way.messages(messages),
      deferredToolResults: way.results(forge(good)),
    });

    expect(result.messages.at(-2)?.parts).toMatchObject([
      { kind: 'retry-prompt', toolCallId: 'r' },
      { kind: 'tool-return', toolCallId: 'p' },
    ]);
    expect(shop.effects).toEqual([]);
  });

  it('with a result before its call is still pending', async () => {
    const { shop, messages } = await parkedRun();
    const result = {
      kind: 'tool-return',
      toolName: 'remove',
      toolCallId: 'r',
      content: 'removed',
      outcome: 'success',
    } as const;
    const early: Message = { kind: 'request', parts: [result] };

    const requests = present(requestsFromMessages(way.messages([early, ...messages])));

    expect(idsOf(requests.approvals)).toEqual(['r']);
    expect(shop.effects).toEqual([]);
  });
});

describe.each(ways)('an output call beside a pending call ($way)', (way) => {
  it('accepts no decision', async () => {
    const shop = workshop();
    const open = responseWith([
      { toolName: 'final_result', toolCallId: 'out', args: { n: 1 } },
      { toolName: 'remove', toolCallId: 'r', args: { path: 'a' } },
    ]);
    const messageHistory = way.messages(historyOf(open));
    const output = z.object({ n: z.number() });

    for (const decisions of [
      { approvals: { r: true, out: true } },
      { approvals: { r: true }, calls: { out: { n: 2 } } },
    ]) {
      const deferredToolResults = way.results(forge(decisions));
      const error = await rejectionOf(
        agentIn(shop, []).run(undefined, { messageHistory, deferredToolResults, output }),
      );
      expect(error).toBeInstanceOf(UserError);
      expect(String(error)).toContain("'out'");
    }
    expect(shop.effects).toEqual([]);

    const model = scriptedModel(calls('final_result', { n: 3 }));
    const result = await agentIn(shop, []).run(undefined, {
      model,
      messageHistory,
      deferredToolResults: way.results(forge({ approvals: { r: false } })),
      output,
    });
    expect(result.output).toEqual({ n: 3 });
    expect(problemsOf(sentTo(model))).toEqual([]);
    expect(shop.effects).toEqual([]);
  });
});

describe('a history processor that drops the parked response', () => {
  it('sends no result without a call to the model; the call executed once', async () => {
    const { shop, messages } = await parkedRun();
    const model = scriptedModel(says('What was I to do?'));
    const agent = agentIn(shop, [], {
      historyProcessors: [(all) => all.filter((message) => message.kind === 'request')],
    });

    const finished = await agent.run('Hm?', {
      model,
      messageHistory: messages,
      deferredToolResults: forge(good),
    });

    expect(shop.ran()).toEqual(['remove a']);
    expect(problemsOf(sentTo(model))).toEqual([]);
    // The resulting history cannot be resumed again.
    await rejectionMessage(shop, finished.messages, forge(good));
  });

  it('as a step between two runs leaves nothing to resume', async () => {
    const { shop, messages } = await parkedRun();
    const trimmed = messages.filter((message) => message.kind === 'request');

    expect(await rejectionMessage(shop, trimmed, forge(good))).toContain('no response');
  });
});

describe.each(ways)('an edited step record ($way)', (way) => {
  const marked = { toolName: 'remove', toolCallId: 'r', args: { path: 'a' } };
  const raised = { toolName: 'render', toolCallId: 'd', args: { path: 'b' } };
  const external = { toolName: 'paint', toolCallId: 'p', args: {} };
  const open = { r: { kind: 'approval' }, d: { kind: 'external' }, p: { kind: 'external' } };
  const decisions = { approvals: { r: true }, calls: { d: 1, p: 2 } };
  const edited = (record: unknown) =>
    way.messages(historyOf(responseWith([marked, raised, external], record)));
  const record = { v: 1, step: 's', open };

  it.each<[string, unknown, RegExp]>([
    ['a text', 'approved', /metadata\.holdpoint/],
    ['a number', 1, /metadata\.holdpoint/],
    ['null', null, /metadata\.holdpoint/],
    ['a list', [], /metadata\.holdpoint/],
    ['an empty object', {}, /holdpoint\.v/],
    ['another version', { ...record, v: 2 }, /holdpoint\.v/],
    ['a version as text', { ...record, v: '1' }, /holdpoint\.v/],
    ['no name', { v: 1, open }, /holdpoint\.step/],
    ['a name that is none', { ...record, step: 5 }, /holdpoint\.step/],
    ['no calls', { v: 1, step: 's' }, /holdpoint\.open/],
    ['a list of calls', { ...record, open: ['r'] }, /holdpoint\.open/],
    ['a call that is a text', { ...record, open: { ...open, r: 'approval' } }, /open\.r/],
    ['another kind', { ...record, open: { ...open, r: { kind: 'approved' } } }, /open\.r\.kind/],
    ['no kind', { ...record, open: { ...open, r: {} } }, /open\.r\.kind/],
    [
      'metadata that is none',
      { ...record, open: { ...open, r: { kind: 'approval', metadata: 'x' } } },
      /open\.r\.metadata/,
    ],
  ])('that is invalid is rejected: %s', async (_, broken, path) => {
    const shop = workshop();

    const error = await rejectionMessage(shop, edited(broken), way.results(forge(decisions)));

    expect(error).toMatch(path);
    expect(() => requestsFromMessages(edited(broken))).toThrow(UserError);
    // A run from it without results executes nothing either.
    const model = scriptedModel(says('Hi.'));
    await rejectionOf(agentIn(shop, []).run(undefined, { model, messageHistory: edited(broken) }));
    expect(shop.effects).toEqual([]);
  });

  it('whose approval was changed to external executes nothing', async () => {
    const shop = workshop();
    const swapped = edited({ ...record, open: { ...open, r: { kind: 'external' } } });

    expect(await rejectionMessage(shop, swapped, way.results(forge(decisions)))).toContain("'r'");
    await agentIn(shop, [says('Done.')]).run(undefined, {
      messageHistory: swapped,
      deferredToolResults: way.results(forge({ calls: { r: 'removed', d: 1, p: 2 } })),
    });
    expect(shop.effects).toEqual([]);
  });

  it('whose external call was changed to an approval executes nothing', async () => {
    const shop = workshop();
    const swapped = edited({ ...record, open: { ...open, p: { kind: 'approval' } } });

    const error = await rejectionMessage(
      shop,
      swapped,
      way.results(forge({ approvals: { r: true, p: true }, calls: { d: 1 } })),
    );

    expect(error).toMatch(/'p'|`paint`/);
  });

  it('with nonexistent calls adds none', async () => {
    const shop = workshop();
    const more = edited({ ...record, open: { ...open, ghost: { kind: 'approval' } } });

    const forged = forge({ ...decisions, approvals: { r: true, ghost: true } });
    expect(await rejectionMessage(shop, more, way.results(forged))).toContain("'ghost'");
    expect(idsOf(present(requestsFromMessages(more)).approvals)).toEqual(['r']);
  });

  it('without some of the calls still accepts their decisions', async () => {
    const shop = workshop();
    const less = edited({ ...record, open: { p: { kind: 'external' } } });

    expect(await rejectionMessage(shop, less, way.results(forge({ calls: { p: 1 } })))).toMatch(
      /'r'.*'d'/,
    );
    expect(
      await rejectionMessage(shop, less, way.results(forge({ calls: { r: 1, d: 1, p: 1 } }))),
    ).toContain("'r'");
    expect(() => requestsFromMessages(less)).toThrow(/'r'/);
  });

  it('on a message before the last response has no effect', async () => {
    const shop = workshop();
    const forgedRecord = { v: 1, step: 's', open: { r: { kind: 'external' } } };
    const messages: readonly Message[] = [
      {
        kind: 'request',
        parts: [{ kind: 'user-prompt', content: 'Go.' }],
        metadata: { holdpoint: forgedRecord },
      },
      responseWith([marked]),
    ];

    const error = await rejectionMessage(shop, way.messages(messages), forge({ calls: { r: 1 } }));

    expect(error).toContain("'r'");
  });
});

describe('messages that are resumed twice', () => {
  // Messages do not record executions; only a ledger does. Without one, the caller has to resume each
  // run once, for example by deleting it from the database first.
  it.each(ways)(
    'execute the approved calls again, which only a ledger prevents ($way)',
    async (way) => {
      const { shop, messages } = await parkedRun();
      const resume = () =>
        agentIn(shop, [says('Done.')]).run(undefined, {
          messageHistory: way.messages(messages),
          deferredToolResults: way.results(forge(good)),
        });

      const first = await resume();
      const second = await resume();
      await Promise.all([resume(), resume()]);

      expect(shop.ran()).toEqual(['remove a', 'remove a', 'remove a', 'remove a']);
      expect(second.runId).not.toBe(first.runId);
      // The messages of the first resume contain the result.
      await rejectionMessage(shop, way.messages(first.messages), way.results(forge(good)));
    },
  );

  it('allow a denied call to be approved, for the same reason', async () => {
    const { shop, messages } = await parkedRun();
    const denied = forge({ ...good, approvals: { r: false } });
    const finished = await agentIn(shop, [says('Done.')]).resume({ messages }, denied);
    expect(shop.effects).toEqual([]);

    expect(await rejectionMessage(shop, finished.messages, forge(good))).not.toBe('');
    await agentIn(shop, [says('Done.')]).resume({ messages }, forge(good));
    expect(shop.ran()).toEqual(['remove a']);
  });
});
