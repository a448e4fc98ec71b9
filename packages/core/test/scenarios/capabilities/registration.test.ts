import { Agent, type Capability, UserError } from 'holdpoint';
import type { RunEnd } from 'holdpoint/agents';
import type { CapabilityHooks } from 'holdpoint/capabilities';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { agentWith, capability, waysToRun } from '../../support/capabilities.ts';
import { expectParked, workshop } from '../../support/deferral.ts';
import { latch, never, rejectionOf, settled } from '../../support/latch.ts';
import { LivedToolset } from '../../support/toolsets.ts';

const plain = (name: string): Capability => ({ name });

describe.each<[string, readonly Capability[], RegExp]>([
  ['without a name', [plain('a'), plain('')], /`capabilities\[1\]`/],
  ['that miss one that they need', [{ name: 'a', requires: ['b', 'c'] }, plain('b')], /`a`.*`c`/],
  [
    'that do not go together',
    [{ name: 'a', conflictsWith: ['b'] }, plain('b')],
    /`a` conflicts with `b`/,
  ],
  [
    'that do not go together, the other way round',
    [plain('b'), { name: 'a', conflictsWith: ['b'] }],
    /`a` conflicts with `b`/,
  ],
  [
    'of which there can be only one',
    [
      { name: 'a', conflictsWith: ['a'] },
      { name: 'a', conflictsWith: ['a'] },
    ],
    /only one.*`a`/,
  ],
  [
    'of which there can be only one, as one of them says',
    [plain('a'), { name: 'a', conflictsWith: ['a'] }],
    /only one.*`a`/,
  ],
  ['in the wrong order', [{ name: 'a', after: ['b'] }, plain('b')], /`a`.*after `b`/],
  [
    'of which one more is in the wrong order',
    [plain('b'), { name: 'a', after: ['b'] }, plain('b')],
    /`a`.*after `b`/,
  ],
])('capabilities %s', (_what, capabilities, message) => {
  it('are rejected when the agent is created', () => {
    const make = () => new Agent({ model: scriptedModel('Done.'), capabilities });

    expect(make).toThrow(UserError);
    expect(make).toThrow(message);
  });

  it('are rejected when a run adds them, before anything happens', async () => {
    const { model, agent } = agentWith([]);

    const error = await rejectionOf(agent.run('Go.', { capabilities }));

    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ message: expect.stringMatching(message) });
    expect(model.calls).toEqual([]);
  });
});

describe('capabilities', () => {
  it.each<[string, readonly Capability[]]>([
    ['have their requirements at any position', [{ name: 'a', requires: ['b'] }, plain('b')]],
    ['require themselves', [{ name: 'a', requires: ['a'] }]],
    ['conflict with a missing capability', [{ name: 'a', conflictsWith: ['b'] }]],
    ['are the only one of their kind', [{ name: 'a', conflictsWith: ['a'] }]],
    ['come after a missing capability', [{ name: 'a', after: ['b'] }]],
    ['come after an earlier capability', [plain('b'), { name: 'a', after: ['b'] }]],
    ['occur twice', [plain('a'), plain('a')]],
  ])('are accepted unchanged if they %s', async (_what, capabilities) => {
    expect((await agentWith(capabilities).agent.run('Go.')).status).toBe('finished');
  });

  it('of the agent and of the run are checked together, the agent first', async () => {
    const { agent } = agentWith([plain('b'), { name: 'c', conflictsWith: ['d'] }], {
      script: ['One.', 'Two.'],
    });

    const run = (capabilities: readonly Capability[]) => agent.run('Go.', { capabilities });

    await run([{ name: 'a', requires: ['b'], after: ['b'] }]);
    await expect(run([plain('d')])).rejects.toThrow(/`c` conflicts with `d`/);
    await expect(run([{ name: 'a', requires: ['x'] }])).rejects.toThrow(/`x`/);
  });

  it('of the agent cannot depend on those of a run', () => {
    expect(() => agentWith([{ name: 'a', requires: ['b'] }])).toThrow(UserError);
  });

  it('are rejected without leaving anything open', async () => {
    const toolset = new LivedToolset('box');
    const { agent } = agentWith([], { toolsets: [toolset], script: ['Done.'] });

    await rejectionOf(agent.run('Go.', { capabilities: [plain('')] }));

    expect(toolset.timesOpened).toBe(0);
    expect((await agent.run('Go.')).output).toBe('Done.');
  });
});

/** Counts the requests of its run, and reports the count at the end. */
const counting = (made: string[] = []): Capability => ({
  name: 'counting',
  forRun(ctx): CapabilityHooks {
    made.push(ctx.runId);
    let requests = 0;
    return {
      async wrapModelRequest(call, next) {
        requests += 1;
        await settled();
        return next(call);
      },
      wrapOutput: async (value, next) => `${await next(value)} (${requests})`,
    };
  },
});

describe('forRun', () => {
  it.each(waysToRun)('creates hooks for each run: $way', async ({ go }) => {
    const made: string[] = [];
    const { agent } = agentWith([counting(made)], { script: ['One.', 'Two.'] });

    const outputs = [await go(agent, { runId: 'r1' }), await go(agent, { runId: 'r2' })];

    expect(outputs.map(({ output }) => output)).toEqual(['One. (1)', 'Two. (1)']);
    expect(made).toEqual(['r1', 'r2']);
  });

  it('separates the state of concurrent runs', async () => {
    const { read } = workshop();
    const agentFor = (steps: number) =>
      agentWith([shared], {
        tools: [read],
        script: [
          ...Array.from({ length: steps }, () => calls('read', { path: 'a' })),
          says('Done.'),
        ],
      }).agent;
    const shared = counting();

    const results = await Promise.all([3, 1, 2].map((steps) => agentFor(steps).run('Go.')));

    expect(results.map(({ output }) => output)).toEqual(['Done. (4)', 'Done. (2)', 'Done. (3)']);
  });

  it('creates new ones for a resumed run', async () => {
    const made: string[] = [];
    const { agent } = agentWith([counting(made)], {
      tools: [workshop().remove],
      script: [calls('remove', { path: 'a' }), says('Done.')],
    });

    const parked = await expectParked(agent.run('Go.'));
    const { output } = await agent.resume(parked, parked.output.buildResults({ approveAll: true }));

    expect(output).toBe('Done. (1)');
    expect(made).toHaveLength(2);
  });

  it('may be async; capabilities are called in sequence', async () => {
    const log: string[] = [];
    const slow = (name: string): Capability => ({
      name,
      async forRun() {
        log.push(`${name} begins`);
        await settled();
        log.push(`${name} ends`);
        return {};
      },
    });

    await agentWith([slow('a'), slow('b')]).agent.run('Go.');

    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('replaces the hooks that it returns, and keeps the others', async () => {
    const log: string[] = [];
    const note =
      (entry: string) =>
      (next: () => Promise<RunEnd>): Promise<RunEnd> => {
        log.push(entry);
        return next();
      };
    const both: Capability = {
      name: 'both',
      wrapRun: note('of all runs'),
      onEvent: () => void log.push('event'),
      forRun: () => ({ wrapRun: note('of this run') }),
    };
    const { agent } = agentWith([both], {
      tools: [workshop().read],
      script: [calls('read', { path: 'a' }), says('Done.')],
    });

    await agent.run('Go.');

    expect(log).toEqual(['of this run', 'event', 'event']);
  });

  it('keeps the position of the capability', async () => {
    const log: string[] = [];
    const hooks = (name: string): CapabilityHooks => ({
      wrapRun(next) {
        log.push(name);
        return next();
      },
    });

    await agentWith([
      { name: 'a', ...hooks('a') },
      { name: 'b', forRun: () => hooks('b') },
      { name: 'c', ...hooks('c') },
    ]).agent.run('Go.');

    expect(log).toEqual(['a', 'b', 'c']);
  });

  it('fails the run with the error that it throws, before anything is opened', async () => {
    const broken = new Error('Not today.');
    const toolset = new LivedToolset('box');
    const { model, agent } = agentWith([capability({ forRun: () => Promise.reject(broken) })], {
      toolsets: [toolset],
    });

    expect(await rejectionOf(agent.run('Go.'))).toBe(broken);
    expect(toolset.timesOpened).toBe(0);
    expect(model.calls).toEqual([]);
  });

  it('is not awaited after the run was aborted', async () => {
    const controller = new AbortController();
    const reason = new Error('Stop.');
    const { agent } = agentWith([capability({ forRun: never })]);

    const running = agent.run('Go.', { signal: controller.signal });
    await settled();
    controller.abort(reason);

    expect(await rejectionOf(running)).toBe(reason);
  });

  it('is not called for a run that is never started', async () => {
    const made: string[] = [];
    const { agent } = agentWith([counting(made)]);

    await agent.iter('Go.').return();

    expect(made).toEqual([]);
  });

  it('does not delay other runs', async () => {
    const first = latch();
    let forRunCalls = 0;
    const { agent } = agentWith([
      capability({
        async forRun() {
          forRunCalls += 1;
          if (forRunCalls === 1) await first.opened;
          return {};
        },
      }),
    ]);

    const slow = agent.run('Go.', { model: scriptedModel('Slow.') });
    const fast = await agent.run('Go.', { model: scriptedModel('Fast.') });
    first.open();

    expect([fast.output, (await slow).output]).toEqual(['Fast.', 'Slow.']);
  });
});

describe('a capability that is a class', () => {
  /** Hooks as methods, with a state in a field. */
  class Counter implements CapabilityHooks {
    requests = 0;

    wrapModelRequest: NonNullable<CapabilityHooks['wrapModelRequest']> = (call, next) => {
      this.requests += 1;
      return next(call);
    };
  }

  class Methods {
    readonly name: string = 'methods';
    requests = 0;

    async wrapOutput(value: unknown, next: (value: unknown) => Promise<unknown>) {
      this.requests += 1;
      return `${await next(value)} (${this.requests})`;
    }
  }

  it('works with hooks in fields', async () => {
    const counters: Counter[] = [];
    const { agent } = agentWith([
      capability({
        forRun() {
          const counter = new Counter();
          counters.push(counter);
          return counter;
        },
      }),
    ]);

    await agent.run('Go.');

    expect(counters.map(({ requests }) => requests)).toEqual([1]);
  });

  it('works with hooks that are methods', async () => {
    const { agent } = agentWith([new Methods()]);

    expect((await agent.run('Go.')).output).toBe('Done. (1)');
  });

  it('works with hooks that are methods of what forRun makes', async () => {
    const { agent } = agentWith([capability({ forRun: () => new Methods() })], {
      script: ['One.', 'Two.'],
    });

    const outputs = [await agent.run('Go.'), await agent.run('Go.')];

    expect(outputs.map(({ output }) => output)).toEqual(['One. (1)', 'Two. (1)']);
  });

  it('keeps its own methods together with those of forRun', async () => {
    class Mixed extends Methods {
      forRun(): CapabilityHooks {
        return {};
      }
    }

    expect((await agentWith([new Mixed()]).agent.run('Go.')).output).toBe('Done. (1)');
  });
});
