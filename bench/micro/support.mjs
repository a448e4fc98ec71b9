/** Models, tools and agents of the micro-benchmarks. */
import { Agent, DeferredToolRequests, fromJsonSchema, tool } from 'holdpoint';

/** The arguments of the tool. */
export const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' }, units: { type: 'string' } },
  required: ['city', 'units'],
};

/**
 * Creates a small tool. Its schema is plain JSON Schema, so that no third-party validator is timed.
 */
export function weatherTool(options = {}) {
  return tool({
    name: 'get_weather',
    description: 'The weather in a city.',
    inputSchema: fromJsonSchema(SCHEMA),
    execute: ({ city }) => ({ city, temperature: 21, sky: 'clear' }),
    ...options,
  });
}

export const callPart = (step, k) => ({
  kind: 'tool-call',
  toolName: 'get_weather',
  toolCallId: `c${step}_${k}`,
  args: `{"city":"City ${step}","units":"c"}`,
});

/** A model that calls the tool `width` times in each of `steps` responses, and then sends text. */
export function loopModel(steps, width) {
  return {
    name: 'fake',
    system: 'fake',
    async request({ messages }) {
      const step = stepAfter(messages);
      if (step >= steps) return { parts: [{ kind: 'text', content: 'Done.' }] };
      return { parts: Array.from({ length: width }, (_, k) => callPart(step, k)) };
    },
  };
}

/** Returns the step after the results at the end of a history, and 0 without results. */
function stepAfter(messages) {
  const last = messages.at(-1).parts.at(-1);
  return last.kind === 'tool-return' ? Number.parseInt(last.toolCallId.slice(1), 10) + 1 : 0;
}

/** A model that streams one text in `deltas` pieces. */
export function textModel(deltas) {
  return {
    name: 'fake',
    system: 'fake',
    request: rejectRequest,
    async *stream() {
      yield { kind: 'part-start', index: 0, part: { kind: 'text', content: 'lorem ' } };
      for (let i = 1; i < deltas; i++) yield { kind: 'text-delta', index: 0, text: 'ipsum ' };
      yield { kind: 'finish' };
    },
  };
}

/** A model that streams one call with arguments in `deltas` pieces, and then sends text. */
export function argsModel(deltas) {
  return {
    name: 'fake',
    system: 'fake',
    request: rejectRequest,
    async *stream({ messages }) {
      if (stepAfter(messages) > 0) {
        yield { kind: 'part-start', index: 0, part: { kind: 'text', content: 'Done.' } };
      } else {
        yield { kind: 'part-start', index: 0, part: { ...callPart(0, 0), args: '{"city":"' } };
        for (let i = 2; i < deltas; i++) yield { kind: 'args-delta', index: 0, text: 'lorem ' };
        yield { kind: 'args-delta', index: 0, text: '","units":"c"}' };
      }
      yield { kind: 'finish' };
    },
  };
}

async function rejectRequest() {
  throw new Error('This model only streams.');
}

/** An agent that parks on five approvals. */
export function parkingAgent(options = {}) {
  return new Agent({
    model: loopModel(1, 5),
    tools: [weatherTool({ requiresApproval: true })],
    output: [String, DeferredToolRequests],
    ...options,
  });
}

/** Reads a stream to its end. */
export async function drain(stream) {
  for await (const _ of stream);
}
