import {
  Agent,
  MemoryLedger,
  messageCodec,
  outputFunction,
  type RunContext,
  type StepEvent,
  type Tool,
  tool,
  ToolDenied,
} from 'holdpoint';
import type { Environment } from 'holdpoint/agents';
import { otel } from 'holdpoint/otel';
import {
  calls,
  faultyLedger,
  functionModel,
  recordingEnvironment,
  replayingEnvironment,
  responds,
  says,
} from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { movedClock } from '../guarantees/examples/ledgers.ts';
import { files, probeAgent, stored } from '../guarantees/examples/probe.ts';
import { expectParked } from '../support/deferral.ts';
import { latch, never } from '../support/latch.ts';
import { present } from '../support/present.ts';
import { recordSpans } from '../support/spans.ts';
import { following, subAgent } from '../support/sub-agents.ts';
import { recordAndReplay, storedRecording } from './record-and-replay.ts';
import { strictEnvironment } from './strict-environment.ts';

const deletion = (path: string) => calls('delete_file', { path }, { id: path });

describe('D2: a claimed call that times out', () => {
  /** A tool that never ends. `started` opens when it executes. */
  function hangingPayment(options: {
    readonly timeout: number;
    readonly once?: boolean;
    readonly requiresApproval?: boolean;
  }) {
    const started = latch();
    const execute = () => (started.open(), never());
    return { started, pay: tool({ name: 'pay', execute, ...options }) };
  }

  it('is in doubt in the recorded run and on replay', async () => {
    const ledger = new MemoryLedger();
    const pay = tool({ name: 'pay', timeout: 10, once: true, execute: never });
    const agent = probeAgent([calls('pay', {}, { id: 'p' })], {
      tools: [pay],
      durability: { ledger },
    });

    const { first, second } = await recordAndReplay((environment) =>
      expectParked(agent.run('Go.', { environment })),
    );

    expect(first.output.get('p').details.inDoubt?.reason).toMatch(/longer than 10 ms/);
    expect(second.output.get('p').details).toEqual(first.output.get('p').details);
    expect(messageCodec.stringify(second.messages)).toBe(messageCodec.stringify(first.messages));
  });

  it('that another process executes is a retry in the recorded run and on replay', async () => {
    const ledger = new MemoryLedger();
    const { pay, started } = hangingPayment({ timeout: 300, requiresApproval: true });
    const slow = tool({ name: 'pay', timeout: 10, requiresApproval: true, execute: never });
    const script = [calls('pay', {}, { id: 'p' })];
    const parked = await expectParked(
      probeAgent(script, { tools: [pay], durability: { ledger } }).run('Go.'),
    );
    const results = parked.output.buildResults({ approveAll: true });
    const other = probeAgent(script, { tools: [pay], durability: { ledger } }).resume(
      parked,
      results,
    );
    await started.opened;

    const agent = probeAgent(script, { tools: [slow], durability: { ledger } });
    const { first, second } = await recordAndReplay((environment) =>
      agent.resume(parked, results, {
        environment,
        durability: { onAlreadyResumed: 'replay', onBusy: 'wait' },
      }),
    );

    expect(messageCodec.stringify(first.messages)).toMatch(/It had no result after 10 ms/);
    expect(messageCodec.stringify(second.messages)).toBe(messageCodec.stringify(first.messages));
    await other;
  });

  it('and that was cancelled first is not recorded as timed out', async () => {
    const ledger = new MemoryLedger();
    const { pay, started } = hangingPayment({ timeout: 60_000, once: true });
    const agent = probeAgent([calls('pay', {}, { id: 'p' })], {
      tools: [pay],
      durability: { ledger },
    });
    const recorder = recordingEnvironment();
    const controller = new AbortController();

    const run = agent.run('Go.', { environment: recorder, signal: controller.signal });
    await started.opened;
    controller.abort(new Error('Stop.'));

    await expect(run).rejects.toThrow('Stop.');
    expect(JSON.stringify(recorder.recording.arrivals)).not.toMatch(/longer than/);
  });
});

describe('D3: a sub-agent that parks twice', () => {
  it('has the same history on replay', async () => {
    const { tools } = files();
    const clerk = subAgent([deletion('a'), deletion('b')], { tools });
    const lead = probeAgent([calls('sub', { prompt: 'Go.' }, { id: 's' })], {
      tools: [clerk.asTool()],
      durability: { ledger: new MemoryLedger() },
    });
    const parked = await expectParked(lead.run('Go.'));
    const results = parked.output.buildResults({ approveAll: true });

    const { first, second } = await recordAndReplay((environment) =>
      expectParked(lead.resume(stored(parked.messages), results, { environment })),
    );

    expect(messageCodec.stringify(second.messages)).toBe(messageCodec.stringify(first.messages));
  });

  it('leaves frozen messages on replay', async () => {
    const { tools } = files();
    const clerk = subAgent([deletion('a')], { tools });
    const look = tool({ name: 'look', execute: () => ({ list: [{ name: 'x' }] }) });
    const lead = probeAgent([responds(calls('sub', { prompt: 'Go.' }), calls('look'))], {
      tools: [clerk.asTool(), look],
    });

    const { second } = await recordAndReplay((environment) => lead.run('Go.', { environment }));

    expect(unfrozen(second.messages)).toEqual([]);
  });
});

/** Returns the paths of values that are not frozen. */
function unfrozen(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Object.isFrozen(value) || path === '' ? [] : [path];
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, one]) => unfrozen(one, `${path}/${key}`)),
  ];
}

describe('D4: calls made by tools', () => {
  /** A tool that records its caller and its idempotency key. */
  function charging() {
    const made: { who: string; key: string | undefined; id: string | undefined }[] = [];
    const charge = tool({
      name: 'charge',
      inputSchema: z.object({ who: z.string() }),
      execute({ who }, ctx) {
        made.push({ who, key: ctx.idempotencyKey, id: ctx.toolCallId });
        return who;
      },
    });
    return { made, charge };
  }

  const caller = (name: string, who: string, before: () => Promise<void> = async () => {}) =>
    tool({
      name,
      async execute(_args, ctx: RunContext) {
        await before();
        return ctx.toolManager.call('charge', { who });
      },
    });

  it('keep their ids and keys when a sibling of their caller is replayed', async () => {
    const { made, charge } = charging();
    const first = latch();
    const a = tool({
      name: 'a',
      async execute(_args, ctx: RunContext) {
        const result = await ctx.toolManager.call('charge', { who: 'a' });
        setTimeout(first.open, 20);
        return result;
      },
    });
    const b = caller('b', 'b', () => first.opened);
    const agent = new Agent({
      model: following(responds(calls('a'), calls('b'))),
      tools: [a, b, charge] as readonly Tool[],
    });

    await recordAndReplay((environment) => agent.run('Go.', { environment }), 2);

    expect(made.map(({ who }) => who)).toEqual(['a', 'b', 'b']);
    const [ofA, ofB, again] = made;
    expect(again).toEqual(ofB);
    expect(ofB?.key).not.toBe(ofA?.key);
    expect(ofB?.id).not.toBe(ofA?.id);
  });

  it('have unique ids and keys if their callers share one id', async () => {
    const { made, charge } = charging();
    const agent = new Agent({
      model: following(responds(calls('a', {}, { id: 'x' }), calls('a', {}, { id: 'x' }))),
      tools: [caller('a', 'a'), charge] as readonly Tool[],
    });

    await agent.run('Go.');

    expect(new Set(made.map(({ key }) => key)).size).toBe(2);
    expect(new Set(made.map(({ id }) => id)).size).toBe(2);
  });

  it('do not get the key of another call if their caller makes other calls when it executes again', async () => {
    const { made, charge } = charging();
    const unpaid = ['first', 'second'];
    const payNext = tool({
      name: 'pay_next',
      async execute(_args, ctx: RunContext) {
        return ctx.toolManager.call('charge', { who: unpaid.shift() ?? 'none' });
      },
    });
    const agent = new Agent({
      model: following(calls('pay_next')),
      tools: [payNext, charge] as readonly Tool[],
    });

    await recordAndReplay((environment) => agent.run('Go.', { environment }), 1);

    expect(made.map(({ who }) => who)).toEqual(['first', 'second']);
    expect(made[1]?.key).not.toBe(made[0]?.key);
  });

  it('that are made outside a step are recorded as steps and not executed again', async () => {
    const { made, charge } = charging();
    const agent = new Agent({
      model: following(calls('guarded')),
      tools: [
        charge,
        tool({
          name: 'guarded',
          argsValidator: async (_args, ctx) =>
            void (await ctx.toolManager.call('charge', { who: 'validator' })),
          execute: () => 'ran',
        }),
      ] as readonly Tool[],
      outputValidators: [
        async (output, ctx) => (await ctx.toolManager.call('charge', { who: 'output' }), output),
      ],
    });

    const { first, second } = await recordAndReplay((environment) =>
      agent.run('Go.', { environment }),
    );

    expect(made.map(({ who }) => who)).toEqual(['validator', 'output']);
    expect(second.messages).toEqual(first.messages);
    expect(second.usage).toEqual(first.usage);
  });

  it('that a hook makes inside a model request keep their ids, and so do those after it', async () => {
    const { made, charge } = charging();
    const agent = new Agent({
      model: following(),
      tools: [charge] as readonly Tool[],
      capabilities: [
        {
          name: 'billing',
          async wrapModelRequest(call, next, ctx) {
            await ctx.toolManager.call('charge', { who: 'same' });
            return next(call);
          },
        },
      ],
      outputValidators: [
        async (output, ctx) => (await ctx.toolManager.call('charge', { who: 'same' }), output),
      ],
    });

    await recordAndReplay((environment) => agent.run('Go.', { environment }), 1);

    expect(made).toHaveLength(3);
    const [inRequest, after, again] = made;
    expect(again).toEqual(after);
    expect(after?.key ?? after?.id).not.toBe(inRequest?.key ?? inRequest?.id);
  });
});

describe('D5: promises that the core passes to the environment', () => {
  it('are promises of the environment in every end strategy', async () => {
    const finish = outputFunction({
      name: 'finish',
      inputSchema: z.object({}),
      execute: async () => 'over',
    });
    const look = tool({ name: 'look', timeout: 1000, execute: async () => 'seen' });
    for (const endStrategy of ['early', 'graceful', 'exhaustive'] as const) {
      const agent = new Agent({
        model: following(responds(calls('look'), calls('finish'), calls('look'))),
        tools: [look],
        output: finish,
        endStrategy,
      });

      const { first, second } = await recordAndReplay((environment) =>
        agent.run('Go.', { environment }),
      );

      expect(second.messages).toEqual(first.messages);
    }
  });

  it('are not requested inside the step of a model request by an agent that a hook runs', async () => {
    const adviser = new Agent({ name: 'adviser', model: following() });
    const agent = new Agent({
      model: following(),
      capabilities: [
        {
          name: 'advised',
          async wrapModelRequest(call, next, ctx) {
            await adviser.run('May it?', { parent: ctx });
            return next(call);
          },
        },
      ],
    });

    const { first, second } = await recordAndReplay((environment) =>
      agent.run('Go.', { environment }),
    );

    expect(second.messages).toEqual(first.messages);
    expect(second.usage).toEqual(first.usage);
  });
});

describe('D7: events of a run that is replayed', () => {
  const streaming = () =>
    functionModel(({ messages }) => (messages.length < 2 ? calls('look') : says('Done.')), {
      async *stream({ messages }) {
        if (messages.length < 2) yield calls('look');
        else for (const word of ['All ', 'done.']) yield word;
      },
    });

  async function eventsOf(environment: Environment, log: string[] = []) {
    const look = tool({ name: 'look', execute: () => (log.push('executed'), 'seen') });
    const agent = new Agent({ model: streaming(), tools: [look] });
    const events: StepEvent[] = [];
    const stream = agent.stream('Go.', { environment });
    for await (const event of stream) if (event.kind !== 'run-result') events.push(event);
    return events.map((event) => `${event.replayed ? 'replayed' : 'live'} ${event.kind}`);
  }

  async function recording() {
    const recorder = recordingEnvironment();
    const live = await eventsOf(recorder);
    return { live, recording: storedRecording(recorder.recording) };
  }

  it('are not marked in a live run', async () => {
    const { live } = await recording();

    expect(live.every((event) => event.startsWith('live'))).toBe(true);
  });

  it('are all marked if everything was recorded', async () => {
    const { recording: past } = await recording();

    const again = await eventsOf(replayingEnvironment(past));

    expect(again.filter((event) => event.startsWith('live'))).toEqual([]);
    expect(again).toContain('replayed tool-result');
    expect(again).toContain('replayed part-end');
  });

  it('are marked up to the result of the last recorded step, and not after it', async () => {
    const { recording: past } = await recording();

    // The model request and the call were recorded.
    const again = await eventsOf(replayingEnvironment(past, { upTo: 2 }));

    const lastReplayed = again.findLastIndex((event) => event.startsWith('replayed'));
    expect(again[lastReplayed]).toBe('replayed tool-result');
    expect(again.slice(lastReplayed + 1)).toContain('live text-delta');
    expect(again.slice(0, lastReplayed).filter((event) => event.startsWith('live'))).toEqual([]);
  });

  it('are not marked if the result is of a step that started in this attempt', async () => {
    const { recording: past } = await recording();
    const log: string[] = [];

    const again = await eventsOf(replayingEnvironment(past, { upTo: 1 }), log);

    expect(log).toEqual(['executed']);
    expect(again).toContain('replayed part-end');
    expect(again).toContain('live tool-result');
  });

  it('report spans only for steps that started in this attempt', async () => {
    const { tracer, spans } = recordSpans();
    const look = tool({ name: 'look', execute: () => 'seen' });
    const capabilities = [otel({ tracer })];
    const agent = new Agent({ model: following(calls('look')), tools: [look], capabilities });

    await recordAndReplay((environment) => agent.run('Go.', { environment }), 2);

    const names = spans().map(({ name }) => name);
    expect(names.filter((name) => name === 'execute_tool look')).toHaveLength(1);
    expect(names.filter((name) => name.startsWith('chat'))).toHaveLength(3);
  });
});

describe('D8: ledger reads outside executed calls', () => {
  it('replays a denial together with a result and a prompt', async () => {
    const agent = probeAgent([responds(deletion('a'), deletion('b'))], {
      tools: files().tools,
      durability: { ledger: new MemoryLedger() },
    });
    const parked = await expectParked(agent.run('Go.'));
    const results = parked.output.buildResults({
      approvals: { a: new ToolDenied('No.'), b: new ToolDenied('Not this one.') },
    });

    const { first, second } = await recordAndReplay((environment) =>
      agent.resume(stored(parked.messages), results, { environment }),
    );

    expect(messageCodec.stringify(second.messages)).toBe(messageCodec.stringify(first.messages));
  });

  it('replays a denial of a call in doubt although an operator resolved the doubt meanwhile', async () => {
    const ledger = new MemoryLedger();
    let attempts = 0;
    const { tools } = files({
      execute() {
        attempts += 1;
        throw new Error('Connection reset.');
      },
    });
    const agent = probeAgent([deletion('a')], { tools, durability: { ledger } });
    const parked = await expectParked(agent.run('Go.'));
    await agent
      .resume(parked, parked.output.buildResults({ approveAll: true }))
      .catch((error: Error) => expect(error.message).toBe('Connection reset.'));
    const denied = parked.output.buildResults({ approvals: { a: false } });
    const recorder = recordingEnvironment();
    const options = { durability: { onAlreadyResumed: 'replay' } } as const;
    const first = await expectParked(
      agent.resume(stored(parked.messages), denied, {
        ...options,
        environment: strictEnvironment(recorder),
      }),
    );
    const step = present(first.messages.at(-1)?.metadata?.['holdpoint']) as { step: string };
    const entry = await ledger.read({ step: step.step, slot: 'call:0' });
    expect(entry?.state).toBe('doubt');
    if (entry?.state === 'doubt') {
      const outcome = { kind: 'value', value: 'It is gone.' };
      await ledger.resolve(entry.claim, { kind: 'outcome', outcome });
    }

    const second = await agent.resume(stored(parked.messages), denied, {
      ...options,
      environment: strictEnvironment(replayingEnvironment(storedRecording(recorder.recording))),
    });

    expect(messageCodec.stringify(second.messages)).toBe(messageCodec.stringify(first.messages));
    expect(attempts).toBe(1);
  });

  it('replays a resume although the ledger has forgotten the step meanwhile', async () => {
    const clock = movedClock();
    const ledger = new MemoryLedger({ now: clock.now, retention: 60_000 });
    const agent = probeAgent([deletion('a')], { tools: files().tools, durability: { ledger } });
    const parked = await expectParked(agent.run('Go.'));
    const results = parked.output.buildResults({ approvals: { a: new ToolDenied('No.') } });
    const recorder = recordingEnvironment();
    const first = await agent.resume(stored(parked.messages), results, { environment: recorder });
    clock.pass(120_000);

    const second = await agent.resume(stored(parked.messages), results, {
      environment: replayingEnvironment(storedRecording(recorder.recording)),
    });

    expect(messageCodec.stringify(second.messages)).toBe(messageCodec.stringify(first.messages));
  });

  it('executes no call that the recording lacks if the ledger has forgotten the step', async () => {
    const clock = movedClock();
    const ledger = new MemoryLedger({ now: clock.now, retention: 60_000 });
    const paid: string[] = [];
    const pay = tool({
      name: 'pay',
      inputSchema: z.object({ to: z.string() }),
      once: true,
      execute: ({ to }) => void paid.push(to),
    });
    const agent = probeAgent([responds(calls('pay', { to: 'a' }), calls('pay', { to: 'b' }))], {
      tools: [pay],
      durability: { ledger },
    });
    const recorder = recordingEnvironment();
    await agent.run('Go.', { environment: recorder });
    expect(paid).toEqual(['a', 'b']);
    clock.pass(120_000);
    // The ledger removes old entries when it writes a new one.
    await ledger.record({ step: 'other', slot: 'call:0' }, { outcome: null });

    // The process died after the first of the two calls was recorded.
    const again = agent.run('Go.', {
      environment: replayingEnvironment(storedRecording(recorder.recording), { upTo: 2 }),
    });

    await expect(again).rejects.toMatchObject({ code: 'step-forgotten' });
    expect(paid).toEqual(['a', 'b']);
  });

  it('usage of an outcome that the ledger has is the same on replay', async () => {
    const ledger = new MemoryLedger();
    const adviser = new Agent({ model: following() });
    const ask = tool({
      name: 'ask',
      once: true,
      execute: async (_args, ctx) => (await adviser.run('Well?', { parent: ctx })).output,
    });
    const agent = probeAgent([calls('ask', {}, { id: 'q' })], {
      tools: [ask],
      durability: { ledger },
    });
    const ids = { runId: 'the-run', conversationId: 'the-talk' };
    await agent.run('Go.', ids);

    // The run starts again after a crash and finds the outcome in the ledger.
    const { first, second } = await recordAndReplay((environment) =>
      agent.run('Go.', { ...ids, environment }),
    );

    expect(second.usage).toEqual(first.usage);
  });

  it('records the requests of a parked run once, however often the run is replayed', async () => {
    const ledger = faultyLedger(new MemoryLedger());
    const agent = probeAgent([deletion('a')], { tools: files().tools, durability: { ledger } });
    const recorder = recordingEnvironment();
    const parked = await expectParked(agent.run('Go.', { environment: recorder }));
    for (let time = 0; time < 2; time++) {
      const environment = replayingEnvironment(storedRecording(recorder.recording));
      const again = await expectParked(agent.run('Go.', { environment }));
      expect(again.output.get('a').details).toEqual(parked.output.get('a').details);
    }

    const done = await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(done.status).toBe('finished');
  });

  it('does not doubt a call of an agent whose earlier calls are replayed', async () => {
    const ledger = new MemoryLedger();
    const paid: string[] = [];
    const pay = tool({
      name: 'pay',
      inputSchema: z.object({ to: z.string() }),
      once: true,
      execute: ({ to }) => void paid.push(to),
    });
    const clerk = new Agent({
      model: following(calls('pay', { to: 'a' }), calls('pay', { to: 'b' })),
      tools: [pay],
    });
    const agent = probeAgent([calls('checked', {}, { id: 'c' })], {
      tools: [
        tool({
          name: 'checked',
          argsValidator: async (_args, ctx) => void (await clerk.run('Pay.', { parent: ctx })),
          execute: () => 'ran',
        }),
      ],
      durability: { ledger },
    });

    // The process died after the first payment was recorded.
    const { first, second } = await recordAndReplay(
      (environment) => agent.run('Go.', { environment }),
      3,
    );

    expect(second.status).toBe(first.status);
    expect(paid).toEqual(['a', 'b']);
  });
});
