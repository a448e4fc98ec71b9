import { Agent, tool } from 'holdpoint';
import { calls, functionModel, responds, says, scriptedModel } from 'holdpoint/testing';
import { untyped } from '../support/untyped.ts';
import type { Mistake, Probe } from './mistake.ts';

/** Runs an agent with this model. */
const runModel =
  (model: () => unknown) =>
  ({ wipe }: Probe): unknown =>
    new Agent({ model: untyped<never>(model()), tools: [wipe] }).run('Go.');

/** Runs an agent whose test model returns this value. */
const respondWith = (name: string, value: unknown, error: string | readonly string[]): Mistake => ({
  name: `a function of \`functionModel\` that returns ${name}`,
  make: runModel(() => functionModel(untyped<() => string>(() => value))),
  error,
});

const isBuilder = '`says`, `calls` or `responds`';

/** Mistakes in the models of a first program or test. */
export const TEST_MODEL_MISTAKES: readonly Mistake[] = [
  respondWith('nothing', undefined, ['The response of a test model is `undefined`', isBuilder]),
  respondWith('a number', 5, ['The response of a test model is `5`', isBuilder]),
  respondWith('a list of calls', [calls('wipe')], ['is an array', isBuilder]),
  respondWith('the result of another library', { text: 'Hi.' }, ['is an object', isBuilder]),
  respondWith(
    'a message of the history',
    { kind: 'response', parts: [{ kind: 'text', content: 'Hi.' }] },
    ['is an object', isBuilder],
  ),
  {
    name: '`functionModel` with a list of responses',
    make: () => functionModel(untyped<never>([says('Done.')])),
    error: 'The first argument of `functionModel` is an array. Pass a function.',
  },
  {
    name: '`scriptedModel` with a list of responses',
    make: runModel(() => scriptedModel(untyped<never>([calls('wipe'), says('Done.')]))),
    error: ['The response of a test model is an array', isBuilder],
  },
  {
    name: '`responds` with a list of calls',
    make: runModel(() => scriptedModel(responds(untyped<never>([calls('wipe')])), says('Done.'))),
    error: 'An item of `responds` is an array. Pass a text, a part,',
  },
  {
    name: '`calls` with a tool in place of its name',
    make: ({ wipe }) => calls(untyped<never>(wipe)),
    error: 'The tool name of `calls` is a `Tool`. Pass a text.',
  },
  {
    name: '`says` with data in place of text',
    make: () => says(untyped<never>({ city: 'Lyon' })),
    error: 'The text of `says` is an object. Pass a text.',
  },
  {
    name: 'a model of the application that returns text',
    make: runModel(() => ({ name: 'own', request: async () => 'Done.' })),
    error: 'Model `own` returned no response. Return `{ parts: [ … ] }`.',
  },
  {
    name: 'a model of the application that returns nothing',
    make: runModel(() => ({ name: 'own', async request() {} })),
    error: 'Model `own` returned no response.',
  },
];

/** Runs an agent with these options. */
const runAgent =
  (options: object) =>
  (probe: Probe): unknown =>
    new Agent(untyped<object>({ model: probe.model(), tools: [probe.wipe], ...options })).run(
      'Go.',
    );

/** Decides a parked call with the wrong arguments. */
const decideWith =
  (method: string, ...args: readonly unknown[]) =>
  async (probe: Probe): Promise<unknown> => {
    const { result, resume } = await probe.parked();
    const [call] = result.output;
    // The methods of a call are called as a program without types calls them.
    const decide = untyped<Record<string, (...given: readonly unknown[]) => never>>(call)[method];
    return resume(result.output.buildResults([untyped<never>(decide?.apply(call, [...args]))]));
  };

/** Mistakes in the options of a first agent, and in its first decisions. */
export const FIRST_AGENT_MISTAKES: readonly Mistake[] = [
  {
    name: '`output` that is the name of a type',
    make: runAgent({ output: 'string' }),
    error: ["An output is `'string'`", '`String`'],
  },
  {
    name: '`output` that contains undefined',
    make: runAgent({ output: [String, undefined] }),
    error: ['An output is `undefined`', '`String`'],
  },
  {
    name: '`output` that is a record of schemas',
    make: runAgent({ output: { city: {} } }),
    error: ['An output is an object', 'Standard Schema'],
  },
  {
    name: '`instructions` that are a number',
    make: runAgent({ instructions: 5 }),
    error: 'One of the `instructions` is `5`. Pass a text, or a function that returns one.',
  },
  {
    name: '`instructions` that contain a promise',
    make: runAgent({ instructions: ['Be brief.', Promise.resolve('Be kind.')] }),
    error: 'One of the `instructions` is a promise. Did you forget `await`?',
  },
  {
    name: 'a function in `instructions` that returns an object',
    make: runAgent({ instructions: () => ({ role: 'system' }) }),
    error: 'A function in `instructions` returned an object. Return a text',
  },
  {
    name: 'a request for changes without a message',
    make: decideWith('retry'),
    error: 'The message of `retry` is `undefined`. Pass a text',
  },
  {
    name: '`overrideArgs` of `approve`',
    make: decideWith('approve', { overrideArgs: {} }),
    error: 'Unknown option `overrideArgs` of `approve`. Did you mean `args`?',
  },
  {
    name: 'a reason as the options of `approve`',
    make: decideWith('approve', 'It is fine.'),
    error: "The options of `approve` are `'It is fine.'`. Pass an object.",
  },
  {
    name: 'a result for a call that needs approval',
    make: decideWith('resolve', 'Wiped.'),
    error: ['needs approval, so `resolve` does not apply', '`approve`, `deny` or `retry`'],
  },
  {
    name: 'a handler that returns the list of its decisions',
    make: (probe) => {
      const handler = (requests: Iterable<{ approve(): unknown }>) =>
        [...requests].map((call) => call.approve());
      return new Agent({
        model: probe.model(),
        tools: [probe.guarded],
        deferredToolHandler: untyped<never>(handler),
      }).run('Go.');
    },
    error: ['Nothing was executed', '`requests.buildResults(…)`'],
  },
  {
    name: 'a function as the input schema',
    make: (probe) =>
      probe.run(tool(untyped<never>({ name: 'wipe', inputSchema: () => ({}), execute() {} }))),
    error: ['is a function, which is not a schema', 'z.object'],
  },
];
