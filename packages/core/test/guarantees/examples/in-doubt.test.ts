import { approveAll, DeferredToolResults, type Ledger, MemoryLedger, ToolDenied } from 'holdpoint';
import type { OnInDoubt } from 'holdpoint/tools';
import { calls, faultyLedger } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { inFolder } from '../../support/capabilities.ts';
import { expectParked } from '../../support/deferral.ts';
import { drain, never, rejectionOf } from '../../support/latch.ts';
import { subAgent } from '../../support/sub-agents.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { movedClock } from './ledgers.ts';
import { files, type ProbeResume, probeAgent, stored } from './probe.ts';

const DELETE = calls('delete_file', { path: 'a' }, { id: 'a' });
const REPLAY = { durability: { onAlreadyResumed: 'replay' } } as const;

/** Creates a tool that takes effect and then throws an unexpected error on its first execution. */
function shaky() {
  let runs = 0;
  return {
    runs: () => runs,
    execute() {
      runs += 1;
      if (runs === 1) throw new Error('Connection reset.');
      return `gone at attempt ${runs}`;
    },
  };
}

type FileTool = NonNullable<Parameters<typeof files>[0]>;

async function park(deleting: FileTool, ledger: Ledger = new MemoryLedger()) {
  const agent = probeAgent([DELETE], { tools: files(deleting).tools, durability: { ledger } });
  const parked = await expectParked(agent.run('Go.'));
  const approved = parked.output.buildResults({ approveAll: true });
  const resume = (more: ProbeResume = {}) => agent.resume(stored(parked.messages), approved, more);
  return { ledger, agent, parked, approved, resume };
}

/** Resumes a call that fails with an unexpected error, so that the run parks on a call in doubt. */
async function doubted(onInDoubt?: OnInDoubt, deleting: FileTool = {}) {
  const tool = shaky();
  const made = await park({ ...deleting, execute: tool.execute, onInDoubt });
  expect(await rejectionOf(made.resume())).toMatchObject({ message: 'Connection reset.' });
  return { ...made, runs: tool.runs };
}

describe('an approved call is in doubt', () => {
  const inDoubtAfter = async (work: Promise<unknown>, resume: () => Promise<unknown>) => {
    await work.catch(() => {});
    const { output } = await expectParked(resume());
    return output.get('a').details.inDoubt;
  };

  it('after an unexpected error', async () => {
    const { resume } = await park({ execute: () => Promise.reject(new Error('Reset.')) });

    expect(await inDoubtAfter(resume(), () => resume(REPLAY))).toMatchObject({
      attempt: expect.any(String),
      reason: 'Error: Reset.',
      since: expect.any(Number),
    });
  });

  it('newcomer 8: with the idempotency key of its attempt', async () => {
    const keys: unknown[] = [];
    const { resume } = await park({
      execute: (_args, ctx) => {
        keys.push(ctx.idempotencyKey);
        throw new Error('Reset.');
      },
    });

    const inDoubt = await inDoubtAfter(resume(), () => resume(REPLAY));

    expect(keys).toEqual([expect.any(String)]);
    expect(inDoubt?.idempotencyKey).toBe(keys[0]);
  });

  it('after a timeout: the run parks immediately', async () => {
    const { resume } = await park({ timeout: 10, execute: never });

    const { output } = await expectParked(resume());

    expect(output.get('a').details.inDoubt?.reason).toMatch(/longer than 10 ms/);
  });

  it('after a timeout, and a tool that never ends does not keep the process alive', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    let before: number;
    let after: number;
    do {
      const { resume } = await park({ timeout: 10, execute: never });
      before = timers();
      await resume();
      after = timers();
      // A timer of an earlier test may have ended, so the two counts cannot be compared.
    } while (after < before);

    expect(after).toBe(before);
  });

  it('after an abort', async () => {
    const { resume } = await park({ execute: never });

    const aborted = resume({ signal: AbortSignal.timeout(10) });

    expect(await inDoubtAfter(aborted, () => resume(REPLAY))).toMatchObject({
      reason: expect.stringMatching(/^TimeoutError/),
    });
  });

  it('after its process died between the effect and the outcome', async () => {
    const clock = movedClock();
    const ledger = new MemoryLedger({ now: clock.now });
    const { agent, parked, approved, resume } = await park({}, ledger);
    const clean = faultyLedger(new MemoryLedger());
    const settling = await indexOfSettle(clean);
    const dying = faultyLedger(ledger, { index: settling, when: 'before', kind: 'hang' });
    void agent.resume(stored(parked.messages), approved, { durability: { ledger: dying } });
    await dying.struck;
    clock.pass(61_000);

    const { output } = await expectParked(resume(REPLAY));

    expect(output.get('a').details.inDoubt?.reason).toMatch(/lease ran out/);
  });

  /** Returns the index of the ledger operation that settles the call. */
  async function indexOfSettle(ledger: ReturnType<typeof faultyLedger>): Promise<number> {
    const { agent, parked, approved } = await park({}, ledger);
    const before = ledger.operations.length;
    await agent.resume(stored(parked.messages), approved);
    return ledger.operations.slice(before).findIndex(({ name }) => name === 'settle');
  }
});

describe('a call in doubt', () => {
  it('never executes again without a decision, however often the run is resumed', async () => {
    const { runs, resume } = await doubted();

    for (let time = 0; time < 3; time++) await expectParked(resume(REPLAY));

    expect(runs()).toBe(1);
  });

  it('executes again if an approver who confirmed the doubt approves it', async () => {
    const { agent, runs, resume } = await doubted();
    const waiting = await expectParked(resume(REPLAY));

    const { messages } = await agent.resume(
      stored(waiting.messages),
      waiting.output.buildResults({ approvals: { a: true } }),
    );

    expect(resultsIn(messages)).toEqual(['gone at attempt 2']);
    expect(runs()).toBe(2);
  });

  it('executes again with approveAll as well', async () => {
    const { agent, runs, resume } = await doubted();
    const waiting = await expectParked(resume(REPLAY));

    await agent.resume(waiting, waiting.output.buildResults({ approveAll: true }));

    expect(runs()).toBe(2);
  });

  it('settles when the approver denies it', async () => {
    const { agent, runs, resume } = await doubted();
    const waiting = await expectParked(resume(REPLAY));
    const denied = new ToolDenied('Leave it.');

    const { messages } = await agent.resume(
      waiting,
      waiting.output.buildResults({ approvals: { a: denied } }),
    );

    expect(resultsIn(messages)).toEqual(['Leave it.']);
    // Later resumes return the same outcome.
    expect(resultsIn((await resume(REPLAY)).messages)).toEqual(['Leave it.']);
    expect(runs()).toBe(1);
  });

  it('settles when the approver supplies the result', async () => {
    const { agent, runs, resume } = await doubted();
    const waiting = await expectParked(resume(REPLAY));

    const { messages } = await agent.resume(
      waiting,
      new DeferredToolResults({ calls: { a: 'It is gone: I have looked.' } }),
    );

    expect(resultsIn(messages)).toEqual(['It is gone: I have looked.']);
    expect(resultsIn((await resume(REPLAY)).messages)).toEqual(['It is gone: I have looked.']);
    expect(runs()).toBe(1);
  });

  it('can be given its result with buildResults', async () => {
    const { resume } = await doubted();
    const waiting = await expectParked(resume(REPLAY));

    const results = waiting.output.buildResults({ calls: { a: 'It is gone.' } });

    expect(results.calls).toEqual({ a: 'It is gone.' });
    expect(results.digests).toEqual({ a: waiting.output.get('a').details.digest });
  });

  it('does not execute again with an approval of an earlier attempt', async () => {
    let runs = 0;
    const { agent, resume } = await park({
      execute() {
        runs += 1;
        throw new Error(`Failure ${runs}.`);
      },
    });
    await rejectionOf(resume());
    const first = await expectParked(resume(REPLAY));
    const yes = first.output.buildResults({ approveAll: true });
    await rejectionOf(agent.resume(stored(first.messages), yes));
    expect(runs).toBe(2);

    const second = await expectParked(agent.resume(stored(first.messages), yes, REPLAY));

    expect(second.output.get('a').details.inDoubt?.reason).toBe('Error: Failure 2.');
    expect(runs).toBe(2);
  });

  it('settles if the tool returns after all', async () => {
    let runs = 0;
    const { resume, agent } = await park({
      timeout: 10,
      async execute() {
        runs += 1;
        await sleep(40);
        return 'late, but gone';
      },
    });
    const waiting = await expectParked(resume());
    await sleep(150);

    // The approver approves another execution, which has no further effect.
    const { messages } = await agent.resume(
      waiting,
      waiting.output.buildResults({ approvals: { a: true } }),
    );

    expect(resultsIn(messages)).toEqual(['late, but gone']);
    expect(runs).toBe(1);
  });

  it('executes again automatically if the tool is set to retry', async () => {
    const { runs, resume } = await doubted('retry');

    const { messages } = await resume(REPLAY);

    expect(resultsIn(messages)).toEqual(['gone at attempt 2']);
    expect(runs()).toBe(2);
  });

  it('is reported to the model if the tool is set to fail, without a request', async () => {
    const { runs, resume } = await doubted('fail');

    const { messages } = await resume(REPLAY);

    expect(resultsIn(messages)).toEqual([expect.stringMatching(/unknown whether/)]);
    expect(runs()).toBe(1);
  });
});

describe('a call in doubt that was denied without knowledge of the doubt', () => {
  const hook = inFolder('safe');
  const deniedLate = async () => {
    const tool = shaky();
    const { tools } = files({ execute: tool.execute, preview: ({ path }) => `Deletes ${path}.` });
    const agent = probeAgent([DELETE], {
      tools,
      durability: { ledger: new MemoryLedger() },
      capabilities: [hook],
    });
    const parked = await expectParked(agent.run('Go.'));
    await rejectionOf(agent.resume(parked, parked.output.buildResults({ approveAll: true })));
    const denied = parked.output.buildResults({ approvals: { a: false } });
    const again = await expectParked(agent.resume(stored(parked.messages), denied, REPLAY));
    return { agent, again, runs: tool.runs };
  };

  it('is requested again with all recorded details', async () => {
    const { again } = await deniedLate();

    expect(again.output.get('a').details).toMatchObject({
      inDoubt: { reason: 'Error: Connection reset.' },
      preview: 'Deletes safe/a.',
      args: { path: 'safe/a' },
    });
    expect(again.output.get('a').args).toEqual({ path: 'safe/a' });
  });

  it.each([
    ['denied', false, 1],
    ['approved', true, 2],
  ])('can then be %s', async (_, decide, expected) => {
    const { agent, again, runs } = await deniedLate();

    const { status } = await agent.resume(
      stored(again.messages),
      again.output.buildResults({ approvals: { a: decide } }),
    );

    expect(status).toBe('finished');
    expect(runs()).toBe(expected);
  });
});

describe('a call in doubt whose tool has changed meanwhile', () => {
  /** Approves the call until the run finishes. */
  const approveUntilDone = async (
    agent: ReturnType<typeof probeAgent>,
    waiting: Awaited<ReturnType<typeof expectParked>>,
  ) => {
    for (let time = 0; time < 3; time++) {
      const decisions = waiting.output.buildResults({ approveAll: true });
      const result = await agent.resume(stored(waiting.messages), decisions);
      if (result.status === 'finished') return result;
      waiting = result;
    }
    throw new Error('It is asked about again and again.');
  };

  it('can be resolved in a deployment with another version', async () => {
    const tool = shaky();
    const { ledger, resume } = await park({ execute: tool.execute, version: '1' });
    await rejectionOf(resume());
    const waiting = await expectParked(resume(REPLAY));
    const { tools } = files({ execute: tool.execute, version: '2' });

    const { status } = await approveUntilDone(
      probeAgent([DELETE], { tools, durability: { ledger } }),
      waiting,
    );

    expect(status).toBe('finished');
    expect(tool.runs()).toBe(2);
  });

  it('can be resolved if its preview shows the effect of the first attempt', async () => {
    const tool = shaky();
    const { agent, resume } = await park({
      execute: tool.execute,
      preview: () => `Has run ${tool.runs()} times.`,
    });
    await rejectionOf(resume());
    const waiting = await expectParked(resume(REPLAY));

    expect(waiting.output.get('a').details.inDoubt).toBeDefined();
    await approveUntilDone(agent, waiting);

    expect(tool.runs()).toBe(2);
  });
});

describe('a call in doubt', () => {
  it('of a sub-agent accepts a result', async () => {
    const tool = shaky();
    const sub = subAgent([DELETE], { tools: files({ execute: tool.execute }).tools });
    const agent = probeAgent([calls('sub', { prompt: 'Go.' }, { id: 's' })], {
      tools: [sub.asTool()],
      durability: { ledger: new MemoryLedger() },
    });
    const parked = await expectParked(agent.run('Go.'));
    const yes = parked.output.buildResults({ approveAll: true });
    await rejectionOf(agent.resume(parked, yes));
    const waiting = await expectParked(agent.resume(parked, yes, REPLAY));
    expect(waiting.output.get('s/a').details.inDoubt).toBeDefined();

    const { status } = await agent.resume(
      stored(waiting.messages),
      new DeferredToolResults({ calls: { 's/a': 'It is gone.' } }),
    );

    expect(status).toBe('finished');
    expect(tool.runs()).toBe(1);
  });

  it('that a handler approved is in doubt for every process that resumes the history', async () => {
    const tool = shaky();
    const agent = probeAgent([DELETE], {
      tools: files({ execute: tool.execute }).tools,
      durability: { ledger: new MemoryLedger() },
    });
    const first = agent.iter('Go.', { deferredToolHandler: approveAll() });
    await rejectionOf(drain(first));
    const reasons: unknown[] = [];

    const second = await agent.run(undefined, {
      messageHistory: stored(first.messages).messages,
      deferredToolHandler(requests) {
        const { inDoubt } = requests.get('a').details;
        reasons.push(inDoubt?.reason);
        return requests.buildResults({ approvals: { a: inDoubt === undefined } });
      },
    });
    // The reason is in the approval request, or at the latest in the next one.
    if (second.status === 'parked') reasons.push(second.output.get('a').details.inDoubt?.reason);

    expect(tool.runs()).toBe(1);
    expect(reasons).toContain('Error: Connection reset.');
  });
});

describe('a run with a call in doubt that is resumed with a handler instead of decisions', () => {
  it('shows the doubt to the handler, and a denial settles the call', async () => {
    const { resume, agent } = await park({ timeout: 10, execute: never });
    const parked = await expectParked(resume());
    const requested = parked.output.get('a').details;
    const shown: unknown[] = [];

    const done = await agent.run(undefined, {
      messageHistory: stored(parked.messages).messages,
      deferredToolHandler(requests) {
        shown.push(requests.get('a').details);
        return requests.buildResults({ approvals: { a: new ToolDenied('It has not.') } });
      },
    });

    expect(shown).toEqual([requested]);
    expect(resultsIn(done.messages)).toEqual(['It has not.']);
  });
});
