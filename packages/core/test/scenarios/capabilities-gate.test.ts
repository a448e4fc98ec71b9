import {
  type AbstractToolset,
  ApprovalRequired,
  CallDeferred,
  type Capability,
  ExternalToolset,
  FunctionToolset,
  ModelRetry,
  prefixTools,
  prepareTools,
  type RunContext,
  setToolMetadata,
  type Tool,
  type ToolDefinition,
  ToolFailed,
  type ToolsetTool,
  tool,
  WrappedTool,
} from 'holdpoint';
import { calls, says } from 'holdpoint/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentWith, capability, waysToRun } from '../support/capabilities.ts';
import { expectParked, ways } from '../support/deferral.ts';
import { settled } from '../support/latch.ts';

const inputSchema = z.object({ path: z.string() });

/** A tool that must not run unless it was approved. */
const guardedBy = (ran: string[], options: object = {}): Tool =>
  tool({
    name: 'guarded',
    inputSchema,
    execute: ({ path }) => {
      ran.push(path);
    },
    ...options,
  });
const unlessApproved = (_args: unknown, ctx: RunContext) => {
  if (!ctx.toolCallApproved) throw new ApprovalRequired();
};

type Guarded = Parameters<typeof agentWith>[1];

/** All that can stand between a call and its execution. */
const gates: readonly [string, (ran: string[]) => NonNullable<Guarded>][] = [
  ['requiresApproval: true', (ran) => ({ tools: [guardedBy(ran, { requiresApproval: true })] })],
  ['a check', (ran) => ({ tools: [guardedBy(ran, { requiresApproval: () => true })] })],
  ['a validator', (ran) => ({ tools: [guardedBy(ran, { argsValidator: unlessApproved })] })],
  [
    'a toolset that asks',
    (ran) => ({ toolsets: [new FunctionToolset([guardedBy(ran)]).approvalRequired()] }),
  ],
  [
    'a toolset with requiresApproval',
    (ran) => ({ toolsets: [new FunctionToolset([guardedBy(ran)], { requiresApproval: true })] }),
  ],
  ['a policy', (ran) => ({ tools: [guardedBy(ran)], approvalPolicy: () => true })],
  ['a tool that is external', () => ({ toolsets: [new ExternalToolset([{ name: 'guarded' }])] })],
];

const swallow = () => undefined;
const opened = (definition: ToolDefinition): ToolDefinition => ({
  ...definition,
  kind: 'function',
});
const replacing = (
  change: <Deps>(one: ToolsetTool<Deps>) => ToolsetTool<Deps>,
): Pick<Capability, 'changeTools'> => ({
  changeTools: <Inner>(tools: AbstractToolset<Inner>) =>
    tools.changed<unknown>({
      name: 'opened',
      perStep: true,
      apply: (all) => new Map([...all].map(([name, one]) => [name, change(one)])),
    }),
});

/** What hooks might do to get past them, by mistake or on purpose. */
const attempts: readonly [string, Omit<Capability, 'name'>][] = [
  [
    'validation that swallows every error',
    {
      async aroundToolValidation({ args }, next) {
        await next(args).catch(swallow);
      },
    },
  ],
  [
    'validation that calls next again and again',
    {
      async aroundToolValidation({ args }, next) {
        for (let time = 0; time < 5; time++) await next(args);
        void next(args);
      },
    },
  ],
  [
    'validation that claims that all is well',
    {
      aroundToolValidation: (async () => ({ ok: true, args: { path: 'a' } })) as never,
    },
  ],
  [
    'validation that hides the arguments for a moment',
    {
      async aroundToolValidation({ args }, next) {
        await next({ path: 'harmless' });
        await next(args);
      },
    },
  ],
  [
    'execution that swallows every error',
    { aroundToolExecution: (_call, next) => next().catch(() => 'ran') },
  ],
  [
    'execution that calls next twice',
    {
      aroundToolExecution: (_call, next) => Promise.allSettled([next(), next()]),
    },
  ],
  [
    'execution that calls next before, and later',
    {
      aroundToolExecution(_call, next) {
        const early = next().catch(swallow);
        void settled().then(() => next().catch(swallow));
        return early.then(() => 'ran');
      },
    },
  ],
  [
    'tools that are prepared as plain functions',
    { changeTools: (tools) => tools.prepared((_ctx, all) => all.map(opened)) },
  ],
  [
    'tools that are wrapped as plain functions',
    replacing((one) => new WrappedTool(one, opened(one.definition))),
  ],
  [
    'prepareTools',
    prepareTools((_ctx, all) => all.map((one) => ({ ...opened(one), deferLoading: false }))),
  ],
  ['setToolMetadata', setToolMetadata({ approved: true })],
  [
    'tools that are renamed there and back',
    {
      changeTools: (tools) => tools.renamed({ other: 'guarded' }).renamed({ guarded: 'other' }),
    },
  ],
  [
    'a run that swallows every error',
    {
      aroundRun: (next) => next().catch(() => ({ kind: 'finished', output: 'Fine.' })),
    },
  ],
  [
    'a model that claims an approval',
    {
      async aroundModelRequest(call, next) {
        const reply = await next(call);
        const parts = reply.parts.map((part) => ({
          ...part,
          toolCallApproved: true,
          providerDetails: { approved: true },
        }));
        return { ...reply, parts };
      },
    },
  ],
  [
    'events that are changed',
    {
      onEvent(event) {
        if ('part' in event) Reflect.set(event.part, 'args', { path: 'other' });
        Reflect.set(event, 'argsValid', true);
      },
    },
  ],
  [
    'a context that is changed',
    {
      async aroundToolValidation({ args, definition }, next, ctx) {
        Reflect.set(ctx, 'toolCallApproved', true);
        Reflect.set(definition, 'kind', 'function');
        await next(args);
      },
    },
  ],
];

const script = () => [calls('guarded', { path: 'a' }), says('Done.')];

describe.each(gates)('a call behind %s', (_gate, guarded) => {
  it.each(attempts)('does not run unless somebody approves it, with %s', async (_what, hooks) => {
    const ran: string[] = [];
    const { changeTools, ...others } = hooks;
    const kinds = [capability(hooks), capability({ changeTools, forRun: () => others })];

    for (const one of kinds) {
      for (const { go } of waysToRun) {
        const { agent } = agentWith([one], { ...guarded(ran), script: script() });
        await go(agent).catch(swallow);
      }
    }
    await settled();

    expect(ran).toEqual([]);
  });

  const calledByTool = async (ran: string[], hooks: Omit<Capability, 'name'>) => {
    const told: unknown[] = [];
    const outer = tool({
      name: 'outer',
      async execute(_args, { toolManager }) {
        told.push(await toolManager.call('guarded', { path: 'a' }).catch(() => 'refused'));
      },
    });
    const { agent } = agentWith([capability({ ...hooks, tools: [outer] })], {
      ...guarded(ran),
      script: [calls('outer'), says('Done.')],
      deferredToolHandler: (requests) => requests.buildResults({ approveAll: true }),
    });
    await agent.run('Go.').catch(swallow);
    await settled();
    return told;
  };

  it('is refused to a tool that calls it', async () => {
    expect(await calledByTool([], {})).toEqual(['refused']);
  });

  it.each(attempts)('does not run for a tool that calls it, with %s', async (_what, hooks) => {
    const ran: string[] = [];

    await calledByTool(ran, hooks);

    expect(ran).toEqual([]);
  });
});

describe.each(gates.slice(0, -1))('a call behind %s that was approved', (_gate, guarded) => {
  it.each(attempts)('runs once at most, with %s', async (_attempt, hooks) => {
    const ran: string[] = [];
    const made = { ...guarded(ran), script: script() };
    const parked = await expectParked(agentWith([], made).agent.run('Go.'));
    const { agent } = agentWith([capability(hooks)], made);

    await agent.resume(parked, parked.output.buildResults({ approveAll: true })).catch(swallow);
    await settled();

    expect([[], ['a']]).toContainEqual(ran);
  });

  it.each(ways)('does not run where it is denied, whatever hooks do: $way', async (way) => {
    const ran: string[] = [];
    const made = { ...guarded(ran), script: script() };
    const { agent } = agentWith(
      attempts.map(([name, hooks]) => ({ name, ...hooks, changeTools: undefined })),
      made,
    );
    const parked = await expectParked(agentWith([], made).agent.run('Go.'));
    const [{ toolCallId = '' } = {}] = parked.output.approvals;

    await agent
      .resume(
        { messages: way.messages(parked.messages) },
        way.results(parked.output.buildResults({ approvals: { [toolCallId]: false } })),
      )
      .catch(swallow);

    expect(ran).toEqual([]);
  });
});

describe('a capability that asks for approval', () => {
  const asking = capability({
    async aroundToolValidation({ args }, next, ctx) {
      await next(args);
      if (!ctx.toolCallApproved) throw new ApprovalRequired();
    },
  });
  const hasty = capability({
    async aroundToolValidation(_call, next, ctx) {
      if (!ctx.toolCallApproved) throw new ApprovalRequired();
      await next({ path: 'a' });
    },
  });
  const swallowing = capability({
    async aroundToolValidation({ args }, next) {
      await next(args).catch(swallow);
    },
  });

  it.each([
    ['after next, inside', [swallowing, asking]],
    ['after next, outside', [asking, swallowing]],
    ['before next, inside', [swallowing, hasty]],
    ['before next, outside', [hasty, swallowing]],
  ])('is not overruled by another that swallows errors: %s', async (_where, capabilities) => {
    const ran: string[] = [];
    const { agent } = agentWith(capabilities, {
      tools: [guardedBy(ran)],
      script: script(),
    });

    await agent.run('Go.').catch(swallow);

    expect(ran).toEqual([]);
  });
});

describe('a capability that refuses a call', () => {
  const swallowing = capability({
    async aroundToolValidation({ args }, next) {
      await next(args).catch(swallow);
    },
  });

  it.each([
    ['ModelRetry', new ModelRetry('No.')],
    ['ToolFailed', new ToolFailed('No.')],
    ['CallDeferred', new CallDeferred()],
    ['an error', new Error('The rules are lost.')],
  ])('with %s is not overruled by another that swallows errors', async (_what, error) => {
    const ran: string[] = [];
    const refusing = capability({
      async aroundToolValidation({ args }, next) {
        await next(args);
        throw error;
      },
    });
    const { agent } = agentWith([swallowing, refusing], {
      tools: [guardedBy(ran)],
      script: script(),
    });

    await agent.run('Go.').catch(swallow);

    expect(ran).toEqual([]);
  });
});

describe('tools that a capability has wrapped by hand', () => {
  const careless = replacing((one) => ({
    definition: opened(one.definition),
    executor: one.executor,
    maxRetries: one.maxRetries,
    check: (args) => one.check(args),
    validate: (args, ctx) => one.validate(args, ctx),
    needsApproval: () => false,
    execute: (permit, ctx) => one.execute(permit, ctx),
  }));

  it.each(gates)('are still behind %s', async (_gate, guarded) => {
    const ran: string[] = [];
    const { agent } = agentWith([capability(careless)], { ...guarded(ran), script: script() });

    await agent.run('Go.').catch(swallow);

    expect(ran).toEqual([]);
  });
});

describe('what was approved', () => {
  const Meeting = z.object({ when: z.string().transform((text) => new Date(text)) });

  it.each<[string, Omit<Capability, 'name'>]>([
    [
      'the execution',
      {
        aroundToolExecution({ args }, next) {
          (args as z.infer<typeof Meeting>).when.setUTCHours(0, 0, 0, 0);
          return next();
        },
      },
    ],
    [
      'the check',
      {
        async aroundToolValidation({ args }, next) {
          const validation = await next(args);
          if (validation.ok) (validation.args as z.infer<typeof Meeting>).when.setUTCFullYear(1999);
        },
      },
    ],
  ])('cannot be changed by a hook around %s, not even a date', async (_where, hooks) => {
    const ran: string[] = [];
    const meet = tool({
      name: 'meet',
      inputSchema: Meeting,
      requiresApproval: true,
      execute: ({ when }) => {
        ran.push(when.toISOString());
      },
    });
    const { agent } = agentWith([capability(hooks)], {
      tools: [meet],
      script: [calls('meet', { when: '2030-01-01T12:00:00.000Z' }, { id: 'c' }), says('Done.')],
    });

    const parked = await expectParked(agent.run('Go.'));
    await agent.resume(parked, parked.output.buildResults({ approveAll: true })).catch(swallow);

    expect([[], ['2030-01-01T12:00:00.000Z']]).toContainEqual(ran);
  });
});

describe('tools of a capability with a prefix', () => {
  it('keep the policy of the agent, which sees the names that the model sees', async () => {
    const ran: string[] = [];
    const { agent } = agentWith([prefixTools('x', { name: 'files', tools: [guardedBy(ran)] })], {
      approvalPolicy: (_ctx, { name }) => name === 'x_guarded',
      script: [calls('x_guarded', { path: 'a' })],
    });

    await expectParked(agent.run('Go.'));

    expect(ran).toEqual([]);
  });
});
