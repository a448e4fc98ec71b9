import {
  DeferredToolResults,
  type Message,
  ToolDenied,
  MissingResultsError,
  UserError,
} from 'holdpoint';
import { calls, responds } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { partsOf } from '../../support/conversation.ts';
import { expectParked } from '../../support/deferral.ts';
import { idsOf } from '../../support/histories.ts';
import { rejectionOf } from '../../support/latch.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { files, probeAgent, stored, unguarded, withDigests, withLedger } from './probe.ts';

/** A response that deletes `a`, reads `b` and deletes `c`. */
const BATCH = responds(
  calls('delete_file', { path: 'a' }, { id: 'a' }),
  calls('read_file', { path: 'b' }, { id: 'b' }),
  calls('delete_file', { path: 'c' }, { id: 'c' }),
);

/** Returns the ids of the calls of all results, with duplicates. */
const resultIdsIn = (messages: readonly Message[]) =>
  partsOf(messages)
    .flatMap((part) => (part.kind === 'tool-return' ? [part.toolCallId] : []))
    .toSorted();

describe.each([unguarded, withDigests, withLedger])('$guard', ({ options }) => {
  const park = async () => {
    const { done, tools } = files();
    const agent = probeAgent([BATCH], { tools, ...options() });
    return { done, agent, parked: await expectParked(agent.run('Go.')) };
  };

  it('a safe sibling executes while the other call is pending', async () => {
    const { done, parked } = await park();

    expect(done).toEqual(['read b']);
    expect(resultsIn(parked.messages)).toEqual(['what is in b']);
  });

  it('all pending calls are visible at once', async () => {
    const { parked } = await park();

    expect(idsOf(parked.output.approvals)).toEqual(['a', 'c']);
    expect(parked.output.approvals.map((call) => parked.output.get(call.toolCallId).args)).toEqual([
      { path: 'a' },
      { path: 'c' },
    ]);
  });

  it('one is approved and one denied: each gets its own outcome, and every call has a result', async () => {
    const { done, agent, parked } = await park();
    const approvals = { a: true, c: new ToolDenied('Keep it.') };

    const { messages } = await agent.resume(
      stored(parked.messages),
      parked.output.buildResults({ approvals }),
    );

    expect(done).toEqual(['read b', 'deleted a']);
    expect(resultsIn(messages)).toEqual(['what is in b', 'a is gone', 'Keep it.']);
    expect(resultIdsIn(messages)).toEqual(['a', 'b', 'c']);
  });

  it('with a decision for one of two calls, nothing executes, nothing is lost, and both stay pending', async () => {
    const { done, agent, parked } = await park();
    const half = parked.output.buildResults({ approvals: { a: true } });

    const error = await rejectionOf(agent.resume(stored(parked.messages), half));

    expect(error).toBeInstanceOf(MissingResultsError);
    expect(error).toMatchObject({ toolCallIds: ['c'] });
    expect(done).toEqual(['read b']);
    const whole = parked.output.buildResults({ approveAll: true });
    await agent.resume(stored(parked.messages), whole);
    expect(done).toEqual(['read b', 'deleted a', 'deleted c']);
  });

  it('results and a new prompt come in one call: the prompt follows the results', async () => {
    const { done, agent, parked } = await park();
    const results = parked.output.buildResults({ approveAll: true });

    const { messages } = await agent.resume(stored(parked.messages), results, {
      prompt: 'And then say hello.',
    });

    expect(done).toHaveLength(3);
    expect(partsOf(messages).slice(-4)).toMatchObject([
      { kind: 'tool-return', toolCallId: 'a' },
      { kind: 'tool-return', toolCallId: 'c' },
      { kind: 'user-prompt', content: 'And then say hello.' },
      { kind: 'text' },
    ]);
  });

  it('rejects a new prompt without results, and the calls stay pending', async () => {
    const { done, agent, parked } = await park();
    const messageHistory = stored(parked.messages).messages;

    const error = await rejectionOf(agent.run('Something else.', { messageHistory }));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringMatching(/onPendingCalls/) });
    await agent.resume(stored(parked.messages), parked.output.buildResults({ approveAll: true }));
    expect(done).toHaveLength(3);
  });

  it('a new prompt without results cancels the calls if the run is set to do so: none executes', async () => {
    const { done, agent, parked } = await park();
    const messageHistory = stored(parked.messages).messages;

    const { status, messages } = await agent.run('Something else.', {
      messageHistory,
      onPendingCalls: 'cancel',
    });

    expect(status).toBe('finished');
    expect(done).toEqual(['read b']);
    expect(resultIdsIn(messages)).toEqual(['a', 'b', 'c']);
    // The calls are cancelled in this history, so they cannot be approved.
    const late = new DeferredToolResults({ approvals: { a: true, c: true } });
    expect(await rejectionOf(agent.resume({ messages }, late))).toBeInstanceOf(UserError);
    expect(done).toEqual(['read b']);
  });
});
