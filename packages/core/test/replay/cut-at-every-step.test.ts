import {
  approveAll,
  DeferredToolRequests,
  type DeferredToolResults,
  MemoryLedger,
  messageCodec,
  ModelRetry,
  type RunResultOf,
  type Tool,
  tool,
  ToolApproved,
  ToolDenied,
} from 'holdpoint';
import type { Environment } from 'holdpoint/agents';
import {
  calls,
  fakeClock,
  type Recording,
  recordingEnvironment,
  replayingEnvironment,
  responds,
  shufflingEnvironment,
} from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ProbeAgent, probeAgent, stored } from '../guarantees/examples/probe.ts';
import { expectParked } from '../support/deferral.ts';
import { latch, never } from '../support/latch.ts';
import { subAgent } from '../support/sub-agents.ts';
import { resultsIn } from '../support/toolsets.ts';
import { endedSteps, storedRecording } from './record-and-replay.ts';
import { strictEnvironment } from './strict-environment.ts';

type Result = RunResultOf<readonly [typeof String, typeof DeferredToolRequests]>;

/** Everything that survives the death of a process: the ledger, and the effects of tools. */
interface World {
  /** The effects of claimed calls, in order. */
  readonly effects: string[];
  readonly ledger: MemoryLedger;
  /** Moves the clock of the ledger. */
  readonly pass: (ms: number) => void;
}

function createWorld(): World {
  let time = 0;
  const ledger = new MemoryLedger({ now: () => time });
  return { effects: [], ledger, pass: (ms) => void (time += ms) };
}

/**
 * A function that starts the run of a scenario in an environment. Every attempt has the same ids.
 */
type Start = (environment: Environment) => Promise<Result>;

const IDS = { runId: 'the-run', conversationId: 'the-conversation' } as const;
const LEASE = 60_000;

/** A tool whose effects are recorded. `work` returns its result after the effect. */
function effectTool(
  { effects }: World,
  name: string,
  options: {
    readonly once?: boolean;
    readonly timeout?: number;
    readonly sequential?: boolean;
    readonly preview?: (to: string) => string;
    readonly work?: (to: string) => unknown;
  } = {},
): Tool {
  const { once = false, preview, work = (to: string) => `${name} ${to}: done`, ...more } = options;
  return tool({
    name,
    inputSchema: z.object({ to: z.string() }),
    once,
    requiresApproval: !once,
    ...more,
    ...(preview && { preview: ({ to }: { to: string }) => preview(to) }),
    execute: ({ to }) => {
      effects.push(`${name} ${to}`);
      return work(to);
    },
  });
}

const pay = (to: string) => calls('pay', { to }, { id: to });

/** Parks a run, and returns the start of its resume. */
async function resumeOf(
  agent: ProbeAgent,
  decide: (requests: DeferredToolRequests) => DeferredToolResults = (requests) =>
    requests.buildResults({ approveAll: true }),
): Promise<Start> {
  const parked = await expectParked(agent.run('Go.'));
  const results = decide(parked.output);
  return (environment) =>
    agent.resume(stored(parked.messages), results, {
      ...IDS,
      environment,
      durability: { lease: LEASE },
    });
}

type Create = (world: World) => Start | Promise<Start>;

const scenarios: Readonly<Record<string, Create>> = {
  'an approved call': (world) =>
    resumeOf(
      probeAgent([pay('a')], {
        tools: [effectTool(world, 'pay')],
        durability: { ledger: world.ledger },
      }),
    ),
  'two approved calls and a denied one': (world) =>
    resumeOf(
      probeAgent([responds(pay('a'), pay('b'), pay('c'))], {
        tools: [effectTool(world, 'pay')],
        durability: { ledger: world.ledger },
      }),
      (requests) =>
        requests.buildResults({ approvals: { a: true, b: new ToolDenied('No.'), c: true } }),
    ),
  'approved calls that execute one after the other': (world) =>
    resumeOf(
      probeAgent([responds(pay('a'), pay('b'))], {
        tools: [effectTool(world, 'pay', { sequential: true })],
        durability: { ledger: world.ledger },
      }),
    ),
  'an approved call with edited arguments': (world) =>
    resumeOf(
      probeAgent([pay('a')], {
        tools: [effectTool(world, 'pay')],
        durability: { ledger: world.ledger },
      }),
      (requests) =>
        requests.buildResults({
          approvals: { a: new ToolApproved({ overrideArgs: { to: 'z' } }) },
        }),
    ),
  'an approved call whose preview changes when it executes': (world) =>
    resumeOf(
      probeAgent([pay('a')], {
        tools: [effectTool(world, 'pay', { preview: () => `${world.effects.length} payments` })],
        durability: { ledger: world.ledger },
      }),
    ),
  'an approved call whose tool drifted': async (world) => {
    let preview = 'before';
    const tools = [effectTool(world, 'pay', { preview: () => preview })];
    const start = await resumeOf(
      probeAgent([pay('a')], { tools, durability: { ledger: world.ledger } }),
    );
    preview = 'after';
    return start;
  },
  'approved calls in two responses, decided by a handler': (world) => {
    const agent = probeAgent([pay('a'), pay('b')], {
      tools: [effectTool(world, 'pay')],
      durability: { ledger: world.ledger },
    });
    return (environment) =>
      agent.run('Go.', { ...IDS, environment, deferredToolHandler: approveAll() });
  },
  'calls that execute once without approval': (world) => {
    const agent = probeAgent([responds(pay('a'), pay('b')), pay('c')], {
      tools: [effectTool(world, 'pay', { once: true })],
      durability: { ledger: world.ledger },
    });
    return (environment) => agent.run('Go.', { ...IDS, environment });
  },
  'a call that sends the model back once': (world) => {
    const work = (to: string) => {
      if (to === 'a') throw new ModelRetry('Pay somebody else.');
      return 'paid';
    };
    const agent = probeAgent([pay('a'), pay('b')], {
      tools: [effectTool(world, 'pay', { once: true, work })],
      durability: { ledger: world.ledger },
    });
    return (environment) => agent.run('Go.', { ...IDS, environment });
  },
  'a call that times out, and so is in doubt': (world) =>
    resumeOf(
      probeAgent([responds(pay('a'), calls('book', { to: 'b' }, { id: 'b' }))], {
        tools: [
          effectTool(world, 'pay', { timeout: 10, work: never }),
          effectTool(world, 'book', {}),
        ],
        durability: { ledger: world.ledger },
      }),
    ),
  'an approved call after one that needs no approval': (world) => {
    const look = tool({ name: 'look', execute: () => 'seen' });
    return resumeOf(
      probeAgent([responds(pay('a'), calls('look'))], {
        tools: [effectTool(world, 'pay'), look],
        durability: { ledger: world.ledger },
      }),
    );
  },
  'approved calls of a sub-agent that parks twice': async (world) => {
    const sub = subAgent([pay('a'), pay('b')], { tools: [effectTool(world, 'pay')] });
    const agent = probeAgent([calls('sub', { prompt: 'Go.' }, { id: 's' })], {
      tools: [sub.asTool()],
      durability: { ledger: world.ledger },
    });
    const parked = await expectParked(agent.run('Go.'));
    const again = await expectParked(
      agent.resume(parked, parked.output.buildResults({ approveAll: true })),
    );
    const results = again.output.buildResults({ approveAll: true });
    return (environment) =>
      agent.resume(stored(again.messages), results, {
        ...IDS,
        environment,
        durability: { lease: LEASE },
      });
  },
  'calls of a sub-agent that execute once': (world) => {
    const tools = [effectTool(world, 'pay', { once: true })];
    const sub = subAgent([pay('a'), pay('b')], { tools });
    const agent = probeAgent(
      [responds(calls('sub', { prompt: 'Go.' }, { id: 's' }), calls('pay', { to: 'c' }))],
      { tools: [sub.asTool(), ...tools], durability: { ledger: world.ledger } },
    );
    return (environment) => agent.run('Go.', { ...IDS, environment });
  },
};

/** The part of a result that must be the same after a cut: ids and times of sub-agents differ. */
function summaryOf(result: Result): unknown {
  const requests = result.output instanceof DeferredToolRequests ? result.output : undefined;
  return {
    status: result.status,
    results: resultsIn(result.messages),
    requests: requests?.approvals.map(({ toolCallId }) => ({
      toolCallId,
      args: requests.get(toolCallId).args,
      isInDoubt: requests.get(toolCallId).details.inDoubt !== undefined,
      attempt: requests.get(toolCallId).details.inDoubt?.attempt,
      drifted: requests.get(toolCallId).details.drifted,
    })),
  };
}

async function record(start: Start): Promise<{ result: Result; recording: Recording }> {
  const recorder = recordingEnvironment(fakeClock());
  const result = await start(strictEnvironment(recorder));
  return { result, recording: storedRecording(recorder.recording) };
}

describe.each(Object.entries(scenarios))('a replay of %s', (_title, create) => {
  it('has the same history, and executes nothing', async () => {
    const world = createWorld();
    const start = await create(world);
    const { result, recording } = await record(start);
    const effects = [...world.effects];
    const replayer = replayingEnvironment(recording, { base: fakeClock() });

    const replayed = await start(strictEnvironment(replayer));

    expect(messageCodec.stringify(replayed.messages)).toBe(messageCodec.stringify(result.messages));
    expect(replayed.status).toBe(result.status);
    expect(replayed.usage).toEqual(result.usage);
    expect(world.effects).toEqual(effects);
    expect(replayer.remaining).toBe(0);
  });

  it('has the same result after a crash that followed any step, and repeats no effect', async () => {
    const steps = endedSteps((await record(await create(createWorld()))).recording);
    for (let upTo = 0; upTo <= steps; upTo++) {
      const world = createWorld();
      const start = await create(world);
      const { result, recording } = await record(start);
      const effects = [...world.effects];
      const replayer = replayingEnvironment(recording, { upTo, base: fakeClock() });

      const resumed = await start(strictEnvironment(replayer));

      expect(summaryOf(resumed), `after ${upTo} of ${steps} steps`).toEqual(summaryOf(result));
      expect(world.effects, `after ${upTo} of ${steps} steps`).toEqual(effects);
    }
  });

  it.each([1, 2, 3])('has the same result in any order of step ends: seed %i', async (seed) => {
    const expected = await record(await create(createWorld()));
    const world = createWorld();
    const start = await create(world);

    const result = await start(strictEnvironment(shufflingEnvironment(seed, fakeClock())));

    const inAnyAttempt = (summary: unknown) =>
      JSON.parse(JSON.stringify(summary, (key, value) => (key === 'attempt' ? undefined : value)));
    expect(inAnyAttempt(summaryOf(result))).toEqual(inAnyAttempt(summaryOf(expected.result)));
    expect(new Set(world.effects).size).toBe(world.effects.length);
  });
});

describe('a replay after the process died during a call', () => {
  /** Records a run until its tool has started, and abandons it. */
  async function dieDuring(
    create: (world: World, work: () => Promise<never>) => Start | Promise<Start>,
  ) {
    const world = createWorld();
    const started = latch();
    const start = await create(world, () => (started.open(), never()));
    const recorder = recordingEnvironment(fakeClock());
    void start(recorder);
    await started.opened;
    world.pass(2 * LEASE);
    const replayer = replayingEnvironment(storedRecording(recorder.recording), {
      base: fakeClock(),
    });
    return { world, replayed: start(strictEnvironment(replayer)) };
  }

  const approved = (world: World, work: () => Promise<never>) =>
    resumeOf(
      probeAgent([pay('a')], {
        tools: [effectTool(world, 'pay', { work })],
        durability: { ledger: world.ledger },
      }),
    );
  const withPreview = (world: World, work: () => Promise<never>) =>
    resumeOf(
      probeAgent([pay('a')], {
        tools: [
          effectTool(world, 'pay', { work, preview: () => `${world.effects.length} payments` }),
        ],
        durability: { ledger: world.ledger },
      }),
    );
  const once = (world: World, work: () => Promise<never>): Start => {
    const tools = [effectTool(world, 'pay', { once: true, work })];
    const agent = probeAgent([pay('a')], { tools, durability: { ledger: world.ledger } });
    return (environment) => agent.run('Go.', { ...IDS, environment, durability: { lease: LEASE } });
  };

  it.each([
    ['an approved call', approved],
    ['an approved call whose preview has changed', withPreview],
    ['a call that executes once', once],
  ])('requests the call again as in doubt, and executes nothing: %s', async (_what, create) => {
    const { world, replayed } = await dieDuring(create);

    const { output } = await expectParked(replayed);

    expect(output.get('a').details.inDoubt?.reason).toMatch(/lease ran out/);
    expect(world.effects).toEqual(['pay a']);
  });
});
