import {
  Agent,
  ExternalToolset,
  type Ledger,
  MemoryLedger,
  type RunContext,
  type ToolOptions,
  tool,
  UserError,
} from 'holdpoint';
import { calls } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { rejectionOf } from '../../support/latch.ts';
import { following } from '../../support/sub-agents.ts';
import { resultsIn } from '../../support/toolsets.ts';
import { historyBeforeCalls, type ProbeAgent, probeAgent, stored } from './probe.ts';

const inputSchema = z.object({ euros: z.number() });
type Marks = Partial<Omit<ToolOptions<unknown, typeof inputSchema>, 'inputSchema'>>;

/** Creates a tool that needs no approval, and a record of its executions. */
function payments(marks: Marks = {}) {
  const paid: number[] = [];
  const payment = tool({
    name: 'pay',
    inputSchema,
    execute({ euros }) {
      paid.push(euros);
      return `${euros} paid`;
    },
    ...marks,
  });
  return { paid, payment };
}

const pay = (euros: number) => calls('pay', { euros }, { id: `pay-${euros}` });

const unlessSafe = (ledger: Ledger = new MemoryLedger()) =>
  ({ durability: { atMostOnce: 'all-unsafe', ledger } }) as const;

/** Runs the history that a crash left again, `times` times. */
async function runAgain(agent: ProbeAgent, times = 2) {
  const messageHistory = await historyBeforeCalls(agent);
  for (let time = 0; time < times; time++) await agent.run(undefined, { messageHistory });
}

describe('at most once for all unsafe tools:', () => {
  it('a tool executes once by default', async () => {
    const { paid, payment } = payments();

    await runAgain(probeAgent([pay(5)], { tools: [payment], ...unlessSafe() }));

    expect(paid).toEqual([5]);
  });

  it.each<[string, Marks]>([
    ['is read-only', { readOnly: true }],
    ['is idempotent', { idempotent: true }],
    ['opts out with `once: false`', { once: false }],
  ])('a tool executes again if it %s', async (_, marks) => {
    const { paid, payment } = payments(marks);

    await runAgain(probeAgent([pay(5)], { tools: [payment], ...unlessSafe() }));

    expect(paid).toEqual([5, 5]);
  });

  it('a tool marked `once` executes once, with any other flag', async () => {
    const { paid, payment } = payments({ once: true, readOnly: true });

    await runAgain(probeAgent([pay(5)], { tools: [payment], ...unlessSafe() }));

    expect(paid).toEqual([5]);
  });

  it('the option of the run overrides the option of the agent', async () => {
    const { paid, payment } = payments();
    const agent = probeAgent([pay(5)], {
      tools: [payment],
      durability: { ledger: new MemoryLedger() },
    });
    const messageHistory = await historyBeforeCalls(agent);

    for (const once of ['all-unsafe', 'all-unsafe', 'opt-in'] as const) {
      await agent.run(undefined, { messageHistory, durability: { atMostOnce: once } });
    }

    expect(paid).toEqual([5, 5]);
  });

  it('a run needs a ledger', async () => {
    const { paid, payment } = payments();
    const agent = probeAgent([pay(5)], {
      tools: [payment],
      durability: { atMostOnce: 'all-unsafe' },
    });

    const error = await rejectionOf(agent.run('Go.'));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringContaining('ledger') });
    expect(paid).toEqual([]);
  });

  it('external calls are deferred as usual', async () => {
    const agent = probeAgent([calls('paint', {}, { id: 'p' })], {
      toolsets: [new ExternalToolset([{ name: 'paint' }])],
      ...unlessSafe(),
    });
    const parked = await expectParked(agent.run('Go.'));

    const results = parked.output.buildResults({ calls: { p: 'a picture' } });
    const { messages } = await agent.resume(stored(parked.messages), results);

    expect(resultsIn(messages)).toEqual(['a picture']);
  });

  it('outputs are unaffected', async () => {
    const agent = new Agent({
      model: following(calls('final_result', { euros: 5 })),
      output: inputSchema,
      ...unlessSafe(),
    });

    expect((await agent.run('Go.')).output).toEqual({ euros: 5 });
  });

  it('a tool can still call another one, as part of its own call', async () => {
    const { paid, payment } = payments();
    const twice = tool({
      name: 'twice',
      async execute(_, ctx: RunContext) {
        await ctx.toolManager.call('pay', { euros: 1 });
        return ctx.toolManager.call('pay', { euros: 1 });
      },
    });
    const tools = [payment, twice];
    const agent = probeAgent([calls('twice', {}, { id: 't' })], { tools, ...unlessSafe() });

    await runAgain(agent);

    // Both calls of the first time, and none of the second.
    expect(paid).toEqual([1, 1]);
  });

  it('a flag alone does not change the approval request', async () => {
    const ledger = new MemoryLedger();
    const { paid, payment } = payments({ requiresApproval: true });
    const before = probeAgent([pay(5)], { tools: [payment], durability: { ledger } });
    const parked = await expectParked(before.run('Go.'));
    const flagged = payments({ requiresApproval: true, idempotent: true, readOnly: true });
    const after = probeAgent([pay(5)], { tools: [flagged.payment], durability: { ledger } });

    const results = parked.output.buildResults({ approveAll: true });
    const { status } = await after.resume(stored(parked.messages), results);

    expect(status).toBe('finished');
    expect([paid, flagged.paid]).toEqual([[], [5]]);
  });
});
