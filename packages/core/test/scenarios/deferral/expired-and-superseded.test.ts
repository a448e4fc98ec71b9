import {
  decideByRules,
  DeferredToolResults,
  MemoryLedger,
  InvalidResultsError,
  type ToolReturnPart,
  ToolExpired,
  ToolSuperseded,
} from 'holdpoint';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { files, probeAgent, stored } from '../../guarantees/examples/probe.ts';
import { agentIn, expectParked, ways, workshop } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { subAgent } from '../../support/sub-agents.ts';
import { untyped } from '../../support/untyped.ts';

const expired = new ToolExpired();
const superseded = new ToolSuperseded();

const twoKinds = [
  responds(calls('remove', { path: 'a' }, { id: 'r' }), calls('paint', {}, { id: 'p' })),
  says('Done.'),
];

/** Returns the results in the last request. */
const resultsInLastRequest = (messages: readonly { readonly parts: readonly unknown[] }[]) =>
  present(messages.at(-2)).parts as readonly ToolReturnPart[];

describe.each(ways)('a call without a decision ($way)', (way) => {
  it.each([
    ['expired', expired, 'This tool call received no decision or result in time.'],
    [
      'superseded',
      superseded,
      'A newer message replaced this tool call before it received a decision or result.',
    ],
  ])(
    'is %s: it does not execute, and the model receives only the known facts',
    async (outcome, none, why) => {
      const shop = workshop();
      const agent = agentIn(shop, twoKinds);
      const parked = await expectParked(agent.run('Go.'));

      const { messages } = await agent.run(undefined, {
        messageHistory: way.messages(parked.messages),
        deferredToolResults: way.results(
          new DeferredToolResults({ approvals: { r: none }, calls: { p: none } }),
        ),
      });

      expect(resultsInLastRequest(way.messages(messages))).toMatchObject([
        {
          kind: 'tool-return',
          toolCallId: 'r',
          outcome,
          content: `${why} It was not executed, and it was not denied.`,
        },
        {
          kind: 'tool-return',
          toolCallId: 'p',
          outcome,
          content: `${why} It has no result, and no failure was reported.`,
        },
      ]);
      expect(shop.effects).toEqual([]);
    },
  );

  it('has the message of the application', async () => {
    const shop = workshop();
    const agent = agentIn(shop, [calls('remove', { path: 'a' }, { id: 'r' }), says('Done.')]);
    const parked = await expectParked(agent.run('Go.'));
    const late = new ToolExpired('The office was closed.');

    const { messages } = await agent.run(undefined, {
      messageHistory: way.messages(parked.messages),
      deferredToolResults: way.results(new DeferredToolResults({ approvals: { r: late } })),
    });

    expect(resultsInLastRequest(messages)).toMatchObject([
      { outcome: 'expired', content: 'The office was closed.' },
    ]);
  });
});

describe('an expired or superseded request', () => {
  it.each([
    ['expired', new ToolExpired(untyped(1))],
    ['superseded', new ToolSuperseded({ message: untyped({}) })],
  ])(
    'is rejected with a message that is no text, before anything executes (%s)',
    async (_, none) => {
      for (const decisions of [
        { approvals: { r: none }, calls: { p: 1 } },
        { approvals: { r: true }, calls: { p: none } },
      ]) {
        const shop = workshop();
        const agent = agentIn(shop, twoKinds);
        const parked = await expectParked(agent.run('Go.'));

        const error = await rejectionOf(agent.resume(parked, new DeferredToolResults(decisions)));

        expect(error).toBeInstanceOf(InvalidResultsError);
        expect(shop.effects).toEqual([]);
      }
    },
  );

  it('can come from a handler, and from a rule for calls of either kind', async () => {
    const shop = workshop();
    const agent = agentIn(shop, twoKinds);
    const handler = decideByRules([{ tool: ['remove', 'paint'], decision: superseded }]);

    const { messages } = await agent.run('Go.', { deferredToolHandler: handler });

    expect(resultsInLastRequest(messages).map(({ outcome }) => outcome)).toEqual([
      'superseded',
      'superseded',
    ]);
    expect(shop.effects).toEqual([]);
  });

  it('is no denial: the same call is not marked as denied before', async () => {
    const again = (id: string) => calls('delete_file', { path: 'a' }, { id });
    const { tools } = files();
    const agent = probeAgent([again('1'), again('2')], { tools });
    const first = await expectParked(agent.run('Go.'));

    const results = first.output.buildResults({ approvals: { 1: expired } });
    const second = await expectParked(agent.resume(stored(first.messages), results));

    expect(second.output.get('2').details.deniedBefore).toBeUndefined();
  });

  it('is final in every copy, with a ledger', async () => {
    const { done, tools } = files();
    const script = [calls('delete_file', { path: 'a' }, { id: 'a' })];
    const agent = probeAgent(script, { tools, durability: { ledger: new MemoryLedger() } });
    const parked = await expectParked(agent.run('Go.'));
    const none = parked.output.buildResults({ approvals: { a: expired } });
    await agent.resume(stored(parked.messages), none);

    const { messages } = await agent.resume(
      stored(parked.messages),
      parked.output.buildResults({ approveAll: true }),
      { durability: { onAlreadyResumed: 'replay' } },
    );

    expect(resultsInLastRequest(messages)).toMatchObject([{ outcome: 'expired', toolCallId: 'a' }]);
    expect(done).toEqual([]);
  });

  it('applies to calls of sub-agents', async () => {
    const { done, tools } = files();
    const sub = subAgent([calls('delete_file', { path: 'a' }, { id: 'd' })], { tools });
    let heard: unknown;
    const listening = sub.asTool();
    const agent = probeAgent([calls('sub', { prompt: 'Go.' }, { id: 's' })], {
      tools: [listening],
      durability: { ledger: new MemoryLedger() },
    });
    const parked = await expectParked(agent.run('Go.'));
    const results = parked.output.buildResults({ approvals: { 's/d': superseded } });

    const { status } = await agent.resume(stored(parked.messages), results, {
      onEvent: (event) => {
        if (event.kind === 'tool-result') heard = event.part;
      },
    });

    expect(status).toBe('finished');
    expect(heard).toMatchObject({ toolName: 'sub', outcome: 'success', content: 'Done.' });
    expect(done).toEqual([]);
  });

  it('does not claim that a call in doubt did not execute, and reports a recorded outcome', async () => {
    let runs = 0;
    const execute = () => {
      runs += 1;
      throw new Error('Connection reset.');
    };
    const agent = probeAgent([calls('delete_file', { path: 'a' }, { id: 'a' })], {
      tools: files({ execute }).tools,
      durability: { ledger: new MemoryLedger() },
    });
    const parked = await expectParked(agent.run('Go.'));
    const yes = parked.output.buildResults({ approveAll: true });
    await rejectionOf(agent.resume(stored(parked.messages), yes));
    const replay = { durability: { onAlreadyResumed: 'replay' } } as const;
    const again = await expectParked(agent.resume(stored(parked.messages), yes, replay));

    const none = again.output.buildResults({ approvals: { a: expired } });
    const { messages } = await agent.resume(stored(again.messages), none);

    const [result] = resultsInLastRequest(messages);
    expect(result).toMatchObject({
      outcome: 'expired',
      content:
        'This tool call received no decision or result in time. It is unknown whether it was executed, and it was not denied.',
    });
    // From then on it is the outcome.
    const copy = await agent.resume(stored(parked.messages), yes, replay);
    expect(resultsInLastRequest(copy.messages)).toEqual([result]);
    expect(runs).toBe(1);
  });
});
