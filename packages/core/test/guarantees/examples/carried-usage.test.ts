import { UsageLimitExceeded, UserError } from 'holdpoint';
import { calls, type ResponseDraft, responds } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { subAgent } from '../../support/sub-agents.ts';
import { files, probeAgent, stored, unguarded, withLedger } from './probe.ts';

const remove = (id: string) =>
  responds(calls('delete_file', { path: id }, { id }), {
    usage: { inputTokens: 10, outputTokens: 5 },
  });

/** A model that requests the next file without an end. */
const ENDLESS: readonly ResponseDraft[] = Array.from({ length: 20 }, (_, at) => remove(`f${at}`));

/** Approves all pending calls until the run finishes; returns the number of deleted files. */
async function approveOnAndOn(options: Parameters<typeof probeAgent>[1]) {
  const { done, tools } = files();
  const agent = probeAgent(ENDLESS, { tools, ...options });
  let waiting = await expectParked(agent.run('Go.'));
  for (;;) {
    const approved = waiting.output.buildResults({ approveAll: true });
    try {
      const result = await agent.resume(stored(waiting.messages), approved);
      if (result.status === 'finished') return { done, error: undefined };
      waiting = result;
    } catch (error) {
      return { done, error };
    }
  }
}

describe.each([unguarded, withLedger])(
  'limits of a run that parks repeatedly, $guard,',
  (guard) => {
    it('do not apply across runs if usage is not carried over', async () => {
      const { done, error } = await approveOnAndOn({
        usageLimits: { requestLimit: 4, toolCallsLimit: 4 },
        ...guard.options(),
      });

      expect(error).toBeUndefined();
      expect(done).toHaveLength(20);
    });

    it.each([
      ['requests', { requestLimit: 4 }, 4],
      ['tool calls', { toolCallsLimit: 4 }, 4],
      ['tokens', { totalTokensLimit: 50 }, 3],
    ])('apply across runs if usage is carried over: %s', async (_, usageLimits, gone) => {
      const { done, error } = await approveOnAndOn({
        usageLimits,
        durability: { carryUsage: true, ...guard.options().durability },
      });

      expect(error).toBeInstanceOf(UsageLimitExceeded);
      expect(done).toHaveLength(gone);
    });
  },
);

describe('carried usage', () => {
  it('is the usage of the whole conversation since the first run', async () => {
    const { tools } = files();
    const agent = probeAgent([remove('a'), remove('b')], {
      tools,
      durability: { carryUsage: true },
    });
    const first = await expectParked(agent.run('Go.'));
    const approve = (parked: typeof first) =>
      agent.resume(stored(parked.messages), parked.output.buildResults({ approveAll: true }));

    const second = await expectParked(approve(first));
    const { usage } = await approve(second);

    expect(usage).toMatchObject({ requests: 3, toolCalls: 2, inputTokens: 20, outputTokens: 10 });
  });

  it('includes the usage of sub-agents, before and after they parked', async () => {
    const { tools } = files();
    const sub = subAgent([remove('a')], { tools });
    const agent = probeAgent([calls('sub', { prompt: 'Go.' }, { id: 's' })], {
      tools: [sub.asTool()],
      durability: { carryUsage: true },
    });
    const parked = await expectParked(agent.run('Go.'));

    const { usage } = await agent.resume(
      stored(parked.messages),
      parked.output.buildResults({ approveAll: true }),
    );

    // Two requests of each agent, and the calls of both.
    expect(usage).toMatchObject({ requests: 4, toolCalls: 2, inputTokens: 10 });
  });

  it('is an error if the history has no recorded usage', async () => {
    const { done, tools } = files();
    const parked = await expectParked(probeAgent([remove('a')], { tools }).run('Go.'));
    const strict = probeAgent([remove('a')], { tools, durability: { carryUsage: true } });

    const error = await rejectionOf(
      strict.resume(stored(parked.messages), parked.output.buildResults({ approveAll: true })),
    );

    expect(error).toBeInstanceOf(UserError);
    expect(done).toEqual([]);
  });

  it('does not apply to a new run in the same conversation', async () => {
    const { tools } = files();
    const agent = probeAgent([remove('a')], { tools, durability: { carryUsage: true } });
    const parked = await expectParked(agent.run('Go.'));

    const { usage } = await agent.run('Never mind.', {
      messageHistory: parked.messages,
      onPendingCalls: 'cancel',
    });

    expect(usage.requests).toBe(1);
  });
});
