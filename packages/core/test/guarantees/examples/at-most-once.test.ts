import {
  FunctionToolset,
  type Ledger,
  MemoryLedger,
  type Message,
  type RunContext,
  type Tool,
  tool,
  UserError,
} from 'holdpoint';
import { calls, type ResponseLike, responds, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { never, rejectionOf } from '../../support/latch.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { files, historyBeforeCalls, probeAgent, stored } from './probe.ts';

const pay = (euros: number, id: string) => calls('pay', { euros }, { id });

/** Creates an at-most-once tool that needs no approval. */
function payments(more: { sequential?: boolean; timeout?: number } = {}) {
  const paid: number[] = [];
  const payment = tool({
    name: 'pay',
    once: true,
    inputSchema: z.object({ euros: z.number() }),
    execute({ euros }) {
      paid.push(euros);
      return `${euros} paid`;
    },
    ...more,
  });
  return { paid, payment };
}

/** Returns the history of a crashed run, which ends with the calls of the model. */
async function crashed(script: readonly ResponseLike[], tools: readonly Tool[], ledger: Ledger) {
  const agent = probeAgent(script, { tools, durability: { ledger } });
  return { agent, messageHistory: await historyBeforeCalls(agent) };
}

describe('an at-most-once tool', () => {
  it('is an error without a ledger, before anything executes', async () => {
    const { paid, payment } = payments();
    const agent = probeAgent([pay(5, 'p')], { tools: [payment] });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringMatching(/ledger/) });
    expect(paid).toEqual([]);
  });

  it('requires no approval', async () => {
    const { paid, payment } = payments();
    const agent = probeAgent([pay(5, 'p')], {
      tools: [payment],
      durability: { ledger: new MemoryLedger() },
    });

    expect((await agent.run('Go.')).status).toBe('finished');
    expect(paid).toEqual([5]);
  });

  it('executes once even if its history is run again after a crash', async () => {
    const { paid, payment } = payments();
    const { agent, messageHistory } = await crashed([pay(5, 'p')], [payment], new MemoryLedger());

    for (let time = 0; time < 3; time++) {
      const { messages } = await agent.run(undefined, { messageHistory });
      expect(resultsIn(messages)).toEqual(['5 paid']);
    }

    expect(paid).toEqual([5]);
  });

  it('executes each time if it is not marked', async () => {
    const { done, tools } = files();
    const read = calls('read_file', { path: 'a' }, { id: 'r' });
    const { agent, messageHistory } = await crashed([read], tools, new MemoryLedger());

    for (let time = 0; time < 3; time++) await agent.run(undefined, { messageHistory });

    expect(done).toHaveLength(3);
  });

  it('is in doubt after a crash during execution: the run requests a decision', async () => {
    let runs = 0;
    const hanging = tool({
      name: 'pay',
      once: true,
      inputSchema: z.object({ euros: z.number() }),
      execute() {
        runs += 1;
        return runs === 1 ? never() : 'paid';
      },
    });
    const ledger = new MemoryLedger();
    const { agent, messageHistory } = await crashed([pay(5, 'p')], [hanging], ledger);
    await rejectionOf(agent.run(undefined, { messageHistory, signal: AbortSignal.timeout(10) }));

    const waiting = await expectParked(agent.run(undefined, { messageHistory }));
    expect(waiting.output.get('p').details.inDoubt?.reason).toMatch(/^TimeoutError/);
    expect(runs).toBe(1);
    const { messages } = await agent.resume(
      stored(waiting.messages),
      waiting.output.buildResults({ approvals: { p: true } }),
    );

    expect(resultsIn(messages)).toEqual(['paid']);
    // A second run from the old history returns the recorded outcome.
    const again = await agent.run(undefined, { messageHistory });
    expect(resultsIn(again.messages)).toEqual(['paid']);
    expect(runs).toBe(2);
  });

  it('executes for each of its calls, in one response and in the next', async () => {
    const { paid, payment } = payments();
    const agent = probeAgent([responds(pay(1, 'a'), pay(1, 'b')), pay(1, 'c')], {
      tools: [payment],
      durability: { ledger: new MemoryLedger() },
    });

    await agent.run('Go.');

    expect(paid).toEqual([1, 1, 1]);
  });

  it.each([false, true])(
    'executes for each of its calls, even if the model gives them the same id: sequential %s',
    async (sequential) => {
      const { paid, payment } = payments({ sequential });
      const agent = probeAgent([responds(pay(1, 'same'), pay(2, 'same')), pay(3, 'same')], {
        tools: [payment],
        durability: { ledger: new MemoryLedger() },
      });

      const { messages } = await agent.run('Go.');

      expect(paid.toSorted()).toEqual([1, 2, 3]);
      expect(resultsIn(messages)).toEqual(['1 paid', '2 paid', '3 paid']);
    },
  );

  it('executes for each of its calls, even if the history is shortened', async () => {
    const { paid, payment } = payments();
    const responses = [pay(1, 'a'), pay(2, 'b'), pay(3, 'c'), pay(4, 'd')];
    const agent = probeAgent([], {
      tools: [payment],
      durability: { ledger: new MemoryLedger() },
      historyProcessors: [(messages) => messages.slice(-2)],
    });

    await agent.run('Go.', { model: scriptedModel(...responses, says('Done.')) });

    expect(paid).toEqual([1, 2, 3, 4]);
  });

  it('executes once after a crash, even if the history is shortened', async () => {
    const { paid, payment } = payments();
    const agent = probeAgent([], {
      tools: [payment],
      durability: { ledger: new MemoryLedger() },
      historyProcessors: [(messages) => messages.slice(-2)],
    });
    const responses = [pay(1, 'a'), pay(2, 'b'), pay(3, 'c')];
    const run = agent.iter('Go.', { model: scriptedModel(...responses, says('Done.')) });
    let messageHistory: readonly Message[] = [];
    for await (const step of run) {
      if (step.kind === 'call-tools') messageHistory = stored(run.messages).messages;
      if (paid.length === 3) break;
    }

    // The stored history does not contain the last payment, which executed.
    const { messages } = await agent.run(undefined, { messageHistory });

    expect(resultsIn(messages).at(-1)).toBe('3 paid');
    expect(paid).toEqual([1, 2, 3]);
  });

  it('cannot be called by another tool, because its calls could not be distinguished', async () => {
    const { paid, payment } = payments();
    const outer = tool({
      name: 'outer',
      execute: (_, ctx: RunContext) => ctx.toolManager.call('pay', { euros: 5 }),
    });
    const agent = probeAgent([calls('outer', {}, { id: 'o' })], {
      tools: [payment, outer],
      durability: { ledger: new MemoryLedger() },
    });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(paid).toEqual([]);
  });

  it('executes at most once in every transformed toolset', async () => {
    const { paid, payment } = payments();
    const toolset = new FunctionToolset([payment]).prefixed('bank');
    const agent = probeAgent([calls('bank_pay', { euros: 5 }, { id: 'p' })], {
      toolsets: [toolset],
      durability: { ledger: new MemoryLedger() },
    });
    const messageHistory = await historyBeforeCalls(agent);

    await agent.run(undefined, { messageHistory });
    await agent.run(undefined, { messageHistory });

    expect(paid).toEqual([5]);
  });
});
