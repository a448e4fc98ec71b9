import { ExternalToolset, FunctionToolset, tool } from 'holdpoint';
import { z } from 'zod';
import { untyped } from '../support/untyped.ts';
import type { Mistake, Probe } from './mistake.ts';

/** Runs a tool that has these options beside its name and its function. */
const runTool =
  (options: object) =>
  (probe: Probe): unknown =>
    probe.run(tool(untyped<never>({ name: 'wipe', execute: probe.execute, ...options })));

const unknownOption = (name: string, meant: string): Mistake => ({
  name: `\`${name}\` in place of \`${meant}\``,
  make: runTool({ [name]: true }),
  error: `Unknown option \`${name}\` of tool \`wipe\`. Did you mean \`${meant}\`?`,
});

const wrongType = (name: string, value: unknown, shown: string): Mistake => ({
  name: `\`${name}\` with the value ${shown}`,
  make: runTool({ [name]: value }),
  error: [name, 'tool `wipe`', shown],
});

/** Mistakes in the options of `tool()`. */
export const TOOL_OPTION_MISTAKES: readonly Mistake[] = [
  unknownOption('needsApproval', 'requiresApproval'),
  unknownOption('requireApproval', 'requiresApproval'),
  unknownOption('requires_approval', 'requiresApproval'),
  unknownOption('needs_approval', 'requiresApproval'),
  unknownOption('requiresAproval', 'requiresApproval'),
  unknownOption('requiresapproval', 'requiresApproval'),
  unknownOption('parameters', 'inputSchema'),
  unknownOption('input_schema', 'inputSchema'),
  unknownOption('returnSchema', 'outputSchema'),
  unknownOption('timeoutMs', 'timeout'),
  unknownOption('validate', 'argsValidator'),
  unknownOption('max_retries', 'maxRetries'),
  unknownOption('readonly', 'readOnly'),
  {
    name: 'an unknown option that resembles no other',
    make: runTool({ colour: 'red' }),
    error: ['Unknown option `colour` of tool `wipe`.', 'Known options: ', '`requiresApproval`'],
  },
  {
    name: 'an unknown option that comes from a spread',
    make: (probe) => {
      const shared = { needsApproval: true };
      return probe.run(tool({ name: 'wipe', execute: probe.execute, ...shared }));
    },
    error: 'Unknown option `needsApproval` of tool `wipe`.',
  },
  {
    name: 'an unknown option that is inherited from a prototype',
    make: (probe) => {
      const options = Object.create({ needsApproval: true });
      return probe.run(tool(Object.assign(options, { name: 'wipe', execute: probe.execute })));
    },
    error: 'Unknown option `needsApproval` of tool `wipe`.',
  },
  {
    name: 'two unknown options, and names both',
    make: runTool({ needsApproval: true, parameters: {} }),
    error: ['Unknown option `needsApproval`', 'Unknown option `parameters`'],
  },
  wrongType('requiresApproval', 'yes', "'yes'"),
  wrongType('requiresApproval', 1, '`1`'),
  wrongType('requiresApproval', null, '`null`'),
  wrongType('requiresApproval', {}, 'an object'),
  wrongType('timeout', -1, '-1'),
  wrongType('timeout', '5', "'5'"),
  wrongType('maxRetries', 1.5, '1.5'),
  wrongType('once', 'yes', "'yes'"),
  wrongType('idempotent', 'false', "'false'"),
  wrongType('sequential', 1, '`1`'),
  wrongType('onInDoubt', 'rerun', "'rerun'"),
  wrongType('argsValidator', {}, 'an object'),
  wrongType('prepare', 'never', "'never'"),
  wrongType('preview', 'Wipes.', "'Wipes.'"),
  wrongType('description', 5, '`5`'),
  wrongType('metadata', 'text', "'text'"),
  {
    name: '`execute` that is missing, and names `ExternalToolset`',
    make: (probe) => probe.run(tool(untyped<never>({ name: 'wipe' }))),
    error: ['Tool `wipe` has no `execute`', '`ExternalToolset`'],
  },
  {
    name: '`execute` that is the result of a call',
    make: (probe) => probe.run(tool(untyped<never>({ name: 'wipe', execute: 'Wiped.' }))),
    error: ['`execute`', 'tool `wipe`', "'Wiped.'"],
  },
  {
    name: '`inputSchema` that is a record of schemas',
    make: runTool({ inputSchema: { path: z.string() } }),
    error: ['input schema', 'wipe', 'z.object'],
  },
  {
    name: '`inputSchema` that is plain JSON Schema, and names `fromJsonSchema`',
    make: runTool({ inputSchema: { type: 'object', properties: {} } }),
    error: ['input schema', 'wipe', 'fromJsonSchema'],
  },
  {
    name: '`inputSchema` that is `null`',
    make: runTool({ inputSchema: null }),
    error: ['input schema', 'wipe', '`null`'],
  },
  {
    name: 'no options at all',
    make: () => tool(untyped<never>(undefined)),
    error: '`tool` was called without options.',
  },
  {
    name: 'a name and a function in place of options',
    make: () => tool(untyped<never>('wipe')),
    error: "The options of `tool` are `'wipe'`. Pass an object.",
  },
  {
    name: 'options that are a promise',
    make: () => tool(untyped<never>(Promise.resolve({ name: 'wipe' }))),
    error: ['The options of `tool` are a promise', 'Did you forget `await`?'],
  },
];

const badName = (name: string, what: string): Mistake => ({
  name: `a tool name ${what}`,
  make: (probe) => probe.run(tool({ name, execute: probe.execute })),
  error: ['tool name', 'letters, digits'],
});

/** Names that providers reject. */
export const TOOL_NAME_MISTAKES: readonly Mistake[] = [
  badName('wipe disk', 'with a space'),
  badName('', 'that is empty'),
  badName('w'.repeat(129), 'that is too long'),
  badName('löschen', 'with a letter outside of ASCII'),
  badName('wipe\n', 'with a line break'),
  {
    name: 'a name with a space as the key of a record',
    make: (probe) => new FunctionToolset({ 'wipe disk': tool({ execute: probe.execute }) }),
    error: ['`wipe disk`', 'letters, digits'],
  },
  {
    name: 'a name with a space of an external tool',
    make: () => new ExternalToolset([{ name: 'wipe disk' }]),
    error: ['`wipe disk`', 'letters, digits'],
  },
  {
    name: 'a new name with a space',
    make: (probe) => new FunctionToolset([probe.wipe]).renamed({ 'wipe disk': 'wipe' }),
    error: ['`wipe disk`', 'letters, digits'],
  },
  {
    name: 'a prefix with a space',
    make: (probe) => new FunctionToolset([probe.wipe]).prefixed('my disk'),
    error: ['`my disk`', 'letters, digits'],
  },
];

/** Values in `tools` that `tool()` did not create. */
export const TOOLS_MISTAKES: readonly Mistake[] = [
  {
    name: 'an AI SDK tool in a record of tools',
    make: ({ execute }) =>
      new FunctionToolset(untyped<never>({ wipe: { inputSchema: z.object({}), execute } })),
    error: ['`wipe`', 'is an AI SDK tool', '`fromAiSdkTools` from `holdpoint/ai-sdk`'],
  },
  {
    name: 'an AI SDK tool in a list of tools',
    make: ({ execute }) =>
      new FunctionToolset(
        untyped<never>([{ description: 'x', inputSchema: z.object({}), execute }]),
      ),
    error: ['`tools[0]`', 'is an AI SDK tool', '`fromAiSdkTools` from `holdpoint/ai-sdk`'],
  },
  {
    name: 'a provider tool of the AI SDK',
    make: () =>
      new FunctionToolset(untyped<never>({ search: { type: 'provider', id: 'openai.search' } })),
    error: ['`search`', 'is an AI SDK tool', '`fromAiSdkTools` from `holdpoint/ai-sdk`'],
  },
  {
    name: 'a plain function',
    make: ({ execute }) => new FunctionToolset(untyped<never>([execute])),
    error: ['`tools[0]`', 'is a function', 'Call `tool({ name, inputSchema, execute })`'],
  },
  {
    name: 'an options object that was not passed to `tool()`',
    make: ({ execute }) => new FunctionToolset(untyped<never>([{ name: 'wipe', execute }])),
    error: ['`tools[0]`', 'is an object that `tool()` did not make'],
  },
  {
    name: 'a toolset among the tools, and names `toolsets`',
    make: ({ wipe }) => new FunctionToolset(untyped<never>([new FunctionToolset([wipe])])),
    error: ['`tools[0]`', 'is a toolset', '`toolsets`'],
  },
  {
    name: 'a promise of a tool',
    make: ({ wipe }) => new FunctionToolset(untyped<never>([Promise.resolve(wipe)])),
    error: ['`tools[0]`', 'is a promise', 'Did you forget `await`?'],
  },
  {
    name: 'undefined among the tools',
    make: () => new FunctionToolset(untyped<never>([undefined])),
    error: ['`tools[0]`', '`undefined`'],
  },
  {
    name: 'a tool that was added without `tool()`',
    make: ({ execute }) => new FunctionToolset().add(untyped<never>({ name: 'wipe', execute })),
    error: ['`wipe`', 'is an object that `tool()` did not make'],
  },
  ...[0, -1, Number.NaN].map((timeout) => ({
    name: `a toolset whose time limit is ${timeout}`,
    make: ({ wipe }: Probe) => new FunctionToolset([wipe], { timeout }),
    error: ['`timeout`', 'Pass more than 0 milliseconds.'],
  })),
  ...[-1, 0.5, Number.NaN].map((maxRetries) => ({
    name: `a toolset with ${maxRetries} retries`,
    make: ({ wipe }: Probe) => new FunctionToolset([wipe], { maxRetries }),
    error: ['`maxRetries`', 'Pass a whole number, 0 or more.'],
  })),
];
