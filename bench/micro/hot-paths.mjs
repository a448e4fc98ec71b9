/**
 * Frequent operations, each measured alone.
 *
 * `make()` returns the function to repeat; `operations` is the number of units in one repetition.
 */
import {
  Agent,
  fromJsonSchema,
  MemoryLedger,
  messageCodec,
  requestsFromMessages,
  ToolDenied,
} from 'holdpoint';
import { callDigest, canonicalJson, schemaHash } from 'holdpoint/ledger';
import { fakeModel } from '../adapters/ai-model.mjs';
import * as holdpoint from '../adapters/holdpoint.mjs';
import { makeAgent } from '../adapters/holdpoint-agent.mjs';
import * as limit from '../adapters/limit.mjs';
import { loopScript, streamScript } from '../workloads/scripts.mjs';
import { makeTools } from '../workloads/tools.mjs';
import { WORKLOADS } from '../workloads/workloads.mjs';
import * as guardedLoop from './guarded-loop.mjs';
import {
  argsModel,
  drain,
  loopModel,
  parkingAgent,
  SCHEMA,
  textModel,
  weatherTool,
} from './support.mjs';

const APPROVE_ALL = { approveAll: true };

const steps = [
  {
    name: 'run of one step',
    unit: 'run',
    make: () => {
      const agent = new Agent({ model: loopModel(0, 0) });
      return () => agent.run('Go.');
    },
  },
  {
    name: 'step with one call, 40 in a run',
    unit: 'step',
    operations: 41,
    make: () => {
      const agent = new Agent({ model: loopModel(40, 1), tools: [weatherTool()] });
      return () => agent.run('Go.');
    },
  },
  {
    name: 'the same on an AI SDK model, zod schemas',
    unit: 'step',
    operations: 41,
    make: () => {
      const tools = makeTools({ n: 0 });
      const agent = makeAgent(fakeModel(loopScript(40, 1)), { tools, maxSteps: 60 });
      return () => agent.run('Go.');
    },
  },
];

const calls = [
  {
    name: 'tool call by another tool',
    unit: 'call',
    operations: 100,
    make: () => {
      const outer = weatherTool({
        name: 'many',
        inputSchema: fromJsonSchema({ type: 'object', properties: {} }),
        async execute(_, ctx) {
          for (let i = 0; i < 100; i++) {
            await ctx.toolManager.call('get_weather', { city: 'Rome', units: 'c' });
          }
          return 'done';
        },
      });
      const agent = new Agent({ model: callOnce('many'), tools: [outer, weatherTool()] });
      return () => agent.run('Go.');
    },
  },
  ...[10, 1000].map((width) => ({
    name: `tool call in a batch of ${width.toLocaleString('en-US')}`,
    unit: 'call',
    operations: width,
    make: () => {
      const agent = new Agent({ model: loopModel(1, width), tools: [weatherTool()] });
      return () => agent.run('Go.');
    },
  })),
];

const deltas = [
  ['text', textModel],
  ['text from an AI SDK model', (count) => fakeModel(streamScript(count, 0, 0))],
  ['arguments', argsModel],
].map(([what, model]) => ({
  name: `delta of ${what}`,
  unit: 'delta',
  operations: 2000,
  make: () => {
    const agent = new Agent({ model: model(2000), tools: [weatherTool()] });
    return () => drain(agent.stream('Go.'));
  },
}));

const documents = [
  {
    name: 'canonical JSON of 1 KB',
    unit: 'value',
    operations: 100,
    make: () => () => repeat(100, () => canonicalJson(VALUE)),
  },
  {
    // Conversions are cached per schema object, so each repetition uses a new one.
    name: 'hash of a schema',
    unit: 'schema',
    operations: 20,
    make: () => () => repeatAsync(20, () => schemaHash({ parametersJsonSchema: { ...SCHEMA } })),
  },
  {
    name: 'digest of a call',
    unit: 'call',
    operations: 20,
    make: () => () => repeatAsync(20, () => callDigest(DIGESTED)),
  },
  ...['dump', 'load'].map((direction) => ({
    name: `${direction} messages`,
    unit: 'message',
    operations: 82,
    make: async () => {
      const agent = new Agent({ model: loopModel(40, 1), tools: [weatherTool()] });
      const { messages } = await agent.run('Go.');
      const text = messageCodec.stringify(messages);
      return direction === 'dump'
        ? () => messageCodec.stringify(messages)
        : () => messageCodec.parse(text);
    },
  })),
];

const parking = [
  {
    name: 'park on 5 calls',
    unit: 'run',
    make: () => {
      const agent = parkingAgent();
      return () => agent.run('Go.');
    },
  },
  parkedRunPath(
    'parked run, dumped',
    ({ parked }) =>
      () =>
        messageCodec.stringify(parked.messages),
  ),
  parkedRunPath(
    'parked run, loaded',
    ({ stored }) =>
      () =>
        messageCodec.parse(stored),
  ),
  parkedRunPath(
    'parked run, loaded with its requests',
    ({ stored }) =>
      () =>
        requestsFromMessages(messageCodec.parse(stored)),
  ),
  parkedRunPath(
    'parked run, decided',
    ({ parked }) =>
      () =>
        parked.output.buildResults({ approvals: decisions() }),
  ),
  parkedRunPath('parked run, resumed', ({ agent, parked }) => {
    const results = parked.output.buildResults({ approvals: decisions() });
    return () => agent.resume(parked, results);
  }),
  parkAndResume('park and resume', () => ({})),
  parkAndResume('park and resume, digests', () => ({ durability: { digests: true } })),
  parkAndResume('park and resume, ledger', () => ({ durability: { ledger: new MemoryLedger() } })),
  resumeStored('resume from JSON', {}),
  resumeStored('resume from JSON, digests', { durability: { digests: true } }),
];

/** W3 by the bare loop, by the bare loop with our checks, and by Holdpoint. */
const roundTrips = [
  ['bare loop', limit],
  ['bare loop with our checks', guardedLoop],
  ['holdpoint', holdpoint],
].map(([what, adapter]) => ({
  name: `approval by JSON, ${what}`,
  unit: 'round trip',
  make: async () => {
    const { once } = await WORKLOADS.w3.make(adapter, { calls: 5 });
    return once;
  },
}));

/** All frequent operations. */
export const HOT_PATHS = [...steps, ...calls, ...deltas, ...documents, ...parking, ...roundTrips];

/** Returns a benchmark of one part of an approval round trip. */
function parkedRunPath(name, act) {
  return {
    name,
    unit: 'run',
    make: async () => {
      const agent = parkingAgent();
      const parked = await agent.run('Go.');
      return act({ agent, parked, stored: messageCodec.stringify(parked.messages) });
    },
  };
}

/** Approves three of the five calls. */
function decisions() {
  const approvals = {};
  for (let k = 0; k < 5; k++) approvals[`c0_${k}`] = k < 3 || new ToolDenied('No.');
  return approvals;
}

/** Parks on five calls, approves them and resumes. Both runs have the same options. */
function parkAndResume(name, options) {
  return {
    name,
    unit: 'round trip',
    make: () => {
      const agent = parkingAgent();
      return async () => {
        const given = options();
        const parked = await agent.run('Go.', given);
        await agent.resume(parked, parked.output.buildResults(APPROVE_ALL), given);
      };
    },
  };
}

function resumeStored(name, options) {
  return {
    name,
    unit: 'resume',
    make: async () => {
      const agent = parkingAgent(options);
      const stored = messageCodec.stringify((await agent.run('Go.')).messages);
      return async () => {
        const messages = messageCodec.parse(stored);
        const results = requestsFromMessages(messages).buildResults(APPROVE_ALL);
        await agent.resume({ messages }, results);
      };
    },
  };
}

function callOnce(toolName) {
  const call = { kind: 'tool-call', toolName, toolCallId: 'only', args: '{}' };
  return {
    name: 'fake',
    system: 'fake',
    request: async ({ messages }) => ({
      parts: [messages.length === 1 ? { ...call } : { kind: 'text', content: 'Done.' }],
    }),
  };
}

const VALUE = {
  zulu: 'x'.repeat(400),
  alpha: Array.from({ length: 20 }, (_, i) => ({ id: i, name: `item ${i}`, tags: ['b', 'a'] })),
};

const DIGESTED = {
  step: '01890a5d-ac96-774b-bcce-b302099a8057',
  index: 0,
  path: [],
  toolName: 'get_weather',
  args: { city: 'Rome', units: 'c' },
  schemaHash: '0'.repeat(64),
};

function repeat(times, action) {
  for (let i = 0; i < times; i++) action();
}

async function repeatAsync(times, action) {
  for (let i = 0; i < times; i++) await action();
}
