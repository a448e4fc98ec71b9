import { type Capability, messageCodec } from 'holdpoint';
import type { Environment } from 'holdpoint/agents';
import type { CapabilityHooks } from 'holdpoint/capabilities';
import {
  calls,
  fakeClock,
  recordingEnvironment,
  type Recording,
  replayingEnvironment,
  responds,
  says,
  shufflingEnvironment,
} from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith } from '../../support/capabilities.ts';
import { expectParked, workshop } from '../../support/deferral.ts';
import { settled } from '../../support/latch.ts';
import { present } from '../../support/present.ts';
import { resultsIn } from '../../support/toolsets.ts';

/** Creates a capability with every hook; each hook logs its calls. */
function everyHook(log: string[], name = 'it'): Capability {
  const note = (hook: keyof CapabilityHooks) => void log.push(`${name} ${hook}`);
  return {
    name,
    forRun: () => ({
      wrapRun(next) {
        note('wrapRun');
        return next();
      },
      async wrapModelRequest(call, next) {
        note('wrapModelRequest');
        await settled();
        return next({ ...call, settings: { seed: 1 } });
      },
      async wrapToolValidation({ args }, next, ctx) {
        note('wrapToolValidation');
        await next(ctx.toolCallApproved ? args : { ...args, path: `${args['path']}!` });
      },
      async wrapToolExecution(_call, next) {
        note('wrapToolExecution');
        await settled();
        return `${await next()}, twice checked`;
      },
      async wrapOutput(value, next) {
        note('wrapOutput');
        return `${await next(value)} (${name})`;
      },
      onEvent: () => note('onEvent'),
    }),
  };
}

const INSIDE = ['it wrapModelRequest', 'it wrapToolExecution'];

async function go(environment: Environment, log: string[] = []) {
  const shop = workshop();
  const { model, agent } = agentWith([everyHook(log)], {
    tools: [shop.read],
    environment,
    script: [
      responds(calls('read', { path: 'a' }), calls('read', { path: 'b' })),
      calls('read', { path: 'c' }),
      says('Done.'),
    ],
  });
  const result = await agent.run('Go.', { runId: 'r', conversationId: 'c' });
  return { shop, model, result, log };
}

async function recorded() {
  const environment = recordingEnvironment(fakeClock());
  const made = await go(environment);
  const recording = JSON.parse(JSON.stringify(environment.recording)) as Recording;
  return { ...made, recording };
}

describe('hooks in a recorded run', () => {
  it('are part of one step for each request and one for each executed call', async () => {
    const { recording, result } = await recorded();

    const steps = recording.requests.flatMap((one) => (one.kind === 'step' ? [one.name] : []));
    expect(steps).toEqual(['model', 'tool:read', 'tool:read', 'model', 'tool:read', 'model']);
    expect(result.output).toBe('Done. (it)');
    expect(resultsIn(result.messages)[0]).toBe('read a!: done, twice checked');
  });
});

describe('hooks in a replayed run', () => {
  it('are not called inside a replayed step, and are called again elsewhere', async () => {
    const first = await recorded();

    const again = await go(replayingEnvironment(first.recording, { base: fakeClock() }));

    expect(again.result.output).toBe(first.result.output);
    expect(messageCodec.stringify(again.result.messages)).toBe(
      messageCodec.stringify(first.result.messages),
    );
    expect(again.model.calls).toEqual([]);
    expect(again.shop.ran()).toEqual([]);
    expect(again.log).toEqual(first.log.filter((entry) => !INSIDE.includes(entry)));
  });

  it.each([1, 2, 3, 4, 5])(
    'after a replay up to step %i execute the rest, and nothing twice',
    async (upTo) => {
      const first = await recorded();
      const log: string[] = [];
      const shop = workshop();
      const model = [
        responds(calls('read', { path: 'a' }), calls('read', { path: 'b' })),
        calls('read', { path: 'c' }),
        says('Done.'),
      ];
      const requestCount = present([0, 1, 1, 1, 2, 2][upTo]);
      const { agent } = agentWith([everyHook(log)], {
        tools: [shop.read],
        environment: replayingEnvironment(first.recording, { upTo, base: fakeClock() }),
        script: model.slice(requestCount),
      });

      const result = await agent.run('Go.', { runId: 'r', conversationId: 'c' });

      expect(result.output).toBe('Done. (it)');
      expect(resultsIn(result.messages)).toEqual(resultsIn(first.result.messages));
      const done = present([0, 0, 1, 2, 2, 3][upTo]);
      expect(shop.ran()).toHaveLength(3 - done);
      expect(log.filter((entry) => entry === 'it wrapToolExecution')).toHaveLength(3 - done);
    },
  );

  it('pass a recorded failure to the hooks around the run', async () => {
    const environment = recordingEnvironment(fakeClock());
    const seen: string[] = [];
    const failing = (script: readonly (Error | string)[], base: Environment) =>
      agentWith(
        [
          {
            name: 'seeing',
            wrapRun: (next) =>
              next().catch((error: Error) => {
                seen.push(error.message);
                return { kind: 'finished', output: 'Instead.' };
              }),
          },
        ],
        { script, environment: base },
      ).agent.run('Go.', { runId: 'r', conversationId: 'c' });

    await failing([new Error('Away.')], environment);
    const again = await failing(['unused'], replayingEnvironment(environment.recording));

    expect(again.output).toBe('Instead.');
    expect(seen).toEqual(['Away.', 'Away.']);
  });

  it('cannot change the approved arguments', async () => {
    const shop = workshop();
    const script = [calls('remove', { path: 'a' }, { id: 'c' })];
    const log: string[] = [];
    const environment = recordingEnvironment(fakeClock());
    const park = (base: Environment) =>
      expectParked(
        agentWith([everyHook(log)], { tools: [shop.remove], script, environment: base }).agent.run(
          'Go.',
          { runId: 'r', conversationId: 'c' },
        ),
      );

    const parked = await park(environment);
    const again = await park(replayingEnvironment(environment.recording));

    expect(messageCodec.stringify(again.messages)).toBe(messageCodec.stringify(parked.messages));
    expect(again.output.get('c').args).toEqual({ path: 'a!', mode: 'soft' });
  });
});

describe('hooks around calls that end in any order', () => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed))(
    'have the same result: seed %i',
    async (seed) => {
      const plain = await go(fakeClock());

      const shuffled = await go(shufflingEnvironment(seed, fakeClock()));

      expect(shuffled.result.output).toBe(plain.result.output);
      expect(messageCodec.stringify(shuffled.result.messages)).toBe(
        messageCodec.stringify(plain.result.messages),
      );
    },
  );
});
