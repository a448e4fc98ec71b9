import {
  AlreadyResumedError,
  DeferredToolResults,
  ExternalToolset,
  MemoryLedger,
  InvalidResultsError,
  ToolReturn,
  UserError,
} from 'holdpoint';
import { forkHistory } from 'holdpoint/deferral';
import { approver, calls } from 'holdpoint/testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { ledgerWith } from './ledgers.ts';
import { files, type ProbeResume, probeAgent, stored } from './probe.ts';

const DELETE = calls('delete_file', { path: 'a' }, { id: 'a' });
const REPLAY = { durability: { onAlreadyResumed: 'replay' } } as const;

/** Parks a run on a call in doubt, which failed with an unexpected error. */
async function doubted({ failures = 9 } = {}) {
  const done: number[] = [];
  const execute = () => {
    done.push(done.length);
    if (done.length <= failures) throw new Error('Connection reset.');
    return 'It is gone.';
  };
  const agent = probeAgent([DELETE], {
    tools: files({ execute }).tools,
    durability: { ledger: new MemoryLedger() },
  });
  const parked = await expectParked(agent.run('Go.'));
  const yes = parked.output.buildResults({ approveAll: true });
  await rejectionOf(agent.resume(stored(parked.messages), yes));
  const again = await expectParked(agent.resume(stored(parked.messages), yes, REPLAY));
  const decide = (results: DeferredToolResults, more: ProbeResume = {}) =>
    agent.resume(stored(again.messages), results, more);
  return { done, agent, parked, again, decide };
}

describe('a decision about a call in doubt', () => {
  it.each([
    ['an approval', { approvals: { a: true } }],
    ['a denial', { approvals: { a: false } }],
  ])('is rejected if it does not confirm the doubt: %s by id alone', async (_, decisions) => {
    const { done, decide } = await doubted();

    const error = await rejectionOf(decide(new DeferredToolResults(decisions)));

    expect(error).toBeInstanceOf(InvalidResultsError);
    expect(error).toMatchObject({
      message: expect.stringMatching(/may have executed already[^]*buildResults/),
    });
    expect(done).toHaveLength(1);
  });

  it('is rejected if it was made before the doubt', async () => {
    const { done, parked, decide } = await doubted();

    const error = await rejectionOf(decide(parked.output.buildResults({ approveAll: true })));

    expect(error).toBeInstanceOf(InvalidResultsError);
    expect(done).toHaveLength(1);
  });

  it('may be a result by id alone, which implies knowledge of the outcome', async () => {
    const { done, decide } = await doubted();

    const { messages } = await decide(new DeferredToolResults({ calls: { a: 'It is gone.' } }));

    expect(resultsIn(messages)).toEqual(['It is gone.']);
    expect(done).toHaveLength(1);
  });

  it('does not cover a later attempt that is in doubt as well', async () => {
    const { done, again, decide } = await doubted();
    const yes = again.output.buildResults({ approveAll: true });
    const no = again.output.buildResults({ approvals: { a: false } });
    await rejectionOf(decide(yes));

    const { output } = await expectParked(decide(no, REPLAY));

    expect(done).toHaveLength(2);
    expect(output.get('a').details.inDoubt?.attempt).not.toBe(
      again.output.get('a').details.inDoubt?.attempt,
    );
  });
});

describe('a run that was parked with a ledger', () => {
  const park = async () => {
    const { done, tools } = files();
    const agent = probeAgent([DELETE], { tools, durability: { ledger: new MemoryLedger() } });
    const parked = await expectParked(agent.run('Go.'));
    return { done, parked, elsewhere: probeAgent([DELETE], { tools }) };
  };

  it('is not resumed without a ledger, because its calls may have executed', async () => {
    const { done, parked, elsewhere } = await park();

    const yes = parked.output.buildResults({ approveAll: true });
    const error = await rejectionOf(elsewhere.resume(stored(parked.messages), yes));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringMatching(/parked with a ledger/) });
    expect(done).toEqual([]);
  });

  it('can be forked, so that its calls execute again', async () => {
    const { done, parked, elsewhere } = await park();

    const copy = forkHistory(parked.messages);
    await elsewhere.resume(stored(copy), new DeferredToolResults({ approvals: { a: true } }));

    expect(done).toEqual(['deleted a']);
  });
});

describe('two processes that resume one parked run', () => {
  it('can each be resumed once when they park again, and its call executes once more', async () => {
    const { done, parked, agent } = await doubted({ failures: 1 });
    const yes = parked.output.buildResults({ approveAll: true });
    const park = () => expectParked(agent.resume(stored(parked.messages), yes, REPLAY));
    const copies = [await park(), await park()];

    for (const copy of copies) {
      const again = copy.output.buildResults({ approveAll: true });
      const { messages } = await agent.resume(stored(copy.messages), again);
      const error = await rejectionOf(agent.resume(stored(copy.messages), again));
      expect(error).toBeInstanceOf(AlreadyResumedError);
      expect(resultsIn(messages)).toEqual(['It is gone.']);
    }

    expect(done).toHaveLength(2);
  });
});

describe('a recorded decision', () => {
  it('restores the tools that it revealed', async () => {
    const { tools } = files();
    const agent = probeAgent([calls('print', {}, { id: 'p' })], {
      tools,
      toolsets: [new ExternalToolset([{ name: 'print' }])],
      durability: { ledger: new MemoryLedger() },
    });
    const parked = await expectParked(agent.run('Go.'));
    const given = (text: string) =>
      parked.output.buildResults({
        calls: { p: new ToolReturn({ returnValue: text, tools: ['read_file'] }) },
      });
    const partsOf = async (text: string, more: ProbeResume = {}) => {
      const { newMessages } = await agent.resume(stored(parked.messages), given(text), more);
      return newMessages[0]?.parts;
    };

    const first = await partsOf('printed');
    const replayed = await partsOf('something else', REPLAY);

    expect(first?.map(({ kind }) => kind)).toEqual(['tool-return', 'tool-availability-delta']);
    expect(replayed).toEqual(first);
  });

  it('is not awaited after an abort', async () => {
    const memory = new MemoryLedger();
    let looks = 0;
    const ledger = ledgerWith(memory, {
      async record(key, entry) {
        if (!key.slot.startsWith('call:')) return memory.record(key, entry);
        looks += 1;
        return { state: 'busy', until: Date.now() + 60_000 };
      },
    });
    const agent = probeAgent([DELETE], { tools: files().tools, durability: { ledger } });
    const parked = await expectParked(agent.run('Go.'));
    const no = parked.output.buildResults({ approvals: { a: false } });

    const signal = AbortSignal.timeout(20);
    await rejectionOf(agent.resume(parked, no, { durability: { onBusy: 'wait' }, signal }));
    const before = looks;
    await sleep(250);

    expect(looks).toBe(before);
  });
});

describe('an approver', () => {
  it.each([
    ['by tool', approver.byTool({ delete_file: true })],
    ['at random', approver.random(1)],
    ['spoiled', approver.forged(approver.approveAll())],
  ])('binds its decisions to the approval requests: %s', async (_, build) => {
    const agent = probeAgent([DELETE], { tools: files().tools, durability: { digests: true } });
    const { output } = await expectParked(agent.run('Go.'));

    expect({ ...build(output).digests }).toEqual({ a: output.get('a').details.digest });
  });
});
