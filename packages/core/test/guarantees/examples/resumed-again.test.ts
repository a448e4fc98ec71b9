import {
  type LedgerError,
  AlreadyResumedError,
  ApprovalRequired,
  approveAll,
  DeferredToolResults,
  ExternalToolset,
  MemoryLedger,
  type Message,
  requestsFromMessages,
  ToolDenied,
} from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import type { ExternalTool } from 'holdpoint/toolsets';
import { calls, functionModel, responds } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { drain, latch, rejectionOf } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { resultsIn } from '../../support/toolsets.ts';
import {
  type Guard,
  files,
  outcomesOf,
  type ProbeResume,
  probeAgent,
  stored,
  unguarded,
  withLedger,
} from './probe.ts';

const DELETE = calls('delete_file', { path: 'a' }, { id: 'a' });

/** Parks a run on one approval; returns the run and the decision. */
async function park({ options }: Guard, deleting: Parameters<typeof files>[0] = {}) {
  const { done, tools } = files(deleting);
  const agent = probeAgent([DELETE], { tools, ...options() });
  const parked = await expectParked(agent.run('Go.'));
  const approved = parked.output.buildResults({ approveAll: true });
  /** Resumes the stored run, as another process does. */
  const resume = (more: ProbeResume = {}, results: DeferredToolResults = approved) =>
    agent.resume(stored(parked.messages), results, more);
  return { done, agent, parked, resume };
}

describe('a run resumed three times in sequence:', () => {
  it('a call executes three times without a ledger', async () => {
    const { done, resume } = await park(unguarded);

    for (let time = 0; time < 3; time++) await resume();

    expect(done).toEqual(['deleted a', 'deleted a', 'deleted a']);
  });

  it('a call executes once with a ledger: the second resume is rejected before anything executes', async () => {
    const { done, resume } = await park(withLedger);
    await resume();

    for (let time = 0; time < 2; time++) {
      expect(await rejectionOf(resume())).toBeInstanceOf(AlreadyResumedError);
    }

    expect(done).toEqual(['deleted a']);
  });

  it('a call executes once with a ledger and onAlreadyResumed replay: each resume gets its outcome', async () => {
    const { done, resume } = await park(withLedger);

    for (let time = 0; time < 3; time++) {
      const { messages } = await resume({ durability: { onAlreadyResumed: 'replay' } });
      expect(resultsIn(messages)).toEqual(['a is gone']);
    }

    expect(done).toEqual(['deleted a']);
  });
});

describe('a run resumed twice concurrently:', () => {
  /** A slow tool, so that both runs execute it at the same time. */
  const slow = () => {
    const gate = latch();
    let runs = 0;
    const execute = async () => {
      runs += 1;
      await gate.opened;
      return 'gone';
    };
    return { execute, open: gate.open, runs: () => runs };
  };
  /** Waits until one of the runs has ended. */
  const firstEnd = (runs: readonly Promise<unknown>[]) => Promise.race(runs).catch(() => {});
  const soon = () => new Promise((resolve) => setTimeout(resolve, 20));

  it('a call executes twice without a ledger', async () => {
    const tool = slow();
    const { resume } = await park(unguarded, { execute: tool.execute });

    const both = outcomesOf([resume(), resume()]);
    await soon();
    tool.open();

    expect(await both).toEqual(['finished', 'finished']);
    expect(tool.runs()).toBe(2);
  });

  it('a call executes once with a ledger: one resume is rejected', async () => {
    const tool = slow();
    const { resume } = await park(withLedger, { execute: tool.execute });

    const resumes = [resume(), resume()];
    const both = outcomesOf(resumes);
    await firstEnd(resumes);
    tool.open();

    expect((await both).toSorted()).toEqual(['already-resumed', 'finished']);
    expect(tool.runs()).toBe(1);
  });

  it('a call executes once if both may continue: the second fails while the first executes', async () => {
    const tool = slow();
    const { resume } = await park(withLedger, { execute: tool.execute });

    const resumes = [
      resume({ durability: { onAlreadyResumed: 'replay' } }),
      resume({ durability: { onAlreadyResumed: 'replay' } }),
    ];
    const both = outcomesOf(resumes);
    await firstEnd(resumes);
    tool.open();

    expect((await both).toSorted()).toEqual(['call-busy', 'finished']);
    expect(tool.runs()).toBe(1);
  });

  it('a call executes once if the second resume waits: both get its outcome', async () => {
    const tool = slow();
    const { resume } = await park(withLedger, { execute: tool.execute });
    const patient = { durability: { onAlreadyResumed: 'replay', onBusy: 'wait' } } as const;

    const both = Promise.all([resume(patient), resume(patient)]);
    await soon();
    tool.open();

    for (const { messages } of await both) expect(resultsIn(messages)).toEqual(['gone']);
    expect(tool.runs()).toBe(1);
  });
});

describe("conversationId 'new' on resume", () => {
  it('does not execute the call again with a ledger', async () => {
    const { done, resume } = await park(withLedger);
    await resume();

    const error = await rejectionOf(resume({ conversationId: 'new' }));
    const { messages, conversationId } = await resume({
      conversationId: 'new',
      durability: { onAlreadyResumed: 'replay' },
    });

    expect(error).toBeInstanceOf(AlreadyResumedError);
    expect(done).toEqual(['deleted a']);
    expect(resultsIn(messages)).toEqual(['a is gone']);
    expect(conversationId).not.toBe(messages[0]?.conversationId);
  });

  it('executes the call again without a ledger', async () => {
    const { done, resume } = await park(unguarded);
    await resume();

    await resume({ conversationId: 'new' });

    expect(done).toEqual(['deleted a', 'deleted a']);
  });
});

describe('a stale copy of a parked run', () => {
  it('cannot approve a denied call with a ledger', async () => {
    const { done, parked, resume } = await park(withLedger);
    const denied = parked.output.buildResults({ approvals: { a: new ToolDenied('Never.') } });
    await resume({}, denied);

    expect(await rejectionOf(resume())).toBeInstanceOf(AlreadyResumedError);
    const { messages } = await resume({ durability: { onAlreadyResumed: 'replay' } });

    expect(resultsIn(messages)).toEqual(['Never.']);
    expect(done).toEqual([]);
  });

  it('can approve a denied call without a ledger', async () => {
    const { done, parked, resume } = await park(unguarded);
    await resume({}, parked.output.buildResults({ approvals: { a: false } }));

    await resume();

    expect(done).toEqual(['deleted a']);
  });

  it('cannot deny an executed call', async () => {
    const { parked, resume } = await park(withLedger);
    await resume();

    const denied = parked.output.buildResults({ approvals: { a: false } });
    const { messages } = await resume({ durability: { onAlreadyResumed: 'replay' } }, denied);

    expect(resultsIn(messages)).toEqual(['a is gone']);
  });

  it('can approve a call that another copy cancelled, because a cancellation is no decision', async () => {
    const { done, agent, parked, resume } = await park(withLedger);
    await agent.run('Never mind.', { messageHistory: parked.messages, onPendingCalls: 'cancel' });

    await resume();

    expect(done).toEqual(['deleted a']);
  });

  it('cannot change the result of an external call', async () => {
    const paint: ExternalTool = { name: 'paint' };
    const agent = probeAgent([calls('paint', {}, { id: 'p' })], {
      toolsets: [new ExternalToolset([paint])],
      durability: { ledger: new MemoryLedger() },
    });
    const parked = await expectParked(agent.run('Go.'));
    const result = (value: string) => parked.output.buildResults({ calls: { p: value } });
    await agent.resume(parked, result('red'));

    const second = await agent.resume(parked, result('blue'), {
      durability: { onAlreadyResumed: 'replay' },
    });

    expect(resultsIn(second.messages)).toEqual(['red']);
  });
});

describe('a resume', () => {
  it('that was rejected does not count as used', async () => {
    const { done, parked, resume } = await park(withLedger);
    const forged = parked.output.buildResults({ approveAll: true });
    forged.approvals['b'] = true;
    await rejectionOf(resume({}, forged));

    await resume();

    expect(done).toEqual(['deleted a']);
  });

  describe('of a later round, whose history has one request of two earlier runs,', () => {
    /** Parks a run a second time, after a call of each run executed. */
    async function parkAgain() {
      const { done, tools } = files({
        execute({ path }, ctx) {
          if (path === 'b' && ctx.toolCallMetadata === undefined) throw new ApprovalRequired();
          done.push(`deleted ${path}`);
          return `${path} is gone`;
        },
      });
      const batch = responds(
        calls('read_file', { path: 'n' }, { id: 'n' }),
        DELETE,
        calls('delete_file', { path: 'b' }, { id: 'b' }),
      );
      const agent = probeAgent([batch], { tools, ...withLedger.options() });
      const first = await expectParked(agent.run('Go.'));
      const again = () =>
        expectParked(
          agent.resume(stored(first.messages), first.output.buildResults({ approveAll: true }), {
            durability: { onAlreadyResumed: 'replay' },
          }),
        );
      const decided = () =>
        new DeferredToolResults({ approvals: { b: true }, metadata: { b: { final: true } } });
      return { done, agent, again, decided };
    }

    it('is rejected as in the original', async () => {
      const { done, agent, again, decided } = await parkAgain();
      const { messages } = await again();
      const left = agent.iter(undefined, {
        messageHistory: stored(messages).messages,
        deferredToolResults: decided(),
      });
      for await (const step of left) if (step.kind === 'apply-results') break;

      expect(left.messages).toHaveLength(3);
      for (const copy of [left.messages, messages]) {
        const error = await rejectionOf(agent.resume(stored(copy), decided()));
        expect(error).toBeInstanceOf(AlreadyResumedError);
      }
      expect(done).toEqual(['read n', 'deleted a']);
    });

    it('belongs to the run that parked', async () => {
      const { done, agent, again, decided } = await parkAgain();
      const [one, other] = [await again(), await again()];

      for (const { messages } of [one, other]) {
        expect((await agent.resume(stored(messages), decided())).status).toBe('finished');
      }
      expect(done).toEqual(['read n', 'deleted a', 'deleted b']);
    });
  });

  it('that failed after the execution is repeated without executing the call again', async () => {
    const { done, resume } = await park(withLedger);
    const down = functionModel(() => Promise.reject(new Error('The model is down.')));
    expect(await rejectionOf(resume({ model: down }))).toMatchObject({
      message: 'The model is down.',
    });

    const { messages } = await resume({ durability: { onAlreadyResumed: 'replay' } });

    expect(resultsIn(messages)).toEqual(['a is gone']);
    expect(done).toEqual(['deleted a']);
  });

  it('can follow a run whose handler failed', async () => {
    const { done, tools } = files();
    const agent = probeAgent([DELETE], { tools, ...withLedger.options() });
    const failed = agent.iter('Go.', {
      deferredToolHandler: () => Promise.reject(new Error('The terminal was closed.')),
    });
    expect(await rejectionOf(drain(failed))).toMatchObject({ message: 'The terminal was closed.' });

    const parked = stored(failed.messages);
    const requests = present(requestsFromMessages(parked.messages));
    await agent.resume(parked, requests.buildResults({ approveAll: true }));

    expect(done).toEqual(['deleted a']);
  });

  it('can follow a run in which an approved call failed while another one is pending', async () => {
    const both = responds(DELETE, calls('delete_file', { path: 'c' }, { id: 'c' }));
    const { tools } = files({
      execute({ path }) {
        if (path === 'a') throw new Error('Connection reset.');
        return `${path} is gone`;
      },
    });
    const agent = probeAgent([both], { tools, ...withLedger.options() });
    const failed = agent.iter('Go.', {
      capabilities: [
        handleDeferredToolCalls((requests) => {
          const results = requests.buildResults();
          results.approvals['a'] = true;
          return results;
        }),
      ],
    });
    expect(await rejectionOf(drain(failed))).toMatchObject({ message: 'Connection reset.' });

    const decisions = new DeferredToolResults({ approvals: { a: true, c: true } });
    const again = await expectParked(agent.resume(stored(failed.messages), decisions));

    // One call executed; the other is in doubt.
    expect(resultsIn(again.messages)).toEqual(['c is gone']);
    expect(again.output.get('a').details.inDoubt?.reason).toBe('Error: Connection reset.');
  });

  it('needs the ledger that the run was parked with', async () => {
    const { done, resume } = await park(unguarded);

    const error = await rejectionOf(resume({ durability: { ledger: new MemoryLedger() } }));

    // The other decision was recorded later, or the model never received it.
    expect(['step-forgotten', 'invalid-results']).toContain((error as LedgerError).code);
    expect(done).toEqual([]);
  });

  it('by a handler, without decisions, executes no call again', async () => {
    const { done, agent, parked, resume } = await park(withLedger);
    await resume();

    const again = (messageHistory: readonly Message[]) =>
      agent.run(undefined, { messageHistory, deferredToolHandler: approveAll() });

    await again(parked.messages).catch(() => {});
    await again(stored(parked.messages).messages).catch(() => {});
    expect(done).toEqual(['deleted a']);
  });
});
