import { Agent, DynamicToolset, FunctionToolset, type RunOptions } from 'holdpoint';
import { untyped } from '../support/untyped.ts';
import type { Mistake, Probe } from './mistake.ts';

/** Runs an agent with these options. */
const runAgent =
  (options: (probe: Probe) => object) =>
  (probe: Probe): unknown =>
    new Agent(
      untyped<{ tools: [] }>({
        name: 'janitor',
        model: probe.model(),
        tools: [probe.wipe],
        ...options(probe),
      }),
    ).run('Go.');

const agentOption = (name: string, value: unknown, error: string | readonly string[]): Mistake => ({
  name: `the agent option \`${name}\``,
  make: runAgent(() => ({ [name]: value })),
  error,
});

const durabilityOption = (name: string, value: unknown, error: readonly string[]): Mistake => ({
  name: `the agent option \`durability.${name}\``,
  make: runAgent(() => ({ durability: { [name]: value } })),
  error,
});

/** An option of `durability` that is passed beside it. */
const misplaced = (name: string): Mistake =>
  agentOption(
    name,
    {},
    `Unknown option \`${name}\` of agent \`janitor\`. Pass it as \`durability: { ${name} }\`.`,
  );

const meant = (name: string, known: string): Mistake =>
  agentOption(
    name,
    {},
    `Unknown option \`${name}\` of agent \`janitor\`. Did you mean \`${known}\`?`,
  );

/** Mistakes in the options of an agent. */
export const AGENT_OPTION_MISTAKES: readonly Mistake[] = [
  meant('needsApproval', 'approvalPolicy'),
  meant('approval_policy', 'approvalPolicy'),
  meant('toolset', 'toolsets'),
  meant('system', 'instructions'),
  meant('system_prompt', 'systemPrompt'),
  meant('outputType', 'output'),
  meant('deferred_tool_handler', 'deferredToolHandler'),
  meant('onApproval', 'deferredToolHandler'),
  meant('maxSteps', 'usageLimits'),
  misplaced('ledger'),
  misplaced('onBusy'),
  misplaced('digests'),
  agentOption('durability', { ledgr: {} }, [
    'Unknown option `ledgr` of `durability` of agent `janitor`',
    'Did you mean `ledger`?',
  ]),
  {
    name: 'an agent without options',
    make: () => new (Agent as unknown as new () => unknown)(),
    error: '`new Agent` was called without options.',
  },
  {
    name: 'an agent made from a model alone',
    make: () => new Agent(untyped<never>('openai:gpt-5')),
    error: "The options of `new Agent` are `'openai:gpt-5'`. Pass an object.",
  },
  {
    name: 'an agent without a model, when it runs',
    make: ({ wipe }) => new Agent({ tools: [wipe] }).run('Go.'),
    error: 'The run has no model.',
  },
  agentOption('model', Promise.resolve({}), ['`model`', 'a promise', 'Did you forget `await`?']),
  durabilityOption('ledger', Promise.resolve({}), [
    '`ledger`',
    'a promise',
    'Did you forget `await`?',
  ]),
  durabilityOption('ledger', new Map(), ['`ledger`', 'a `Map`', '`retainedSince`']),
  durabilityOption('atMostOnce', 'always', ['`atMostOnce`', "'always'", "'all-unsafe'"]),
  durabilityOption('onDrift', 'ignore', ['`onDrift`', "'ignore'", "'deny'"]),
  agentOption('endStrategy', 'late', ['`endStrategy`', "'late'", "'graceful'"]),
  agentOption('approvalPolicy', true, ['`approvalPolicy`', '`true`', 'Pass a function']),
  agentOption('deferredToolHandler', { handle() {} }, [
    '`deferredToolHandler`',
    'an object',
    'Pass a function',
  ]),
  agentOption('retries', { tool: 3 }, 'Unknown option `tool` of `retries`'),
  agentOption('usageLimits', { requests: 3 }, [
    'Unknown option `requests` of `usageLimits`',
    '`requestLimit`',
  ]),
  agentOption('modelSettings', { max_tokens: 3 }, [
    'Unknown option `max_tokens` of `modelSettings`',
    '`maxTokens`',
  ]),
  agentOption('outputValidators', () => true, ['`outputValidators`', 'Pass a list']),
  agentOption('tracer', {}, [
    'Unknown option `tracer` of agent `janitor`',
    'Use `capabilities: [otel()]` with `otel` from `holdpoint/otel`.',
  ]),
  agentOption('traceIncludeContent', true, ['`traceIncludeContent`', '`otel`', '`holdpoint/otel`']),
  {
    name: '`tools` that is a toolset',
    make: runAgent(({ wipe }) => ({ tools: new FunctionToolset([wipe]) })),
    error: ['`tools`', 'a `FunctionToolset`', '`toolsets`'],
  },
  {
    name: '`tools` that is one tool',
    make: runAgent(({ wipe }) => ({ tools: wipe })),
    error: ['`tools`', 'a `Tool`', 'Pass a list'],
  },
  {
    name: '`tools` that is a promise',
    make: runAgent(({ wipe }) => ({ tools: Promise.resolve([wipe]) })),
    error: ['`tools`', 'a promise', 'Did you forget `await`?'],
  },
  {
    name: '`tools` that is `null`',
    make: runAgent(() => ({ tools: null })),
    error: ['`tools`', '`null`'],
  },
  {
    name: 'an agent among the tools, and names `asTool`',
    make: runAgent((probe) => ({
      tools: [new Agent({ model: probe.model(), tools: [probe.wipe] })],
    })),
    error: ['`tools[0]`', 'is an agent', 'asTool()'],
  },
  {
    name: '`toolsets` that is not a list',
    make: runAgent(({ wipe }) => ({ tools: [], toolsets: new FunctionToolset([wipe]) })),
    error: ['`toolsets`', 'a `FunctionToolset`', 'Pass a list'],
  },
  {
    name: 'a tool among the toolsets, and names `tools`',
    make: runAgent(({ wipe }) => ({ tools: [], toolsets: [wipe] })),
    error: ['`toolsets[0]`', 'a `Tool`', '`tools`'],
  },
  {
    name: 'a promise among the toolsets',
    make: runAgent(({ wipe }) => ({
      tools: [],
      toolsets: [Promise.resolve(new FunctionToolset([wipe]))],
    })),
    error: ['`toolsets[0]`', 'a promise', 'Did you forget `await`?'],
  },
  {
    name: 'a factory among the toolsets that returns tools',
    make: runAgent(({ wipe }) => ({ tools: [], toolsets: [() => [wipe]] })),
    error: ['`toolsets`', 'an array', 'returned'],
  },
  {
    name: 'a factory of a dynamic toolset that returns a record of tools',
    make: runAgent(({ wipe }) => ({
      tools: [],
      toolsets: [
        new DynamicToolset(
          untyped<never>(() => ({ wipe })),
          { id: 'disk' },
        ),
      ],
    })),
    error: ['`disk`', 'an object', 'returned'],
  },
];

/** Runs with these options of a run. */
const runWith =
  (options: (probe: Probe) => object) =>
  (probe: Probe): unknown =>
    new Agent({ model: probe.model(), tools: [probe.wipe] }).run(
      'Go.',
      untyped<never>(options(probe)),
    );

const runOption = (name: string, known: string): Mistake => ({
  name: `the run option \`${name}\``,
  make: runWith(() => ({ [name]: [] })),
  error: `Unknown option \`${name}\` of \`agent.run\`. Did you mean \`${known}\`?`,
});

/** Mistakes in the arguments of `run`, `resume`, `stream`, `iter`, `override` and `asTool`. */
export const RUN_MISTAKES: readonly Mistake[] = [
  runOption('message_history', 'messageHistory'),
  runOption('messages', 'messageHistory'),
  runOption('history', 'messageHistory'),
  runOption('deferred_tool_results', 'deferredToolResults'),
  runOption('abortSignal', 'signal'),
  runOption('tools', 'toolsets'),
  runOption('context', 'deps'),
  {
    name: 'run options that are `null`',
    make: (probe) => new Agent({ model: probe.model() }).run('Go.', untyped<never>(null)),
    error: 'The options of `agent.run` are `null`. Pass an object.',
  },
  {
    name: 'an object in place of the prompt',
    make: (probe) =>
      new Agent({ model: probe.model(), tools: [probe.wipe] }).run(
        untyped<never>({ prompt: 'Go.' }),
      ),
    error: ['`agent.run`', 'prompt', 'an object'],
  },
  {
    name: 'a promise in place of the prompt',
    make: (probe) =>
      new Agent({ model: probe.model(), tools: [probe.wipe] }).run(
        untyped<never>(Promise.resolve('Go.')),
      ),
    error: ['`agent.run`', 'prompt', 'a promise', 'Did you forget `await`?'],
  },
  {
    name: 'a `messageHistory` that is a promise',
    make: runWith(() => ({ messageHistory: Promise.resolve([]) })),
    error: ['`messageHistory`', 'a promise', 'Did you forget `await`?'],
  },
  {
    name: 'a `messageHistory` that is a result',
    make: async (probe) => {
      const { result } = await probe.parked();
      const options = untyped<RunOptions<unknown, StringConstructor>>({ messageHistory: result });
      return new Agent({ model: probe.model(), tools: [probe.wipe] }).run('Go.', options);
    },
    error: ['`messageHistory`', '`result.messages`'],
  },
  {
    name: '`deferredToolResults` that are a promise',
    make: runWith(() => ({ deferredToolResults: Promise.resolve({}) })),
    error: ['`deferredToolResults`', 'a promise', 'Did you forget `await`?'],
  },
  {
    name: 'a `ledger` of a run that is a promise',
    make: runWith(() => ({ durability: { ledger: Promise.resolve({}) } })),
    error: ['`ledger`', 'a promise', 'Did you forget `await`?'],
  },
  {
    name: 'a `model` of a run that is a promise',
    make: runWith(() => ({ model: Promise.resolve({}) })),
    error: ['`model`', 'a promise', 'Did you forget `await`?'],
  },
  {
    name: 'a `deferredToolHandler` of a run that is an object',
    make: runWith(() => ({ deferredToolHandler: { handle() {} } })),
    error: ['`deferredToolHandler`', '`agent.run`', 'Pass a function'],
  },
  {
    name: 'a `signal` that is the controller',
    make: runWith(() => ({ signal: new AbortController() })),
    error: ['`signal`', '`AbortController`', 'controller.signal'],
  },
  {
    name: '`toolsets` of a run that is not a list',
    make: runWith(() => ({ toolsets: new FunctionToolset() })),
    error: ['`toolsets`', 'a `FunctionToolset`', 'Pass a list'],
  },
  {
    name: 'something among the toolsets of a run that is no toolset',
    make: runWith(() => ({ toolsets: [{}] })),
    error: ['`toolsets[0]`', 'an object'],
  },
  {
    name: 'an unknown option of `agent.stream`',
    make: async (probe) => {
      const agent = new Agent({ model: probe.model(), tools: [probe.wipe] });
      for await (const _ of agent.stream('Go.', untyped<never>({ message_history: [] })));
    },
    error: 'Unknown option `message_history` of `agent.stream`. Did you mean `messageHistory`?',
  },
  {
    name: 'an unknown option of `agent.iter`',
    make: async (probe) => {
      const agent = new Agent({ model: probe.model(), tools: [probe.wipe] });
      for await (const _ of agent.iter('Go.', untyped<never>({ message_history: [] })));
    },
    error: 'Unknown option `message_history` of `agent.iter`. Did you mean `messageHistory`?',
  },
  {
    name: 'an unknown option of `agent.resume`',
    make: async (probe) => {
      const { result, resume } = await probe.parked();
      return resume(result.output.buildResults({ approveAll: true }), { usage_limits: {} });
    },
    error: 'Unknown option `usage_limits` of `agent.resume`. Did you mean `usageLimits`?',
  },
  {
    name: 'a parked run that is a promise',
    make: async (probe) => {
      const { result, resumeFrom } = await probe.parked();
      const results = result.output.buildResults({ approveAll: true });
      return resumeFrom(Promise.resolve(result), results);
    },
    error: ['`agent.resume`', 'a promise', 'Did you forget `await`?'],
  },
  {
    name: 'a parked run that is undefined',
    make: async (probe) => {
      const { result, resumeFrom } = await probe.parked();
      return resumeFrom(undefined, result.output.buildResults({ approveAll: true }));
    },
    error: ['`agent.resume`', '`undefined`', '`messages`'],
  },
  {
    name: 'messages in place of a parked run',
    make: async (probe) => {
      const { result, resumeFrom } = await probe.parked();
      return resumeFrom(result.messages, result.output.buildResults({ approveAll: true }));
    },
    error: ['`agent.resume`', 'an array', '`messages`'],
  },
  {
    name: 'requests in place of a parked run',
    make: async (probe) => {
      const { result, resumeFrom } = await probe.parked();
      return resumeFrom(result.output, result.output.buildResults({ approveAll: true }));
    },
    error: ['`agent.resume`', 'a `DeferredToolRequests`', '`messages`'],
  },
  {
    name: 'an unknown option of `agent.override`',
    make: (probe) => {
      const agent = new Agent({ model: probe.model(), tools: [probe.wipe] });
      return agent.override(untyped<never>({ models: probe.model() }), () => agent.run('Go.'));
    },
    error: 'Unknown option `models` of `agent.override`. Did you mean `model`?',
  },
  {
    name: 'work of `agent.override` that has begun already',
    make: (probe) =>
      new Agent({ model: probe.model() }).override({}, untyped<never>(Promise.resolve('Done.'))),
    error: ['`agent.override`', 'a promise', 'Pass a function'],
  },
  {
    name: 'an unknown option of `agent.asTool`',
    make: (probe) =>
      new Agent({ name: 'janitor', model: probe.model() }).asTool(
        untyped<never>({ needsApproval: true }),
      ),
    error:
      'Unknown option `needsApproval` of `asTool` of agent `janitor`. Did you mean `requiresApproval`?',
  },
  {
    name: '`execute` of `agent.asTool`',
    make: (probe) =>
      new Agent({ name: 'janitor', model: probe.model() }).asTool(
        untyped<never>({ execute: probe.execute }),
      ),
    error: 'Unknown option `execute` of `asTool` of agent `janitor`.',
  },
];

const withCapability = (name: string, capability: object, error: readonly string[]): Mistake => ({
  name,
  make: runAgent(() => ({ capabilities: [{ name: 'audited', ...capability }] })),
  error,
});

/** Mistakes in capabilities and their hooks. */
export const CAPABILITY_MISTAKES: readonly Mistake[] = [
  withCapability('a misspelled hook', { wrapToolValidaton: () => {} }, [
    'Unknown option `wrapToolValidaton` of capability `audited`.',
    'Did you mean `wrapToolValidation`?',
  ]),
  withCapability('a hook that is not a function', { wrapToolExecution: true }, [
    '`wrapToolExecution`',
    'capability `audited`',
    'Pass a function',
  ]),
  withCapability(
    '`changeTools` that forgets to return the guarded tools',
    { changeTools: (tools: FunctionToolset) => void tools.approvalRequired() },
    ['`changeTools`', 'capability `audited`', '`undefined`', 'Return the toolset'],
  ),
  withCapability('`forRun` that returns nothing', { forRun: () => {} }, [
    '`forRun`',
    'capability `audited`',
    '`undefined`',
  ]),
  withCapability('`forRun` that returns a misspelled hook', { forRun: () => ({ onEvents() {} }) }, [
    'Unknown option `onEvents`',
    'capability `audited`',
    'Did you mean `onEvent`?',
  ]),
  withCapability('`tools` of a capability that are plain functions', { tools: [() => 'Wiped.'] }, [
    '`tools[0]`',
    'is a function',
  ]),
  {
    name: '`capabilities` that is not a list',
    make: runAgent(() => ({ capabilities: { name: 'audited' } })),
    error: ['`capabilities`', 'Pass a list'],
  },
  {
    name: 'undefined among the capabilities',
    make: runAgent(() => ({ capabilities: [undefined] })),
    error: ['`capabilities[0]`', '`undefined`'],
  },
  {
    name: 'an unknown option of a function toolset',
    make: ({ wipe }) => new FunctionToolset([wipe], untyped<never>({ needsApproval: true })),
    error: [
      'Unknown option `needsApproval` of `FunctionToolset`.',
      'Did you mean `requiresApproval`?',
    ],
  },
  {
    name: '`requiresApproval` of a function toolset that is a text',
    make: ({ wipe }) => new FunctionToolset([wipe], untyped<never>({ requiresApproval: 'yes' })),
    error: ['`requiresApproval`', '`FunctionToolset`', "'yes'"],
  },
  ...[0, -1, Number.NaN].flatMap((ms): Mistake[] => [
    durabilityOption('lease', ms, ['`lease`', 'Pass more than 0 milliseconds.']),
    {
      name: `the run option \`toolTimeout\` with ${ms}`,
      make: ({ model, wipe }) =>
        new Agent({ model: model(), tools: [wipe] }).run('Go.', { toolTimeout: ms }),
      error: ['`toolTimeout`', 'Pass more than 0 milliseconds.'],
    },
  ]),
];
