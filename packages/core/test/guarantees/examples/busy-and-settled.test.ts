import { type Ledger, LedgerError, MemoryLedger } from 'holdpoint';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectParked } from '../../support/deferral.ts';
import { recordOf } from '../../support/histories.ts';
import { latch, rejectionOf } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { ledgerWith } from './ledgers.ts';
import { files, type ProbeResume, probeAgent, stored } from './probe.ts';

const DELETE = calls('delete_file', { path: 'a' }, { id: 'a' });
const REPLAY = { durability: { onAlreadyResumed: 'replay' } } as const;

async function park(ledger: Ledger, tool: Parameters<typeof files>[0] = {}) {
  const { done, tools } = files(tool);
  const agent = probeAgent([DELETE], { tools, durability: { ledger } });
  const parked = await expectParked(agent.run('Go.'));
  const approved = parked.output.buildResults({ approveAll: true });
  const resume = (more: ProbeResume = {}) => agent.resume(stored(parked.messages), approved, more);
  return { done, agent, parked, resume };
}

describe('a ledger that fails to record the outcome', () => {
  /** Creates a ledger that fails to settle until `isBack` returns true. */
  const broken = (when: 'before' | 'after') => {
    const ledger = new MemoryLedger();
    const state = { isBack: false };
    return {
      ledger: ledgerWith(ledger, {
        async settle(claim, outcome) {
          if (state.isBack) return ledger.settle(claim, outcome);
          if (when === 'after') await ledger.settle(claim, outcome);
          throw new Error('Connection lost.');
        },
      }),
      state,
    };
  };

  it('is an error that carries the outcome', async () => {
    const { done, resume } = await park(broken('before').ledger);

    const error = await rejectionOf(resume());

    expect(error).toBeInstanceOf(LedgerError);
    expect(error).toMatchObject({
      code: 'outcome-not-settled',
      toolCallId: 'a',
      outcome: { kind: 'value', value: 'a is gone' },
      cause: { message: 'Connection lost.' },
    });
    expect(done).toEqual(['deleted a']);
  });

  it('returns the outcome to the next resume if only its response was lost', async () => {
    const { done, resume } = await park(broken('after').ledger);
    await rejectionOf(resume());

    const { messages } = await resume(REPLAY);

    expect(resultsIn(messages)).toEqual(['a is gone']);
    expect(done).toEqual(['deleted a']);
  });

  it('leaves the call in doubt until an operator records the outcome from the error', async () => {
    const { ledger, state } = broken('before');
    const { done, resume } = await park(ledger);
    const error = (await rejectionOf(resume({ durability: { lease: 20 } }))) as LedgerError;
    state.isBack = true;
    await sleep(40);
    const waiting = await expectParked(resume(REPLAY));
    expect(waiting.output.get('a').details.inDoubt?.reason).toMatch(/lease ran out/);

    const { step } = present(recordOf(waiting.messages[1]));
    const { attempt } = present(waiting.output.get('a').details.inDoubt);
    const claim = { key: { step, slot: 'call:0' }, attempt };
    const outcome = error.outcome as { kind: string; value: string }; // the outcome in the error above
    expect(await ledger.resolve(claim, { kind: 'outcome', outcome })).toBe('resolved');
    const { messages } = await resume(REPLAY);

    expect(resultsIn(messages)).toEqual(['a is gone']);
    expect(done).toEqual(['deleted a']);
  });
});

describe('a call that another resume executes', () => {
  /** Starts a call, and returns a function that ends it. */
  const startExecution = async (options: ProbeResume = {}) => {
    const gate = latch();
    const begun = latch();
    let runs = 0;
    const ledger = new MemoryLedger();
    const made = await park(ledger, {
      async execute() {
        runs += 1;
        begun.open();
        await gate.opened;
        return 'gone';
      },
    });
    const first = made.resume(options);
    await begun.opened;
    return { ...made, ledger, first, end: gate.open, runs: () => runs };
  };

  it('is an error immediately, with the remedy', async () => {
    const { first, end, runs, resume } = await startExecution();

    const error = await rejectionOf(resume(REPLAY));

    expect(error).toMatchObject({ code: 'call-busy', message: expect.stringMatching(/onBusy/) });
    end();
    expect((await first).status).toBe('finished');
    expect(runs()).toBe(1);
  });

  it('is awaited if the run is set to wait, and both get its outcome', async () => {
    const { first, end, runs, resume } = await startExecution();

    const second = resume({ durability: { ...REPLAY.durability, onBusy: 'wait' } });
    await sleep(20);
    end();

    expect(resultsIn((await second).messages)).toEqual(['gone']);
    expect((await first).status).toBe('finished');
    expect(runs()).toBe(1);
  });

  it('is not awaited after the run was aborted', async () => {
    const { first, end, runs, resume } = await startExecution();

    const second = resume({
      durability: { ...REPLAY.durability, onBusy: 'wait' },
      signal: AbortSignal.timeout(20),
    });

    expect(await rejectionOf(second)).toMatchObject({ name: 'TimeoutError' });
    end();
    expect((await first).status).toBe('finished');
    expect(runs()).toBe(1);
  });

  it('stays claimed as long as its process sends heartbeats', async () => {
    const { first, end, runs, resume } = await startExecution({ durability: { lease: 150 } });
    await sleep(400);

    expect(await rejectionOf(resume(REPLAY))).toMatchObject({ code: 'call-busy' });

    end();
    expect((await first).status).toBe('finished');
    expect(runs()).toBe(1);
  });

  it('is not marked as stopped by a process that stopped waiting for it', async () => {
    const { first, end, parked, ledger } = await startExecution();
    const hasty = probeAgent([DELETE], {
      tools: files({ timeout: 50 }).tools,
      durability: { ledger },
    });
    const approved = parked.output.buildResults({ approveAll: true });

    const reason = await hasty
      .resume(stored(parked.messages), approved, {
        durability: { ...REPLAY.durability, onBusy: 'wait' },
      })
      .then(
        ({ messages }) => JSON.stringify(messages.at(-2)),
        (error: Error) => error.message,
      );
    end();
    await first;

    expect(reason).not.toMatch(/was stopped/);
  });
});

describe('a call that is cancelled before its claim succeeds', () => {
  const slowClaim = () => {
    const ledger = new MemoryLedger();
    return ledgerWith(ledger, {
      async claim(key, options) {
        const state = await ledger.claim(key, options);
        await sleep(60);
        return state;
      },
    });
  };

  it('does not execute after the run was aborted', async () => {
    const { done, resume } = await park(slowClaim());

    await rejectionOf(resume({ signal: AbortSignal.timeout(10) }));
    await sleep(100);

    expect(done).toEqual([]);
  });

  it('does not execute after the model was informed of the timeout', async () => {
    const { done, resume } = await park(slowClaim(), { timeout: 10 });

    const { messages } = await resume();
    await sleep(100);

    expect(resultsIn(messages)).toEqual(['retry delete_file']);
    expect(done).toEqual([]);
  });
});
