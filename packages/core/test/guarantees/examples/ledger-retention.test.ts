import { approveAll, type Ledger, MemoryLedger, UserError } from 'holdpoint';
import { withoutStepRecord } from 'holdpoint/messages';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { ledgerWith, movedClock } from './ledgers.ts';
import { files, probeAgent, stored } from './probe.ts';

const DELETE = calls('delete_file', { path: 'a' }, { id: 'a' });
const FORGOTTEN = { name: 'LedgerError', code: 'step-forgotten' };

async function park(ledger: Ledger) {
  const { done, tools } = files();
  const agent = probeAgent([DELETE], { tools, durability: { ledger } });
  const parked = await expectParked(agent.run('Go.'));
  const approved = parked.output.buildResults({ approveAll: true });
  return { done, agent, parked, approved };
}

/** A ledger deletes expired entries when it is written. */
async function useOtherwise(ledger: Ledger) {
  for (let n = 0; n < 5; n++) await ledger.record({ step: `s${n}`, slot: '' }, { outcome: null });
}

/** Returns a run that was resumed so long ago that its ledger entries have expired. */
async function resumedLongAgo() {
  const clock = movedClock();
  const ledger = new MemoryLedger({ now: clock.now, retention: 1000 });
  const run = await park(ledger);
  await run.agent.resume(run.parked, run.approved);
  clock.pass(2000);
  await useOtherwise(ledger);
  return run;
}

describe('a ledger that keeps entries for a limited time', () => {
  it('rejects a step older than its retention, which may have executed', async () => {
    const { done, agent, parked, approved } = await resumedLongAgo();

    for (const onAlreadyResumed of ['error', 'replay'] as const) {
      const late = agent.resume(stored(parked.messages), approved, {
        durability: { onAlreadyResumed },
      });
      expect(await rejectionOf(late)).toMatchObject(FORGOTTEN);
    }

    expect(done).toEqual(['deleted a']);
  });

  it('rejects a step older than its retention even if it was never resumed', async () => {
    const clock = movedClock();
    const ledger = new MemoryLedger({ now: clock.now, retention: 1000 });
    const { done, agent, parked, approved } = await park(ledger);
    clock.pass(2000);

    expect(await rejectionOf(agent.resume(parked, approved))).toMatchObject(FORGOTTEN);
    expect(done).toEqual([]);
  });

  it('rejects a step older than its retention for a handler as well', async () => {
    const { done, agent, parked } = await resumedLongAgo();

    const { messages: messageHistory } = stored(parked.messages);
    const late = agent.run(undefined, { messageHistory, deferredToolHandler: approveAll() });

    expect(await rejectionOf(late)).toMatchObject(FORGOTTEN);
    expect(done).toEqual(['deleted a']);
  });

  it('permits a step within the retention', async () => {
    const clock = movedClock();
    const ledger = new MemoryLedger({ now: clock.now, retention: 60_000 });
    const { done, agent, parked, approved } = await park(ledger);
    clock.pass(30_000);

    await agent.resume(parked, approved);

    expect(done).toEqual(['deleted a']);
  });

  it('is read again after the resume was claimed, because entries may expire in between', async () => {
    const clock = movedClock();
    const ledger = new MemoryLedger({ now: clock.now, retention: 1000 });
    const forgetful = ledgerWith(ledger, {
      async record(key, entry) {
        if (key.slot.startsWith('round:')) clock.pass(2000);
        return ledger.record(key, entry);
      },
    });
    const { done, agent, parked, approved } = await park(forgetful);

    expect(await rejectionOf(agent.resume(parked, approved))).toMatchObject(FORGOTTEN);
    expect(done).toEqual([]);
  });
});

describe('a ledger that was created after the run parked', () => {
  it('rejects the run, which an earlier ledger may have seen', async () => {
    const clock = movedClock();
    const { done, agent, parked, approved } = await park(new MemoryLedger());
    clock.pass(5000);

    const ledger = new MemoryLedger({ now: clock.now });
    const error = await rejectionOf(agent.resume(parked, approved, { durability: { ledger } }));

    expect(error).toMatchObject(FORGOTTEN);
    expect(done).toEqual([]);
  });
});

describe('a history that Holdpoint did not park', () => {
  it('is not resumed with a ledger, because it may have executed before', async () => {
    const { done, agent, parked, approved } = await park(new MemoryLedger());
    const foreign = parked.messages.map(withoutStepRecord);

    const error = await rejectionOf(agent.resume({ messages: foreign }, approved));

    expect(error).toBeInstanceOf(UserError);
    expect(done).toEqual([]);
  });
});
