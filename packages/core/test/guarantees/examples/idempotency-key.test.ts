import {
  ApprovalRequired,
  approveAll,
  MemoryLedger,
  messageCodec,
  type RunContext,
  type Tool,
  tool,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../../support/deferral.ts';
import { latch, rejectionOf } from '../../support/latch.ts';
import { repository, runNode } from '../../support/run-program.ts';
import { subAgent } from '../../support/sub-agents.ts';
import { tempFolder } from '../../support/temp-folder.ts';
import { historyBeforeCalls, probeAgent, stored } from './probe.ts';

const charge = (id = 'c') => calls('charge', {}, { id });

/** Creates a tool that records its idempotency keys and fails `failures` times. */
function charging(failures = 0, more: { requiresApproval?: boolean } = {}) {
  const keys: (string | undefined)[] = [];
  const made: Tool = tool({
    name: 'charge',
    requiresApproval: true,
    execute(_args, ctx) {
      keys.push(ctx.idempotencyKey);
      if (keys.length <= failures) throw new Error('Connection reset.');
      return 'charged';
    },
    ...more,
  });
  return { keys, made };
}

const plain = { requiresApproval: false };

describe('ctx.idempotencyKey is the same', () => {
  it('for every copy of a parked run, also in another conversation', async () => {
    const { keys, made } = charging();
    const agent = probeAgent([charge()], { tools: [made] });
    const parked = await expectParked(agent.run('Go.'));
    const approved = parked.output.buildResults({ approveAll: true });

    await agent.resume(stored(parked.messages), approved);
    await agent.resume(stored(parked.messages), approved, { conversationId: 'new' });

    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/./);
  });

  it('for a tool that reads it after the run continued without the call', async () => {
    const keys: (string | undefined)[] = [];
    const proceed = latch();
    const ended = latch();
    const slow = tool({
      name: 'charge',
      timeout: 5,
      async execute(_args, ctx) {
        keys.push(ctx.idempotencyKey);
        await proceed.opened;
        keys.push(ctx.idempotencyKey);
        ended.open();
      },
    });
    const agent = probeAgent([charge('a'), says('Done.')], { tools: [slow] });

    await agent.run('Go.');
    proceed.open();
    await ended.opened;

    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
  });

  it('for every attempt and round of a call that is in doubt and executes again', async () => {
    const { keys, made } = charging(2);
    const agent = probeAgent([charge()], {
      tools: [made],
      durability: { ledger: new MemoryLedger() },
    });
    let waiting = await expectParked(agent.run('Go.'));
    for (let attempt = 1; attempt <= 2; attempt++) {
      const yes = waiting.output.buildResults({ approveAll: true });
      await rejectionOf(agent.resume(stored(waiting.messages), yes));
      waiting = await expectParked(
        agent.resume(stored(waiting.messages), yes, { durability: { onAlreadyResumed: 'replay' } }),
      );
    }

    await agent.resume(waiting, waiting.output.buildResults({ approveAll: true }));

    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
  });

  it('for a history that is run again after a crash', async () => {
    const { keys, made } = charging(0, plain);
    const agent = probeAgent([charge()], { tools: [made] });
    const messageHistory = await historyBeforeCalls(agent);

    await agent.run(undefined, { messageHistory });
    await agent.run(undefined, { messageHistory });

    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('for a call that requires approval at execution, before and after the approval', async () => {
    const keys: (string | undefined)[] = [];
    const careful = tool({
      name: 'charge',
      execute(_args, ctx) {
        keys.push(ctx.idempotencyKey);
        if (!ctx.toolCallApproved) throw new ApprovalRequired();
      },
    });
    const agent = probeAgent([charge()], { tools: [careful] });
    const parked = await expectParked(agent.run('Go.'));

    await agent.resume(stored(parked.messages), parked.output.buildResults({ approveAll: true }));

    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('for a call that a handler approved, also if its history is run again', async () => {
    const { keys, made } = charging(1);
    const agent = probeAgent([charge()], { tools: [made], durability: { digests: true } });
    const messageHistory = await historyBeforeCalls(agent);
    const deferredToolHandler = approveAll();

    await rejectionOf(agent.run(undefined, { messageHistory, deferredToolHandler }));
    await agent.run(undefined, { messageHistory, deferredToolHandler });

    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('for a parked call of a sub-agent', async () => {
    const { keys, made } = charging();
    const sub = subAgent([charge()], { tools: [made] });
    const agent = probeAgent([calls('sub', { prompt: '' }, { id: 's' })], {
      tools: [sub.asTool()],
    });
    const parked = await expectParked(agent.run('Go.'));
    const approved = parked.output.buildResults({ approveAll: true });

    await agent.resume(stored(parked.messages), approved);
    await agent.resume(stored(parked.messages), approved);

    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it('in another process', { timeout: 30_000 }, async () => {
    await using folder = await tempFolder('key');
    const { keys, made } = charging();
    const agent = probeAgent([charge()], { tools: [made] });
    const parked = await expectParked(agent.run('Go.'));
    const file = `${folder.path}/parked.json`;
    writeFileSync(file, messageCodec.stringify(parked.messages));

    const program = fileURLToPath(new URL('./resume-elsewhere.ts', import.meta.url));
    const run = ['--conditions=holdpoint-source', program, file];
    const printed = await runNode(run, { cwd: repository });
    await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(printed.trim()).toBe(keys[0]);
  });
});

describe('ctx.idempotencyKey differs', () => {
  it('for each call of a response, each step and each run', async () => {
    const { keys, made } = charging(0, plain);
    const agent = probeAgent([responds(charge('a'), charge('b')), charge('a')], { tools: [made] });

    const first = await agent.run('Go.');
    await agent.run('Go.');
    await agent.run('Again.', {
      messageHistory: first.messages,
      model: scriptedModel(charge('a'), says('Done.')),
    });

    expect(keys).toHaveLength(7);
    expect(new Set(keys).size).toBe(7);
  });

  it('for calls of one response with the same id', async () => {
    const { keys, made } = charging(0, plain);
    const agent = probeAgent([responds(charge('same'), charge('same'))], { tools: [made] });

    await agent.run('Go.');

    expect(new Set(keys).size).toBe(2);
  });

  it('for calls of a run with a shortened history', async () => {
    const { keys, made } = charging(0, plain);
    const agent = probeAgent([], {
      tools: [made],
      historyProcessors: [(messages) => messages.slice(-2)],
    });
    const responses = ['a', 'b', 'c', 'd'].map((id) => charge(id));

    await agent.run('Go.', { model: scriptedModel(...responses, says('Done.')) });

    expect(new Set(keys).size).toBe(4);
  });

  it('for each call that another tool makes, because it is not in the history', async () => {
    const { keys, made } = charging(0, plain);
    const outer = tool({
      name: 'outer',
      async execute(_args, ctx: RunContext) {
        await ctx.toolManager.call('charge');
        await ctx.toolManager.call('charge');
      },
    });
    const agent = probeAgent([calls('outer', {}, { id: 'o' })], { tools: [made, outer] });
    const messageHistory = await historyBeforeCalls(agent);

    await agent.run(undefined, { messageHistory });
    await agent.run(undefined, { messageHistory });

    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(4);
  });
});

describe('ctx.idempotencyKey is undefined', () => {
  it('outside of a call', async () => {
    const seen: unknown[] = [];
    const agent = probeAgent([], {
      instructions: (ctx) => {
        seen.push(ctx.idempotencyKey);
        return 'Be brief.';
      },
    });

    await agent.run('Go.');

    expect(seen).toEqual([undefined]);
  });
});
