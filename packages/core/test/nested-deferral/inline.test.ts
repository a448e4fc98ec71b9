import {
  Agent,
  ApprovalRequired,
  approveAll,
  type DeferredToolHandler,
  DeferredToolRequests,
  type Tool,
  ToolDenied,
  tool,
} from 'holdpoint';
import {
  calls,
  functionModel,
  type ResponseLike,
  says,
  shufflingEnvironment,
} from 'holdpoint/testing';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectParked } from '../support/deferral.ts';
import { idsOf } from '../support/histories.ts';
import { drain } from '../support/latch.ts';
import { present } from '../support/present.ts';
import { agentOf, decisionsFor, arbitraryPlan, playOut } from './support/agent-tree.ts';
import { leadOfTeam } from './support/team.ts';

/** Creates a handler that denies one branch and records its requests. */
function branchDenier() {
  const requested: {
    ids: readonly string[];
    paths: readonly string[];
    agent: string | undefined;
  }[] = [];
  const handler: DeferredToolHandler = (requests, ctx) => {
    requested.push({
      ids: idsOf(requests.approvals),
      paths: requests.approvals.map((call) =>
        requests
          .get(call)
          .path.map(({ toolName }) => toolName)
          .join(' > '),
      ),
      agent: ctx.agent.name,
    });
    const right = requests.approvals.find(({ toolCallId }) => toolCallId.startsWith('right/'));
    return requests.buildResults({
      approvals: right ? { [right.toolCallId]: new ToolDenied('Not that one.') } : {},
      approveAll: true,
    });
  };
  return { handler, requested };
}

const OUTPUT = 'left.txt was removed and moved; published; right.txt stays: Not that one.';

describe('a handler of a run with agents three levels deep in two branches', () => {
  it('receives the requests of all branches and of the run at once, in each round', async () => {
    const effects: string[] = [];
    const { handler, requested } = branchDenier();

    const result = await leadOfTeam((effect) => effects.push(effect)).run('Tidy up.', {
      deferredToolHandler: handler,
    });

    expect(result).toMatchObject({ status: 'finished', output: OUTPUT });
    expect(requested).toEqual([
      {
        ids: ['left/w/r', 'right/w/r', 'own'],
        paths: ['manager > worker', 'manager > worker', ''],
        agent: 'lead',
      },
      { ids: ['left/w/m'], paths: ['manager > worker'], agent: 'lead' },
    ]);
    expect(effects.toSorted()).toEqual(['moved left.txt', 'published', 'removed left.txt']);
  });

  it('receives the same requests when the run is streamed or iterated', async () => {
    for (const way of ['stream', 'iter'] as const) {
      const { handler, requested } = branchDenier();

      const going = leadOfTeam(() => {})[way]('Tidy up.', { deferredToolHandler: handler });
      await drain(going);

      expect(await going.result).toMatchObject({ output: OUTPUT });
      expect(requested.map(({ ids }) => ids.length)).toEqual([3, 1]);
    }
  });

  it('leaves no pending call and no superfluous record', async () => {
    const { handler } = branchDenier();

    const { messages } = await leadOfTeam(() => {}).run('Tidy up.', {
      deferredToolHandler: handler,
    });

    expect(messages.map(({ kind }) => kind)).toEqual([
      'request',
      'response',
      'request',
      'response',
    ]);
    expect(messages[2]?.parts.filter(({ kind }) => kind === 'tool-return')).toHaveLength(3);
  });
});

describe('a handler of a run', () => {
  const following = (first: ResponseLike) =>
    functionModel(({ messages }) => (messages.length < 2 ? first : says('Done.')));

  it('receives the calls of a sub-agent that it just approved', async () => {
    const requested: (readonly string[])[] = [];
    const ran: string[] = [];
    const remove = tool({
      name: 'remove',
      requiresApproval: true,
      execute: () => void ran.push('removed'),
    });
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      model: following(calls('remove', {}, { id: 'in' })),
      tools: [remove],
    });
    const lead = new Agent<readonly Tool[]>({
      model: following(calls('sub', { prompt: 'Go on.' }, { id: 'out' })),
      tools: [sub.asTool({ requiresApproval: true })],
    });

    const { output } = await lead.run('Go.', {
      deferredToolHandler: (requests) => {
        requested.push(idsOf(requests.approvals));
        return requests.buildResults({ approveAll: true });
      },
    });

    expect(output).toBe('Done.');
    expect(requested).toEqual([['out'], ['out/in']]);
    expect(ran).toEqual(['removed']);
  });

  it('is not called endlessly about a nested call that keeps deferring', async () => {
    let times = 0;
    const stubborn = tool({
      name: 'stubborn',
      execute() {
        times += 1;
        if (times > 20) throw new Error('It was called without end.');
        throw new ApprovalRequired({ times });
      },
    });
    const output = [String, DeferredToolRequests] as const;
    const plain = new Agent({
      name: 'sub',
      model: following(calls('stubborn', {}, { id: 'in' })),
      tools: [stubborn],
      output,
    });
    const lead = new Agent({
      model: following(calls('sub', { prompt: 'Go on.' }, { id: 'out' })),
      tools: [plain.asTool()],
      output,
    });

    // A call of the run itself behaves the same: a second approval request parks the run.
    await expectParked(plain.run('Go.', { deferredToolHandler: approveAll() }));
    const timesAtTop = times;
    times = 0;
    const parked = await expectParked(lead.run('Go.', { deferredToolHandler: approveAll() }));

    expect(idsOf(parked.output.approvals)).toEqual(['out/in']);
    expect(times).toBe(timesAtTop);
  });
});

describe('random trees of sub-agents', { timeout: 60_000 }, () => {
  const coins = fc.array(fc.boolean(), { minLength: 1, maxLength: 8 });

  it('a handler and several resumed runs have the same result', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPlan, coins, async (plan, sides) => {
        const inOneRun: string[] = [];
        const inSeveral: string[] = [];
        let round = 0;

        const inline = await agentOf(plan, inOneRun).run('Go.', {
          deferredToolHandler: (requests) => {
            const turn = round++;
            return decisionsFor(requests, (index) => present(sides[(index + turn) % sides.length]));
          },
        });
        const ends = await playOut(agentOf(plan, inSeveral), {
          approves: (index, turn) => present(sides[(index + turn) % sides.length]),
        });

        expect(inline.output).toBe(present(ends.at(-1)).output);
        expect(
          inline.messages.flatMap(({ parts }) => parts.map(({ kind }) => kind)).toSorted(),
        ).toEqual(
          present(ends.at(-1))
            .messages.flatMap(({ parts }) => parts.map(({ kind }) => kind))
            .toSorted(),
        );
        expect(inOneRun.toSorted()).toEqual(inSeveral.toSorted());
        expect(ends.length - 1).toBe(round);
      }),
    );
  });

  it('the order in which calls end makes no difference', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryPlan, coins, fc.integer(), async (plan, sides, seed) => {
        const approves = (index: number, turn: number) =>
          present(sides[(index + turn) % sides.length]);
        const effects: string[] = [];
        const shuffled: string[] = [];

        const ends = await playOut(agentOf(plan, effects), { approves });
        const others = await playOut(agentOf(plan, shuffled), {
          approves,
          environment: shufflingEnvironment(seed),
        });

        expect(shuffled.toSorted()).toEqual(effects.toSorted());
        expect(others.map(({ status }) => status)).toEqual(ends.map(({ status }) => status));
        expect(present(others.at(-1)).output).toBe(present(ends.at(-1)).output);
      }),
      { numRuns: 30 },
    );
  });
});
