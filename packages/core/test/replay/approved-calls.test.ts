import { AsyncLocalStorage } from 'node:async_hooks';
import { type Ledger, MemoryLedger, messageCodec, ToolDenied } from 'holdpoint';
import { type Environment, liveEnvironment } from 'holdpoint/agents';
import type { OnInDoubt } from 'holdpoint/tools';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { ledgerWith } from '../guarantees/examples/ledgers.ts';
import { files, probeAgent, stored } from '../guarantees/examples/probe.ts';
import { expectParked } from '../support/deferral.ts';
import { never, rejectionOf } from '../support/latch.ts';
import { resultsIn } from '../support/toolsets.ts';
import { recordAndReplay } from './record-and-replay.ts';

const DELETE = calls('delete_file', { path: 'a' }, { id: 'a' });
const REPLAY = { durability: { onAlreadyResumed: 'replay' } } as const;

type FileTool = NonNullable<Parameters<typeof files>[0]>;

async function park(deleting: FileTool = {}, ledger: Ledger = new MemoryLedger()) {
  const { done, tools } = files(deleting);
  const agent = probeAgent([DELETE], { tools, durability: { ledger } });
  const parked = await expectParked(agent.run('Go.'));
  const approved = parked.output.buildResults({ approveAll: true });
  return { agent, parked, approved, done };
}

describe('D1: an approved call with a ledger', () => {
  it('is replayed after it has executed', async () => {
    const { agent, parked, approved, done } = await park();

    const { first, second, remaining } = await recordAndReplay((environment) =>
      agent.resume(stored(parked.messages), approved, { environment }),
    );

    expect(messageCodec.stringify(second.messages)).toBe(messageCodec.stringify(first.messages));
    expect(remaining).toBe(0);
    expect(done).toEqual(['deleted a']);
  });

  it('is replayed after it is in doubt', async () => {
    const { agent, parked, approved } = await park({ timeout: 10, execute: never });

    const { first, second } = await recordAndReplay((environment) =>
      expectParked(agent.resume(stored(parked.messages), approved, { environment })),
    );

    expect(messageCodec.stringify(second.messages)).toBe(messageCodec.stringify(first.messages));
  });

  it('is replayed after it has failed', async () => {
    const { agent, parked, approved } = await park({
      execute: () => Promise.reject(new Error('Connection reset.')),
    });

    const { first, second } = await recordAndReplay(async (environment) =>
      rejectionOf(agent.resume(stored(parked.messages), approved, { environment })),
    );

    expect(first).toMatchObject({ message: 'Connection reset.' });
    expect(second).toMatchObject({ message: 'Connection reset.' });
  });

  it('keeps its recorded outcome although its tool has drifted since', async () => {
    let version = '1';
    const deleting: FileTool = { preview: () => `Version ${version}` };
    const { agent, parked, approved, done } = await park(deleting);

    const { first, second } = await recordAndReplay(async (environment) => {
      const result = await agent.resume(stored(parked.messages), approved, { environment });
      version = '2';
      return result;
    });

    expect(messageCodec.stringify(second.messages)).toBe(messageCodec.stringify(first.messages));
    expect(done).toEqual(['deleted a']);
  });

  it('keeps the recorded drift although its tool is again what was approved', async () => {
    let version = '1';
    const { agent, parked, approved, done } = await park({ preview: () => `Version ${version}` });
    version = '2';

    const { first, second } = await recordAndReplay(async (environment) => {
      const result = await expectParked(
        agent.resume(stored(parked.messages), approved, { environment }),
      );
      version = '1';
      return result;
    });

    expect(first.output.get('a').details).toMatchObject({ drifted: true, preview: 'Version 2' });
    expect(second.output.get('a').details).toEqual(first.output.get('a').details);
    expect(messageCodec.stringify(second.messages)).toBe(messageCodec.stringify(first.messages));
    expect(done).toEqual([]);
  });

  it('keeps the recorded denial because of drift although its tool is again what was approved', async () => {
    let version = '1';
    const { agent, parked, approved, done } = await park({ preview: () => `Version ${version}` });
    version = '2';

    const { first, second } = await recordAndReplay(async (environment) => {
      const options = { environment, durability: { onDrift: 'deny' } } as const;
      const result = await agent.resume(stored(parked.messages), approved, options);
      version = '1';
      return result;
    });

    expect(resultsIn(first.messages)).toEqual([
      expect.stringMatching(/not what its approver was shown/),
    ]);
    expect(messageCodec.stringify(second.messages)).toBe(messageCodec.stringify(first.messages));
    expect(done).toEqual([]);
  });
});

describe('the step of an approved call that finds an entry in the ledger', () => {
  const insideStep = new AsyncLocalStorage<true>();
  const environment: Environment = {
    ...liveEnvironment,
    step: (_name, action) => insideStep.run(true, action),
  };

  /**
   * A ledger that hides entries from code outside of steps, as if they were written after the gate.
   */
  function lateLedger(ledger: Ledger): Ledger {
    return ledgerWith(ledger, {
      read: async (key) =>
        key.slot.startsWith('call:') && !insideStep.getStore() ? undefined : ledger.read(key),
    });
  }

  function shaky(onInDoubt?: OnInDoubt) {
    let attempts = 0;
    const deleting: FileTool = {
      onInDoubt,
      preview: ({ path }) => `Deletes ${path}.`,
      execute() {
        attempts += 1;
        if (attempts === 1) throw new Error('Connection reset.');
        return `gone at attempt ${attempts}`;
      },
    };
    return { deleting, attempts: () => attempts };
  }

  /** A call in doubt whose approver was not shown the doubt. */
  async function doubted(onInDoubt?: OnInDoubt) {
    const { deleting, attempts } = shaky(onInDoubt);
    const made = await park(deleting, lateLedger(new MemoryLedger()));
    const { agent, parked, approved } = made;
    await rejectionOf(agent.resume(stored(parked.messages), approved));
    const resume = () =>
      agent.resume(stored(parked.messages), approved, { ...REPLAY, environment });
    return { ...made, attempts, resume };
  }

  it('returns the outcome of a call that has executed', async () => {
    const { agent, parked, approved, done } = await park({}, lateLedger(new MemoryLedger()));
    await agent.resume(stored(parked.messages), approved);

    const again = await agent.resume(stored(parked.messages), approved, {
      ...REPLAY,
      environment,
    });

    expect(resultsIn(again.messages)).toEqual(['a is gone']);
    expect(done).toEqual(['deleted a']);
  });

  it('returns a recorded denial', async () => {
    const { agent, parked, approved, done } = await park({}, lateLedger(new MemoryLedger()));
    const denied = parked.output.buildResults({ approvals: { a: new ToolDenied('No.') } });
    await agent.resume(stored(parked.messages), denied);

    const again = await agent.resume(stored(parked.messages), approved, {
      ...REPLAY,
      environment,
    });

    expect(resultsIn(again.messages)).toEqual(['No.']);
    expect(done).toEqual([]);
  });

  it('requests a call in doubt again, with everything that an approver needs', async () => {
    const { attempts, resume } = await doubted();

    const { output } = await expectParked(resume());

    expect(output.get('a').details).toMatchObject({
      inDoubt: { reason: 'Error: Connection reset.' },
      preview: 'Deletes a.',
      digest: expect.any(String),
    });
    expect(output.get('a').args).toEqual({ path: 'a' });
    expect(attempts()).toBe(1);
  });

  it('executes a call in doubt again if the approver was shown this attempt', async () => {
    const { agent, attempts, resume } = await doubted();
    const again = await expectParked(resume());
    const results = again.output.buildResults({ approveAll: true });

    const done = await agent.resume(stored(again.messages), results, { environment });

    expect(resultsIn(done.messages)).toEqual(['gone at attempt 2']);
    expect(attempts()).toBe(2);
  });

  it('executes a call in doubt again if its tool sets `onInDoubt: retry`', async () => {
    const { attempts, resume } = await doubted('retry');

    expect(resultsIn((await resume()).messages)).toEqual(['gone at attempt 2']);
    expect(attempts()).toBe(2);
  });

  it('reports a call in doubt to the model if its tool sets `onInDoubt: fail`', async () => {
    const { attempts, resume } = await doubted('fail');

    expect(resultsIn((await resume()).messages)).toEqual([
      expect.stringMatching(/unknown whether/),
    ]);
    expect(attempts()).toBe(1);
  });
});
