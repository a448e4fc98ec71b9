import {
  Agent,
  type DeferredToolRequests,
  type DeferredToolResults,
  type Ledger,
  MemoryLedger,
  type Message,
  type Tool,
  type ToolOptions,
  tool,
} from 'holdpoint';
import { calls, functionModel, type ResponseLike, responds, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { latch, never } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { following } from '../../support/sub-agents.ts';
import { historyBeforeCalls, probeAgent, stored } from './probe.ts';

const inputSchema = z.object({ euros: z.number() });
type Marks = Partial<Omit<ToolOptions<unknown, typeof inputSchema>, 'inputSchema'>>;

const pay = (euros: number, id = `pay-${euros}`) => calls('pay', { euros }, { id });
const remove = calls('remove', {}, { id: 'r' });
const look = calls('look', {}, { id: 'l' });

/** One step of a process: a model response, or a crash. */
type Act = ResponseLike | 'die';

/** The level of the agent that has the tools. */
type Depth = 1 | 2;

/**
 * Creates a lead agent whose sub-agent pays without approval. Several processes run it in turn, with
 * the same code and ledger, and with models that may respond differently.
 */
function office({ ledger = new MemoryLedger(), depth = 1, marks = {}, guard = {} }: Office = {}) {
  const paid: number[] = [];
  const seen: string[] = [];
  const payment = tool({
    name: 'pay',
    inputSchema,
    execute({ euros }) {
      paid.push(euros);
      return `${euros} paid`;
    },
    ...marks,
  });
  const removing = tool({
    name: 'remove',
    requiresApproval: true,
    execute() {
      seen.push('removed');
      return 'removed';
    },
  });
  const looking = tool({
    name: 'look',
    readOnly: true,
    execute() {
      seen.push('looked');
      return 'seen';
    },
  });
  const process = (script: readonly Act[]) => {
    const died = latch();
    const model = functionModel(({ messages }) => {
      const act = script[messages.filter(({ kind }) => kind === 'response').length];
      if (act !== 'die') return act ?? says('Done.');
      died.open();
      return never();
    });
    const tools = [payment, removing, looking] as readonly Tool[];
    let subAgent = new Agent<readonly Tool[]>({ name: 'sub', model, tools });
    if (depth === 2) {
      const handingOn = following(calls('sub', { prompt: 'Go.' }, { id: 'm' }));
      subAgent = new Agent<readonly Tool[]>({
        name: 'sub',
        model: handingOn,
        tools: [subAgent.asTool()],
      });
    }
    const lead = probeAgent([calls('sub', { prompt: 'Go.' }, { id: 's' })], {
      tools: [subAgent.asTool()],
      durability: { atMostOnce: 'all-unsafe', ledger, onBusy: 'wait', ...guard },
    });
    return { lead, died };
  };
  return { paid, seen, process, ledger };
}

interface Office {
  readonly ledger?: Ledger;
  readonly depth?: Depth;
  readonly marks?: Marks;
  readonly guard?: { readonly atMostOnce?: 'opt-in'; readonly lease?: number };
}

type Process = ReturnType<ReturnType<typeof office>['process']>;

/** Returns the history before the call of the sub-agent, from which every process starts. */
const beginning = ({ lead }: Process) => historyBeforeCalls(lead);

/** A process that died during a run. */
async function dies({ lead, died }: Process, messageHistory: readonly Message[]) {
  void lead.run(undefined, { messageHistory });
  await died.opened;
}

/** Executes a process until the run parks or ends. */
const takesOver = ({ lead }: Process, messageHistory: readonly Message[]) =>
  lead.run(undefined, { messageHistory });

describe.each<Depth>([1, 2])('a sub-agent at depth %i that a crash stopped', (depth) => {
  it('starts again and repeats no call', async () => {
    const { paid, process } = office({ depth });
    const history = await beginning(process([]));
    await dies(process([responds(pay(5), pay(6)), pay(7), 'die']), history);

    for (let time = 0; time < 2; time++) {
      await takesOver(process([responds(pay(5), pay(6)), pay(7)]), history);
    }

    expect(paid).toEqual([5, 6, 7]);
  });

  it('may make the same calls in another order', async () => {
    const { paid, seen, process } = office({ depth });
    const history = await beginning(process([]));
    await dies(process([responds(pay(5), pay(6)), 'die']), history);

    const done = await takesOver(process([look, pay(6), look, pay(5), pay(7)]), history);

    expect(done.status).toBe('finished');
    expect(paid).toEqual([5, 6, 7]);
    expect(seen).toEqual(['looked', 'looked']);
  });

  it('can repeat a call more often than before', async () => {
    const { paid, process } = office({ depth });
    const history = await beginning(process([]));
    await dies(process([responds(pay(5, 'a'), pay(5, 'b')), 'die']), history);

    await takesOver(process([pay(5, 'a'), pay(5, 'b'), pay(5, 'c')]), history);

    expect(paid).toEqual([5, 5, 5]);
  });

  it('stops if it makes another call instead: the run requests a decision', async () => {
    const { paid, process } = office({ depth });
    const history = await beginning(process([]));
    await dies(process([pay(5), 'die']), history);
    const other = process([pay(50), pay(5)]);

    const waiting = await expectParked(takesOver(other, history));

    const [call] = waiting.output.approvals;
    const { inDoubt } = waiting.output.get(present(call)).details;
    expect(inDoubt?.reason).toMatch(/restarted[^]*other calls/);
    expect(paid).toEqual([5]);
    const yes = waiting.output.buildResults({ approveAll: true });
    const done = await other.lead.resume(stored(waiting.messages), yes);
    expect(done.status).toBe('finished');
    // The earlier executions are not repeated.
    expect(paid).toEqual([5, 50]);
  });

  it('resumes where it parked, and repeats no later call', async () => {
    const { paid, seen, process } = office({ depth });
    const script = [pay(5), remove, pay(6), pay(5)];
    const { lead } = process(script);
    const parked = await expectParked(lead.run('Go.'));
    const yes = parked.output.buildResults({ approveAll: true });
    const dying = process([...script, 'die']);
    void dying.lead.resume(stored(parked.messages), yes);
    await dying.died.opened;
    expect(paid).toEqual([5, 6, 5]);

    const taken = process(script).lead.resume(stored(parked.messages), yes, {
      durability: { onAlreadyResumed: 'replay' },
    });

    expect((await taken).status).toBe('finished');
    expect(paid).toEqual([5, 6, 5]);
    expect(seen).toEqual(['removed']);
  });

  it('retains the calls from before the restart when it parks', async () => {
    const { paid, seen, process } = office({ depth });
    const history = await beginning(process([]));
    await dies(process([pay(5), 'die']), history);
    const other = process([remove, pay(5), pay(6)]);
    const parked = await expectParked(takesOver(other, history));

    const yes = parked.output.buildResults({ approveAll: true });
    const done = await other.lead.resume(stored(parked.messages), yes);

    expect(done.status).toBe('finished');
    expect(paid).toEqual([5, 6]);
    expect(seen).toEqual(['removed']);
  });
});

describe('an approved call of a sub-agent', () => {
  it('executes once, even if a handler approved it in each process', async () => {
    const { seen, process } = office();
    const history = await beginning(process([]));
    const requested: string[] = [];
    const options = {
      messageHistory: history,
      deferredToolHandler: (requests: DeferredToolRequests) => {
        requested.push(...requests.approvals.map(({ toolCallId }) => toolCallId));
        return requests.buildResults({ approveAll: true });
      },
    };
    const dying = process([remove, 'die']);
    void dying.lead.run(undefined, options);
    await dying.died.opened;

    const done = await process([remove]).lead.run(undefined, options);

    expect(done.status).toBe('finished');
    expect(requested).toEqual(['s/r', 's/r']);
    expect(seen).toEqual(['removed']);
  });
});

describe('a call of a sub-agent that was executing when its process died', () => {
  /** A payment that never returns in its first execution. */
  async function hanging(onInDoubt?: ToolOptions<unknown, typeof inputSchema>['onInDoubt']) {
    const started = latch();
    const keys: unknown[] = [];
    const marks: Marks = {
      onInDoubt,
      execute({ euros }, ctx) {
        keys.push(ctx.idempotencyKey);
        started.open();
        return keys.length === 1 ? never() : `${euros} paid`;
      },
    };
    let now = Date.now();
    const ledger = new MemoryLedger({ now: () => now });
    const { process } = office({ ledger, marks });
    const history = await beginning(process([]));
    void process([pay(5)]).lead.run(undefined, { messageHistory: history });
    await started.opened;
    now += 3_600_000;
    return { keys, process, history };
  }

  it.each<[string, (results: DeferredToolResults) => void, number]>([
    ['runs again', (results) => (results.approvals['s/pay-5'] = true), 2],
    ['is left', (results) => (results.approvals['s/pay-5'] = false), 1],
  ])('is requested again, and %s if the approver decides so', async (_, decide, runs) => {
    const { keys, process, history } = await hanging();
    const other = process([pay(5)]);
    const waiting = await expectParked(takesOver(other, history));
    expect(waiting.output.get('s/pay-5').details.inDoubt?.reason).toMatch(/lease/);
    const results = waiting.output.buildResults({ approveAll: true });
    decide(results);

    const done = await other.lead.resume(stored(waiting.messages), results);

    expect(done.status).toBe('finished');
    expect(keys).toHaveLength(runs);
    // The outcome is final, also for a process that starts again.
    await takesOver(process([pay(5)]), history);
    expect(keys).toHaveLength(runs);
  });

  it('fails for the model if its tool is set to fail', async () => {
    const { keys, process, history } = await hanging('fail');

    const done = await takesOver(process([pay(5)]), history);

    expect(done.status).toBe('finished');
    expect(keys).toHaveLength(1);
  });
});

describe('a tool of a sub-agent', () => {
  it('that is marked executes at most once, also if others need not', async () => {
    const { paid, process } = office({ marks: { once: true }, guard: { atMostOnce: 'opt-in' } });
    const history = await beginning(process([]));
    await dies(process([pay(5), 'die']), history);

    await takesOver(process([pay(5)]), history);

    expect(paid).toEqual([5]);
  });

  it('that is not marked executes again by default', async () => {
    const { paid, process } = office({ guard: { atMostOnce: 'opt-in' } });
    const history = await beginning(process([]));
    await dies(process([pay(5), 'die']), history);

    await takesOver(process([pay(5)]), history);

    expect(paid).toEqual([5, 5]);
  });
});

describe('an agent that a tool runs with parent: ctx', () => {
  it('repeats no call if an approver approves another execution of the tool', async () => {
    const paid: number[] = [];
    const payment = tool({
      name: 'pay',
      inputSchema,
      execute({ euros }) {
        paid.push(euros);
        return `${euros} paid`;
      },
    });
    let failures = 1;
    const clerk = new Agent({ model: following(pay(5)), tools: [payment] });
    const twice = tool({
      name: 'twice',
      async execute(_, ctx) {
        await clerk.run('Go.', { parent: ctx });
        if (failures-- > 0) throw new Error('The line is dead.');
        await clerk.run('Go.', { parent: ctx });
        return 'Done.';
      },
    });
    const agent = probeAgent([calls('twice', {}, { id: 't' })], {
      tools: [twice],
      durability: { atMostOnce: 'all-unsafe', ledger: new MemoryLedger() },
    });
    const messageHistory = await historyBeforeCalls(agent);
    await agent.run(undefined, { messageHistory }).catch(() => {});
    const waiting = await expectParked(agent.run(undefined, { messageHistory }));

    const yes = waiting.output.buildResults({ approveAll: true });
    const done = await agent.resume(stored(waiting.messages), yes);

    expect(done.status).toBe('finished');
    // The first payment of the first attempt, and the second payment of the other attempt.
    expect(paid).toEqual([5, 5]);
  });
});
