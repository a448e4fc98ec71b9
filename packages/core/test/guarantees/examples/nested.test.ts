import { AlreadyResumedError, requestsCodec, requestsFromMessages } from 'holdpoint';
import { calls, responds } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { idsOf } from '../../support/histories.ts';
import { rejectionOf } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { subAgent } from '../../support/sub-agents.ts';
import { resultsIn } from '../../support/toolsets.ts';
import {
  files,
  type Guard,
  probeAgent,
  stored,
  unguarded,
  withDigests,
  withLedger,
} from './probe.ts';

/** Parks a run on its own call and on a call of a sub-agent; safe calls were executed. */
async function park({ options }: Guard) {
  const { done, tools } = files();
  const inner = responds(
    calls('delete_file', { path: 'inner' }, { id: 'i' }),
    calls('read_file', { path: 'safe' }, { id: 'r' }),
  );
  const outer = responds(
    calls('delete_file', { path: 'outer' }, { id: 'o' }),
    calls('sub', { prompt: 'Go.' }, { id: 's' }),
  );
  const sub = subAgent([inner], { tools });
  // Each agent object represents a process with the same code.
  const deployed = (guards: object) =>
    probeAgent([outer], { tools: [...tools, sub.asTool()], ...guards });
  const guards = options();
  const parked = await expectParked(deployed(guards).run('Go.'));
  return { done, parked, agent: deployed(guards) };
}

describe.each([unguarded, withDigests, withLedger])('a nested approval, $guard,', (guard) => {
  it('is among the requests of the parent, with its path', async () => {
    const { done, parked } = await park(guard);

    expect(idsOf(parked.output.approvals).toSorted()).toEqual(['o', 's/i']);
    expect(parked.output.get('s/i').path).toEqual([{ toolName: 'sub', toolCallId: 's' }]);
    expect(parked.output.get('s/i').args).toEqual({ path: 'inner' });
    expect(done).toEqual(['read safe']);
  });

  it('resumes from JSON in another process: both calls execute, and the sub-agent continues', async () => {
    const { done, parked, agent } = await park(guard);
    const { messages } = stored(parked.messages);
    const requests = requestsCodec.parse(
      requestsCodec.stringify(present(requestsFromMessages(messages))),
    );

    const { status, messages: all } = await agent.resume(
      { messages },
      requests.buildResults({ approvals: { o: true, 's/i': true } }),
    );

    expect(status).toBe('finished');
    expect(done.toSorted()).toEqual(['deleted inner', 'deleted outer', 'read safe']);
    expect(resultsIn(all)).toEqual(['outer is gone', 'Done.']);
  });

  it('can be denied while its sibling executes', async () => {
    const { done, parked, agent } = await park(guard);

    await agent.resume(
      stored(parked.messages),
      parked.output.buildResults({ approvals: { o: true, 's/i': false } }),
    );

    expect(done).toEqual(['read safe', 'deleted outer']);
  });
});

describe('a nested approval that is resumed three times', () => {
  it('executes three times without a ledger', async () => {
    const { done, parked, agent } = await park(unguarded);
    const approved = parked.output.buildResults({ approveAll: true });

    for (let time = 0; time < 3; time++) await agent.resume(stored(parked.messages), approved);

    expect(done.filter((one) => one === 'deleted inner')).toHaveLength(3);
  });

  it('executes once with a ledger', async () => {
    const { done, parked, agent } = await park(withLedger);
    const approved = parked.output.buildResults({ approveAll: true });
    await agent.resume(stored(parked.messages), approved);

    const second = agent.resume(stored(parked.messages), approved);
    expect(await rejectionOf(second)).toBeInstanceOf(AlreadyResumedError);
    const third = await agent.resume(stored(parked.messages), approved, {
      durability: { onAlreadyResumed: 'replay' },
    });

    expect(resultsIn(third.messages)).toEqual(['outer is gone', 'Done.']);
    expect(done.toSorted()).toEqual(['deleted inner', 'deleted outer', 'read safe']);
  });
});
