import {
  Agent,
  approveAll,
  MemoryLedger,
  type RunContext,
  type Tool,
  tool,
  type UsageLimits,
} from 'holdpoint';
import { calls, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { latch, never, rejectionOf } from '../support/latch.ts';
import {
  following,
  parkingAgent,
  parkingOutput,
  removeTool,
  stored,
  twoBranches,
} from './support/pairs.ts';

const cost = { usage: { inputTokens: 10, outputTokens: 1 } };

/** Creates three levels of agents; each model response uses ten tokens. */
function countedTeam(limits?: UsageLimits) {
  const { remove, ran } = removeTool();
  const bottom = new Agent<readonly Tool[]>({
    name: 'bottom',
    tools: [remove],
    model: following(
      responds(calls('remove', { path: 'a' }, { id: 'r' }), cost),
      responds('Removed.', cost),
    ),
  });
  const middle = new Agent<readonly Tool[]>({
    name: 'middle',
    tools: [bottom.asTool()],
    model: following(
      responds(calls('bottom', { prompt: '' }, { id: 'b' }), cost),
      responds('Done.', cost),
    ),
  });
  const lead = new Agent({
    tools: [middle.asTool()],
    model: following(
      responds(calls('middle', { prompt: '' }, { id: 'm' }), cost),
      responds('Done.', cost),
    ),
    output: parkingOutput,
    usageLimits: limits,
  });
  return { lead, ran };
}

describe('the usage of agents that park', () => {
  it('counts for the run, before it parks and after it resumes', async () => {
    const { lead } = countedTeam();

    const parked = await expectParked(lead.run('Go.'));
    expect(parked.usage).toMatchObject({ requests: 3, toolCalls: 0, inputTokens: 30 });

    const done = await lead.resume(
      { messages: stored(parked) },
      parked.output.buildResults({ approveAll: true }),
    );
    expect(done.usage).toMatchObject({ requests: 3, toolCalls: 3, inputTokens: 30 });
  });

  it('is carried over if the run is set to carry it', async () => {
    const { lead } = countedTeam();
    const parked = await expectParked(lead.run('Go.', { durability: { carryUsage: true } }));

    const done = await lead.resume(
      { messages: stored(parked) },
      parked.output.buildResults({ approveAll: true }),
      { durability: { carryUsage: true } },
    );

    expect(done.usage).toMatchObject({ requests: 6, toolCalls: 3, inputTokens: 60 });
  });

  it('is the same inline as in two runs', async () => {
    const { lead } = countedTeam();

    const { usage } = await lead.run('Go.', { deferredToolHandler: approveAll() });

    expect(usage).toMatchObject({ requests: 6, toolCalls: 3, inputTokens: 60 });
  });
});

describe('the limits of a run', () => {
  it('apply to resumed sub-agents', async () => {
    const { lead, ran } = countedTeam();
    const parked = await expectParked(lead.run('Go.'));
    const results = parked.output.buildResults({ approveAll: true });

    const error = await rejectionOf(
      lead.resume({ messages: stored(parked) }, results, { usageLimits: { requestLimit: 1 } }),
    );

    expect(error).toMatchObject({ code: 'usage-limit-exceeded' });
    expect(ran).toEqual(['a']);
  });

  it('cannot be escaped by parking if usage is carried over', async () => {
    const { lead, ran } = countedTeam({ requestLimit: 4 });
    const parked = await expectParked(lead.run('Go.', { durability: { carryUsage: true } }));

    const error = await rejectionOf(
      lead.resume({ messages: stored(parked) }, parked.output.buildResults({ approveAll: true }), {
        durability: { carryUsage: true },
      }),
    );

    expect(error).toMatchObject({ message: expect.stringMatching(/and 4 are allowed/) });
    expect(ran).toEqual(['a']);
  });

  it('count all branches before any of them executes', async () => {
    const { lead, ran } = twoBranches();
    const parked = await expectParked(lead.run('Go.'));

    const error = await rejectionOf(
      lead.resume({ messages: stored(parked) }, parked.output.buildResults({ approveAll: true }), {
        usageLimits: { toolCallsLimit: 1 },
      }),
    );

    expect(error).toMatchObject({ code: 'usage-limit-exceeded' });
    expect(ran).toEqual([]);
  });
});

describe('the ledger of a run', () => {
  it('covers the calls of sub-agents: a copy that is resumed elsewhere executes none again', async () => {
    const ledger = new MemoryLedger();
    const { lead, ran } = twoBranches();
    const parked = await expectParked(lead.run('Go.', { durability: { ledger } }));
    const results = parked.output.buildResults({ approveAll: true });

    const going = Array.from({ length: 8 }, () =>
      lead.resume({ messages: stored(parked) }, results, {
        durability: { ledger, onAlreadyResumed: 'replay', onBusy: 'wait' },
      }),
    );
    const ended = await Promise.all(going);

    expect(ended.map(({ output }) => output)).toEqual(Array.from({ length: 8 }, () => 'Done.'));
    expect(ran.toSorted()).toEqual(['left.txt', 'right.txt']);
  });

  it('records the denial of a sub-agent’s call', async () => {
    const ledger = new MemoryLedger();
    const { lead, ran } = twoBranches();
    const parked = await expectParked(lead.run('Go.', { durability: { ledger } }));
    const { output } = parked;
    await lead.resume(
      parked,
      output.buildResults({ approvals: { 'left/in': false }, approveAll: true }),
      { durability: { ledger } },
    );

    await lead.resume({ messages: stored(parked) }, output.buildResults({ approveAll: true }), {
      durability: { ledger, onAlreadyResumed: 'replay' },
    });

    expect(ran).toEqual(['right.txt']);
  });

  it('gives calls of different branches different keys', async () => {
    const keys: string[] = [];
    const pay = tool({
      name: 'pay',
      requiresApproval: true,
      execute: (_args, ctx) => void keys.push(ctx.idempotencyKey ?? ''),
    });
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      tools: [pay],
      model: following(calls('pay', {}, { id: 'p' })),
    });
    const both = responds(
      calls('sub', { prompt: '' }, { id: 'a' }),
      calls('sub', { prompt: '' }, { id: 'b' }),
    );
    const lead = parkingAgent([both], { tools: [sub.asTool()] });
    const parked = await expectParked(lead.run('Go.'));
    const results = parked.output.buildResults({ approveAll: true });

    await lead.resume(parked, results);
    await lead.resume({ messages: stored(parked) }, results);

    expect(new Set(keys).size).toBe(2);
    expect(keys.slice(0, 2).toSorted()).toEqual(keys.slice(2).toSorted());
  });
});

describe('the signal of a run', () => {
  it('ends resumed sub-agents', async () => {
    const started = latch();
    const reasons: unknown[] = [];
    const wait = tool({
      name: 'wait',
      requiresApproval: true,
      execute(_args, { signal }: RunContext) {
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        started.open();
        return never();
      },
    });
    const bottom = new Agent<readonly Tool[]>({
      name: 'bottom',
      tools: [wait],
      model: following(calls('wait', {}, { id: 'w' })),
    });
    const middle = new Agent<readonly Tool[]>({
      name: 'middle',
      tools: [bottom.asTool()],
      model: following(calls('bottom', { prompt: '' }, { id: 'b' })),
    });
    const lead = parkingAgent([calls('middle', { prompt: '' }, { id: 'm' })], {
      tools: [middle.asTool()],
    });
    const parked = await expectParked(lead.run('Go.'));
    const controller = new AbortController();
    const reason = new Error('Somebody pressed stop.');

    const going = rejectionOf(
      lead.resume({ messages: stored(parked) }, parked.output.buildResults({ approveAll: true }), {
        signal: controller.signal,
      }),
    );
    await started.opened;
    controller.abort(reason);

    expect(await going).toBe(reason);
    expect(reasons).toEqual([reason]);
  });
});

describe('the deps of a run', () => {
  it('reach sub-agents again when they resume', async () => {
    interface User {
      readonly user: string;
    }
    const who: string[] = [];
    const act = tool({
      name: 'act',
      requiresApproval: true,
      execute: (_args, ctx: RunContext<User>) => void who.push(ctx.deps.user),
    });
    const sub = new Agent({
      name: 'sub',
      tools: [act],
      model: following(calls('act', {}, { id: 'in' })),
    });
    const lead = new Agent({
      tools: [sub.asTool()],
      model: following(calls('sub', { prompt: '' }, { id: 'out' }), says('Done.')),
      output: parkingOutput,
    });
    const parked = await expectParked(lead.run('Go.', { deps: { user: 'ada' } }));

    await lead.resume(
      { messages: stored(parked) },
      parked.output.buildResults({ approveAll: true }),
      { deps: { user: 'bob' } },
    );

    expect(who).toEqual(['bob']);
  });
});
