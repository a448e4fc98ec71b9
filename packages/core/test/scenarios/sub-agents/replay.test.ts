import {
  Agent,
  DeferredToolRequests,
  inherit,
  outputFunction,
  type RunContext,
  type RunUsage,
  type Tool,
  tool,
} from 'holdpoint';
import type { Environment } from 'holdpoint/agents';
import {
  calls,
  functionModel,
  recordingEnvironment,
  responds,
  replayingEnvironment,
  says,
  shufflingEnvironment,
} from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { expectParked } from '../../support/deferral.ts';
import { present } from '../../support/present.ts';
import { following } from '../../support/sub-agents.ts';
import { delegations } from '../../support/toolset-policies/observe.ts';
import { LivedToolset } from '../../support/toolsets.ts';

/** Creates an agent named `sub` with a tool, and counters of model requests and executions. */
function countedAgent() {
  const counts = { model: 0, tool: 0 };
  const work = tool({ name: 'work', execute: () => `worked ${++counts.tool} times` });
  const model = functionModel(({ messages }) => {
    counts.model += 1;
    const cost = { usage: { inputTokens: 10, outputTokens: 5, details: { thinking: 3 } } };
    return messages.length < 3 ? responds(calls('work'), cost) : responds('Worked.', cost);
  });
  const agent = new Agent<readonly Tool[]>({ name: 'sub', model, tools: [work] });
  return { counts, agent };
}

/** Returns a stored and loaded recording. */
const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

describe.each(delegations)('a run that delegates with $way', ({ delegate }) => {
  const team = () => {
    const { counts, agent } = countedAgent();
    const own = { model: 0 };
    const lead = new Agent({
      model: functionModel(({ messages }) => {
        own.model += 1;
        const ask = calls('sub', { prompt: 'Go on.' });
        return messages.length < 3 ? responds(ask, ask) : says('Done.');
      }),
      tools: [delegate(agent)],
    });
    return { counts, own, lead };
  };

  it('is replayed without running the sub-agent again', async () => {
    const { counts, own, lead } = team();
    const environment = recordingEnvironment();
    const first = await lead.run('Go.', { environment });
    expect([counts, own]).toEqual([{ model: 4, tool: 2 }, { model: 2 }]);

    const replaying = replayingEnvironment(stored(environment.recording));
    const second = await lead.run('Go.', { environment: replaying });

    expect([counts, own]).toEqual([{ model: 4, tool: 2 }, { model: 2 }]);
    expect(second.messages).toEqual(first.messages);
    expect(second.output).toBe('Done.');
    expect(replaying.remaining).toBe(0);
  });

  it('has the same usage on replay', async () => {
    const { lead } = team();
    const environment = recordingEnvironment();
    const first = await lead.run('Go.', { environment });

    const replaying = replayingEnvironment(stored(environment.recording));
    const second = await lead.run('Go.', { environment: replaying });

    expect(first.usage).toMatchObject({
      requests: 6,
      toolCalls: 4,
      inputTokens: 40,
      details: { thinking: 12 },
    });
    expect(second.usage).toEqual(first.usage);
  });

  it('has one step for each call to the sub-agent', async () => {
    const { lead } = team();
    const environment = recordingEnvironment();

    await lead.run('Go.', { environment });

    const steps = environment.recording.requests.flatMap((one) =>
      one.kind === 'step' ? [one.name] : [],
    );
    expect(steps.filter((name) => name.startsWith('tool:'))).toEqual(['tool:sub', 'tool:sub']);
    expect(steps).toHaveLength(4);
  });

  it.each([
    [0, { model: 4, tool: 2 }],
    // After the first request; after the first of two calls; after both.
    [1, { model: 4, tool: 2 }],
    [2, { model: 2, tool: 1 }],
    [3, { model: 0, tool: 0 }],
  ])('continues after %i steps, and executes only unfinished steps again', async (upTo, again) => {
    const { counts, lead } = team();
    const environment = recordingEnvironment();
    await lead.run('Go.', { environment });
    const before = { ...counts };

    const { output } = await lead.run('Go.', {
      environment: replayingEnvironment(stored(environment.recording), { upTo }),
    });

    expect(output).toBe('Done.');
    expect({ model: counts.model - before.model, tool: counts.tool - before.tool }).toEqual(again);
  });

  it.each([1, 2, 3])('has the same result in any order of call ends: seed %i', async (seed) => {
    const { lead } = team();

    const { output, usage } = await lead.run('Go.', { environment: shufflingEnvironment(seed) });

    expect(output).toBe('Done.');
    expect(usage).toMatchObject({ requests: 6, toolCalls: 4, inputTokens: 40 });
  });

  it('does not call forSubAgent on replay', async () => {
    const log: string[] = [];
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      model: following(),
      toolsets: [inherit('files'), new LivedToolset('own', log)],
    });
    const lead = new Agent({
      model: following(calls('sub', { prompt: 'Go on.' })),
      tools: [delegate(sub)],
      toolsets: [new LivedToolset('files')],
    });
    const environment = recordingEnvironment();
    await lead.run('Go.', { environment });
    expect(log.splice(0)).toContain('own open');

    await lead.run('Go.', {
      environment: replayingEnvironment(stored(environment.recording)),
    });

    expect(log).toEqual([]);
  });
});

describe('a hook that runs an agent with parent: ctx', () => {
  type Ask = (ctx: RunContext) => Promise<string>;
  type Used = { readonly usage: RunUsage };
  const noop = tool({ name: 'noop', execute: () => 'nothing' });
  const run = (agent: Agent<readonly Tool[]>) => (environment: Environment) =>
    agent.run('Go.', { environment });

  /** Hooks of every kind. Each runs the agent once. */
  const hooks: readonly [string, (ask: Ask) => (environment: Environment) => Promise<Used>][] = [
    [
      'an output validator',
      (ask) =>
        run(
          new Agent({
            model: following(),
            outputValidators: [async (output, ctx) => (await ask(ctx), output)],
          }),
        ),
    ],
    [
      'an output function',
      (ask) => {
        const output = outputFunction({
          name: 'finish',
          inputSchema: z.object({}),
          execute: (_args, ctx: RunContext) => ask(ctx),
        });
        const agent = new Agent({ model: following(calls('finish')), output });
        return (environment) => agent.run('Go.', { environment });
      },
    ],
    [
      'the instructions',
      (ask) => {
        let instruction: Promise<string> | undefined;
        const instructions = (ctx: RunContext) =>
          ctx.runStep > 1 ? present(instruction) : (instruction = ask(ctx));
        return run(new Agent({ model: following(calls('noop')), tools: [noop], instructions }));
      },
    ],
    [
      'a factory of toolsets',
      (ask) =>
        run(
          new Agent({
            model: following(),
            toolsets: [async (ctx: RunContext) => (await ask(ctx), undefined)],
          }),
        ),
    ],
    [
      'a handler',
      (ask) => {
        const agent = new Agent<readonly Tool[]>({
          model: following(calls('guarded')),
          tools: [tool({ name: 'guarded', requiresApproval: true, execute: () => 'ran' })],
          deferredToolHandler: async (requests, ctx) => {
            await ask(ctx);
            return requests.buildResults({ approveAll: true });
          },
        });
        return run(agent);
      },
    ],
    [
      'a validator of arguments',
      (ask) =>
        run(
          new Agent<readonly Tool[]>({
            model: following(calls('checked')),
            tools: [
              tool({
                name: 'checked',
                argsValidator: async (_args, ctx) => void (await ask(ctx)),
                execute: () => 'ran',
              }),
            ],
          }),
        ),
    ],
    [
      'a function that decides on approval',
      (ask) =>
        run(
          new Agent<readonly Tool[]>({
            model: following(calls('guarded')),
            tools: [
              tool({
                name: 'guarded',
                requiresApproval: async (_args, ctx) => (await ask(ctx)) === 'no',
                execute: () => 'ran',
              }),
            ],
          }),
        ),
    ],
    [
      'a policy of approval',
      (ask) =>
        run(
          new Agent<readonly Tool[]>({
            model: following(calls('noop')),
            tools: [noop],
            approvalPolicy: async (ctx) => (await ask(ctx)) === 'no',
          }),
        ),
    ],
  ];

  it.each(hooks)('is replayed without running it again: %s', async (_what, make) => {
    const { counts, agent } = countedAgent();
    const start = make(async (ctx) => (await agent.run('May it?', { parent: ctx })).output);
    const environment = recordingEnvironment();
    const first = await start(environment);
    expect(counts).toEqual({ model: 2, tool: 1 });

    const replaying = replayingEnvironment(stored(environment.recording));
    const second = await start(replaying);

    expect(counts).toEqual({ model: 2, tool: 1 });
    expect(second.usage).toEqual(first.usage);
    expect(replaying.remaining).toBe(0);
  });
});

describe('a tool that calls another one', () => {
  const outer = (name: string) =>
    tool({
      name: 'outer',
      execute: (_args, ctx) => ctx.toolManager.call(name, { prompt: 'Go on.' }),
    });

  it.each<[string, (agent: Agent<readonly Tool[]>) => Tool]>([
    ...delegations.map(({ way, delegate }): [string, typeof delegate] => [
      `which delegates with ${way}`,
      delegate,
    ]),
    [
      'whose validator delegates',
      (agent) =>
        tool({
          name: 'sub',
          inputSchema: z.object({ prompt: z.string() }),
          argsValidator: async ({ prompt }, ctx) => void (await agent.run(prompt, { parent: ctx })),
          execute: () => 'ran',
        }),
    ],
  ])('%s, is one step, and is replayed as such', async (_what, delegate) => {
    const { counts, agent } = countedAgent();
    const lead = new Agent({
      model: following(calls('outer')),
      tools: [delegate(agent), outer('sub')],
    });
    const environment = recordingEnvironment();
    const first = await lead.run('Go.', { environment });
    expect(counts).toEqual({ model: 2, tool: 1 });
    const steps = environment.recording.requests.filter(({ kind }) => kind === 'step');
    expect(steps).toHaveLength(3);

    const replaying = replayingEnvironment(stored(environment.recording));
    const second = await lead.run('Go.', { environment: replaying });

    expect(counts).toEqual({ model: 2, tool: 1 });
    expect(second.messages).toEqual(first.messages);
    expect(second.usage).toEqual(first.usage);
  });
});

describe('a run that is parked by an agent as a tool', () => {
  it('is replayed to the same requests, and so is the resumed run', async () => {
    const executed: string[] = [];
    const remove = tool({
      name: 'remove',
      inputSchema: z.object({ path: z.string() }),
      requiresApproval: true,
      execute: ({ path }) => void executed.push(`removed ${path}`),
    });
    const sub = new Agent<readonly Tool[]>({
      name: 'sub',
      model: functionModel(({ messages }) => {
        executed.push('model');
        return messages.length < 3 ? calls('remove', { path: '.env' }, { id: 'in' }) : 'Gone.';
      }),
      tools: [remove],
    });
    const lead = new Agent({
      model: following(calls('sub', { prompt: 'Go on.' }, { id: 'out' })),
      tools: [sub.asTool()],
      output: [String, DeferredToolRequests],
    });
    const record = recordingEnvironment();

    const parked = await expectParked(lead.run('Go.', { environment: record }));
    const again = await expectParked(
      lead.run('Go.', { environment: replayingEnvironment(stored(record.recording)) }),
    );
    expect(executed.splice(0)).toEqual(['model']);
    expect(again.messages).toEqual(parked.messages);
    expect(again.output.approvals).toEqual(parked.output.approvals);
    expect(again.output.get('out/in').args).toEqual({ path: '.env' });

    const results = again.output.buildResults({ approveAll: true });
    const second = recordingEnvironment();
    const done = await lead.resume(again, results, { environment: second });
    const redone = await lead.resume(again, results, {
      environment: replayingEnvironment(stored(second.recording)),
    });
    expect(executed).toEqual(['removed .env', 'model']);
    expect(redone.messages).toEqual(done.messages);
    expect(redone.usage).toEqual(done.usage);
  });
});
