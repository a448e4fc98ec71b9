import {
  Agent,
  aiSdkModel,
  approveAll,
  CombinedToolset,
  decideByRules,
  DynamicToolset,
  ExternalToolset,
  fallbackModel,
  FunctionToolset,
  inherit,
  MemoryLedger,
  toolOutput,
} from 'holdpoint';
import { nativeTool, processHistory, toolSearch } from 'holdpoint/capabilities';
import { forkHistory } from 'holdpoint/deferral';
import { inferModel } from 'holdpoint/models';
import { fromAiSdkTool, fromAiSdkTools, toAiSdkTools } from 'holdpoint/ai-sdk';
import { mcp, mcpHttp, mcpStdio } from 'holdpoint/mcp';
import { otel } from 'holdpoint/otel';
import { sealedRuns } from 'holdpoint/sealed';
import {
  calls,
  exampleValue,
  fakeClock,
  faultyLedger,
  functionModel,
  replayingEnvironment,
  says,
  scriptedModel,
  TestModel,
} from 'holdpoint/testing';
import { z } from 'zod';
import { untyped } from '../support/untyped.ts';
import type { Mistake } from './mistake.ts';

const KEY = btoa('k'.repeat(32));
const AI_SDK_TOOL = { inputSchema: z.object({}), execute: () => 'Wiped.' };

const unknownOption = (
  owner: string,
  make: (options: never) => unknown,
  [given, known]: readonly [given: string, known: string],
  required: object = {},
): Mistake => ({
  name: `\`${given}\` of ${owner}`,
  make: () => make(untyped<never>({ ...required, [given]: true })),
  error: `Unknown option \`${given}\` of ${owner}. Did you mean \`${known}\`?`,
});

const sealed = { keys: { a: KEY }, audience: 'shop', expiresIn: 60_000 };

/** Unknown options of every function with options. */
export const FURTHER_OPTION_MISTAKES: readonly Mistake[] = [
  unknownOption('`otel`', (o) => otel(o), ['include_content', 'includeContent']),
  {
    name: '`tracer` of `otel` that is a provider',
    make: () => otel(untyped<object>({ tracer: { getTracer() {} } })),
    error: ['`tracer`', '`otel`', '`startSpan`'],
  },
  {
    name: '`resume` of `otel` with another value',
    make: () => otel(untyped<object>({ resume: 'parent' })),
    error: ['`resume`', "'parent'", "'same-trace'"],
  },
  {
    name: '`otel` twice',
    make: () => new Agent({ capabilities: [otel(), otel()] }),
    error: 'There can be only one capability `otel`.',
  },
  unknownOption('`ExternalToolset`', (o) => new ExternalToolset([], o), ['ids', 'id']),
  unknownOption(
    'external tool `pay`',
    (o) => new ExternalToolset([o]),
    ['inputSchema', 'parametersJsonSchema'],
    { name: 'pay' },
  ),
  unknownOption(
    'external tool `pay`',
    (o) => new ExternalToolset([o]),
    ['parameters_json_schema', 'parametersJsonSchema'],
    { name: 'pay' },
  ),
  unknownOption('`DynamicToolset`', (o) => new DynamicToolset(() => undefined, o), [
    'per_run_step',
    'perRunStep',
  ]),
  unknownOption('`inherit`', (o) => inherit('disk', o), ['shared', 'share']),
  unknownOption('`toolSearch`', (o) => toolSearch(o), ['max_results', 'maxResults']),
  unknownOption('`nativeTool`', (o) => nativeTool({ kind: 'web-search' }, o), ['locale', 'local']),
  unknownOption('`toolOutput`', (o) => toolOutput(z.object({}), o), ['max_retries', 'maxRetries']),
  unknownOption(
    '`fromAiSdkTool`',
    (o) => fromAiSdkTool(AI_SDK_TOOL, o),
    ['needsApproval', 'requiresApproval'],
    { name: 'wipe' },
  ),
  unknownOption('`fromAiSdkTools`', (o) => fromAiSdkTools({ wipe: AI_SDK_TOOL }, o), [
    'needsApproval',
    'requiresApproval',
  ]),
  unknownOption('`toAiSdkTools`', (o) => toAiSdkTools([], o), ['context', 'deps']),
  unknownOption('MCP server `disk`', (o) => mcpStdio(o), ['without_approval', 'withoutApproval'], {
    id: 'disk',
    command: 'disk',
  }),
  unknownOption(
    'MCP server `disk`',
    (o) => mcpHttp(o),
    ['trustReadOnlyHint', 'trustReadOnlyHints'],
    {
      id: 'disk',
      url: 'https://example.com/mcp',
    },
  ),
  unknownOption('MCP server `disk`', (o) => mcpHttp(o), ['header', 'headers'], {
    id: 'disk',
    url: 'https://example.com/mcp',
  }),
  unknownOption('`mcp`', (o) => mcp(mcpHttp({ id: 'disk', url: 'https://example.com/mcp' }), o), [
    'natives',
    'native',
  ]),
  unknownOption('`sealedRuns`', (o) => sealedRuns(o), ['allowReplays', 'allowReplay'], sealed),
  unknownOption('`MemoryLedger`', (o) => new MemoryLedger(o), ['retain', 'retention']),
  unknownOption('`fallbackModel`', (o) => fallbackModel('openai:gpt-5', o), ['whenn', 'when']),
  unknownOption('`forkHistory`', (o) => forkHistory([], o), ['newID', 'newId']),
  unknownOption('`fakeClock`', (o) => fakeClock(o), ['starts', 'start']),
  unknownOption(
    '`replayingEnvironment`',
    (o) => replayingEnvironment({ requests: [], arrivals: [] } as never, o),
    ['upto', 'upTo'],
  ),
  unknownOption('`functionModel`', (o) => functionModel(() => 'x', o), ['streams', 'stream']),
  unknownOption('`TestModel`', (o) => new TestModel(o), ['call_tools', 'callTools']),
  unknownOption('`says`', (o) => says('x', o), ['chunk', 'chunks']),
  unknownOption('`calls`', (o) => calls('wipe', {}, o), ['toolCallId', 'id']),
  unknownOption('`scriptedModel`', (o) => scriptedModel('x', o), [
    'supports_native',
    'supportsNative',
  ]),
  unknownOption('`exampleValue`', (o) => exampleValue({ type: 'string' }, o), ['seeds', 'seed']),
  unknownOption(
    'the fault of `faultyLedger`',
    (o) => faultyLedger(new MemoryLedger(), o),
    ['whenn', 'when'],
    { index: 0, when: 'before', kind: 'throw' },
  ),
];

/** Wrong values in options of integrations. */
export const FURTHER_VALUE_MISTAKES: readonly Mistake[] = [
  {
    name: '`allowReplay` of `sealedRuns` that is a text',
    make: () => sealedRuns(untyped<never>({ ...sealed, allowReplay: 'false' })),
    error: ['`allowReplay`', '`sealedRuns`', "'false'"],
  },
  {
    name: 'a `ledger` of `sealedRuns` that is a promise',
    make: () => sealedRuns(untyped<never>({ ...sealed, ledger: Promise.resolve({}) })),
    error: ['`ledger`', '`sealedRuns`', 'a promise', 'Did you forget `await`?'],
  },
  {
    name: '`sealedRuns` without options',
    make: () => sealedRuns(untyped<never>(undefined)),
    error: '`sealedRuns` was called without options.',
  },
  {
    name: '`mcpStdio` without options',
    make: () => mcpStdio(untyped<never>(undefined)),
    error: '`mcpStdio` was called without options.',
  },
  {
    name: '`withoutApproval` of an MCP server that selects every tool by an empty object',
    make: () => mcpStdio(untyped<never>({ id: 'disk', command: 'disk', withoutApproval: {} })),
    error: ['`withoutApproval`', 'MCP server `disk`', "'all'"],
  },
  {
    name: '`withoutApproval` of an MCP server that is `true`',
    make: () => mcpStdio(untyped<never>({ id: 'disk', command: 'disk', withoutApproval: true })),
    error: ['`withoutApproval`', 'MCP server `disk`', '`true`'],
  },
  {
    name: '`trustReadOnlyHints` of an MCP server that is a text',
    make: () => mcpStdio(untyped<never>({ id: 'disk', command: 'disk', trustReadOnlyHints: 'no' })),
    error: ['trustReadOnlyHints', 'disk'],
  },
  {
    name: '`CombinedToolset` with toolsets as arguments in place of a list',
    make: ({ wipe }) => new CombinedToolset(untyped<never>(new FunctionToolset([wipe]))),
    error: ['`CombinedToolset`', 'a `FunctionToolset`', 'Pass a list'],
  },
  {
    name: 'a tool in a `CombinedToolset`',
    make: ({ wipe }) => new CombinedToolset(untyped<never>([wipe])),
    error: ['`toolsets[0]`', 'a `Tool`'],
  },
  {
    name: '`DynamicToolset` with a toolset in place of a function',
    make: ({ wipe }) => new DynamicToolset(untyped<never>(new FunctionToolset([wipe]))),
    error: ['`DynamicToolset`', 'a `FunctionToolset`', 'Pass a function'],
  },
  {
    name: '`inherit` without an id',
    make: () => inherit(untyped<never>(undefined)),
    error: ['`inherit`', '`undefined`'],
  },
  {
    name: 'a model in the style of the AI SDK gateway',
    make: () => inferModel('openai/gpt-5'),
    error: ['`openai:gpt-5`', '`gateway/openai:gpt-5`'],
  },
  {
    name: 'a model in the style of the AI SDK gateway, with a run',
    make: ({ wipe }) => new Agent({ model: 'anthropic/claude-4', tools: [wipe] }).run('Go.'),
    error: ['`anthropic:claude-4`'],
  },
  {
    name: '`fallbackModel` with a promise of a model',
    make: () => fallbackModel('openai:gpt-5', untyped<never>(Promise.resolve({}))),
    error: ['`fallbackModel`', 'a promise', 'Did you forget `await`?'],
  },
  {
    name: '`fallbackModel` without a model',
    make: () => fallbackModel(untyped<never>(undefined)),
    error: 'The value is not a model.',
  },
  {
    name: '`aiSdkModel` without a model',
    make: () => aiSdkModel(untyped<never>(undefined)),
    error: ['`aiSdkModel`', '`undefined`', 'Pass a language model of the AI SDK'],
  },
  {
    name: '`ExternalToolset` with a record of tools',
    make: () => new ExternalToolset(untyped<never>({ pay: {} })),
    error: ['`ExternalToolset`', 'an object', 'Pass a list'],
  },
  {
    name: '`fromAiSdkTools` without tools',
    make: () => fromAiSdkTools(untyped<never>(undefined)),
    error: ['`fromAiSdkTools`', '`undefined`', 'Pass a record'],
  },
  {
    name: '`processHistory` with a text',
    make: () => processHistory(untyped<never>('shorten')),
    error: ['`processHistory`', 'Pass a function'],
  },
  {
    name: '`decideByRules` with a record of rules',
    make: () => decideByRules(untyped<never>({ pay: true })),
    error: ['`decideByRules`', 'an object', 'Pass a list'],
  },
  {
    name: '`durability` that is the ledger itself',
    make: () => new Agent(untyped<object>({ durability: new MemoryLedger() })),
    error: ['`durability`', 'a ledger', 'Pass it as `durability: { ledger }`'],
  },
  {
    name: 'an instance of another class as the options of a run',
    make: () =>
      new Agent({ model: new TestModel() }).run('Go.', untyped<object>(new MemoryLedger())),
    error: ['The options of `agent.run`', '`MemoryLedger`', 'Pass an object'],
  },
  {
    name: 'messages as JSON text in place of a parked run',
    make: () => new Agent({}).resume(untyped<never>({ messages: '[]' }), untyped<never>({})),
    error: ['`messages`', '`agent.resume`', '`messageCodec.parse`'],
  },
  {
    name: 'a handler that was not called, as decisions',
    make: () =>
      new Agent({ model: new TestModel() }).resume({ messages: [] }, untyped<never>(approveAll)),
    error: ['Nothing was executed', 'a function', '`approveAll()`'],
  },
  {
    name: '`mcpStdio` without a command',
    make: () => mcpStdio(untyped<never>({ id: 'files' })),
    error: ['`command`', 'MCP server `files`', '`undefined`', 'Pass the program'],
  },
  {
    name: '`MemoryLedger` with a clock that is no function',
    make: () => new MemoryLedger(untyped<never>({ now: 5 })),
    error: ['`now`', '`MemoryLedger`', '`5`'],
  },
];
