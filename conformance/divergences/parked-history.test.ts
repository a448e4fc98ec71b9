import { messageCodec, requestsFromMessages } from 'holdpoint';
import { withoutStepRecord } from 'holdpoint/messages';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { problemsOf, sentTo } from '../../packages/core/test/support/conversation.ts';
import {
  agentIn,
  expectParked,
  ways,
  workshop,
} from '../../packages/core/test/support/deferral.ts';
import { historyOf, recordOf, responseWith } from '../../packages/core/test/support/histories.ts';
import { twoStages } from '../../packages/core/test/support/deferral-tools.ts';
import { present } from '../../packages/core/test/support/present.ts';

describe('step record of a parked history', () => {
  const script = () => [
    responds(
      calls('two_stages', {}, { id: 't' }),
      calls('remove', { path: 'a' }, { id: 'r' }),
      calls('paint', {}, { id: 'p' }),
    ),
  ];

  it('is on the parked response', async () => {
    const shop = workshop();
    const agent = agentIn(shop, script(), { tools: [twoStages, shop.remove] });

    const parked = await expectParked(agent.run('Go.'));

    const record = recordOf(parked.messages.at(-1));
    expect(record).toEqual({
      v: 1,
      step: expect.stringMatching(/.+/),
      open: {
        t: { kind: 'approval', metadata: { stage: 1 } },
        p: { kind: 'external' },
        r: { kind: 'approval', details: { validatedArgs: { path: 'a', mode: 'soft' } } },
      },
    });
    expect(recordOf(messageCodec.parse(messageCodec.stringify(parked.messages)).at(-1))).toEqual(
      record,
    );
    expect(parked.messages.slice(0, -1).map(recordOf)).toEqual([undefined]);
    expect(withoutStepRecord(present(parked.messages.at(-1))).metadata).toBeUndefined();
  });

  it.each(ways)('in a later round is on the request that the round added ($way)', async (way) => {
    const shop = workshop();
    const tools = [twoStages, shop.remove];
    const first = await expectParked(agentIn(shop, script(), { tools }).run('Go.'));
    const results = first.output.buildResults({ approveAll: true, calls: { p: 1 } });

    const second = await expectParked(
      agentIn(shop, [], { tools }).run(undefined, {
        messageHistory: way.messages(first.messages),
        deferredToolResults: way.results(results),
      }),
    );

    expect(second.newMessages).toHaveLength(1);
    expect(recordOf(second.messages.at(-1))).toEqual({
      v: 1,
      step: recordOf(first.messages.at(-1))?.step,
      open: { t: { kind: 'external', metadata: { stage: 2 } } },
      round: 1,
      run: second.runId,
    });
    expect(requestsFromMessages(way.messages(second.messages))).toEqual(second.output);
  });

  it.each(ways)('may be on a request without parts, which no model sees ($way)', async (way) => {
    const shop = workshop();
    const agent = agentIn(shop, [calls('two_stages', {}, { id: 't' })], { tools: [twoStages] });
    const first = await expectParked(agent.run('Go.'));

    const second = await expectParked(
      agent.run(undefined, {
        messageHistory: way.messages(first.messages),
        deferredToolResults: way.results(first.output.buildResults({ approveAll: true })),
      }),
    );

    expect(second.newMessages).toMatchObject([{ kind: 'request', parts: [] }]);
    expect(recordOf(second.messages.at(-1))?.open).toEqual({
      t: { kind: 'external', metadata: { stage: 2 } },
    });
    expect(requestsFromMessages(way.messages(second.messages))).toEqual(second.output);
    const model = scriptedModel(says('Done.'));
    await agent.run(undefined, {
      model,
      messageHistory: way.messages(second.messages),
      deferredToolResults: way.results(second.output.buildResults({ calls: { t: 1 } })),
    });
    const sent = sentTo(model);
    expect(problemsOf(sent)).toEqual([]);
    expect(sent).toHaveLength(3);
  });

  it('keeps the metadata of the application', async () => {
    const shop = workshop();
    const metadata = { mine: 1 };
    const made = responseWith([{ toolName: 'remove', toolCallId: 'r', args: { path: 'a' } }]);

    const parked = await expectParked(
      agentIn(shop, []).run(undefined, { messageHistory: historyOf({ ...made, metadata }) }),
    );

    expect(parked.messages.at(-1)?.metadata).toMatchObject({
      mine: 1,
      holdpoint: { open: { r: { kind: 'approval' } } },
    });
    expect(withoutStepRecord(present(parked.messages.at(-1))).metadata).toEqual({ mine: 1 });
  });
});
