/**
 * LIMIT: a hand-written loop without a framework, which does the same work with the same zod
 * schemas.
 */
import { stepAfter } from '../workloads/scripts.mjs';

const lastId = (messages) => messages[messages.length - 1].toolCallId;

export function setup({ tools, script, maxSteps, inspect }) {
  const byName = new Map(tools.map((t) => [t.name, t]));
  const model = async (messages) => {
    inspect?.(messages);
    const r = script(stepAfter(lastId(messages)));
    return { role: 'assistant', text: r.text, calls: r.calls?.map((c) => ({ ...c })) };
  };
  async function* modelStream(messages) {
    yield* script(stepAfter(lastId(messages))).chunks;
  }
  return { byName, model, modelStream, maxSteps };
}

export const history = (neutral) =>
  neutral.map((m) =>
    m.role === 'tool' ? { role: 'tool', toolCallId: m.id, content: JSON.stringify(m.result) } : m,
  );

async function execute(agent, call) {
  const tool = agent.byName.get(call.name);
  const args = tool.schema.parse(JSON.parse(call.args));
  return { role: 'tool', toolCallId: call.id, content: JSON.stringify(await tool.execute(args)) };
}

async function loop(agent, messages) {
  for (let step = 0; step < agent.maxSteps; step++) {
    const response = await agent.model(messages);
    messages.push(response);
    if (!response.calls) return { text: response.text };
    if (agent.byName.get(response.calls[0].name).needsApproval) return { messages };
    for (const m of await Promise.all(response.calls.map((c) => execute(agent, c))))
      messages.push(m);
  }
  throw new Error('The run exceeded its step limit.');
}

export const run = (agent, { prompt, history: earlier = [] }) =>
  loop(agent, [...earlier, { role: 'user', text: prompt }]);

/** The caller keeps `messages` in memory, or stores them as JSON. */
export const park = async (agent, { prompt }) =>
  (await loop(agent, [{ role: 'user', text: prompt }])).messages;
export const pause = async (agent, input) => JSON.stringify(await park(agent, input));

export async function resume(agent, state, decide) {
  const messages = JSON.parse(state);
  const results = await Promise.all(
    messages.at(-1).calls.map((c) => {
      const d = decide(c.id);
      return d.approve ? execute(agent, c) : { role: 'tool', toolCallId: c.id, content: d.message };
    }),
  );
  messages.push(...results);
  return loop(agent, messages);
}

async function* events(agent, messages) {
  for (let step = 0; step < agent.maxSteps; step++) {
    let text = '';
    const calls = [];
    for await (const c of agent.modelStream(messages)) {
      if (c.type === 'text') text += c.delta;
      else if (c.type === 'call-start') calls[c.index] = { id: c.id, name: c.name, args: '' };
      else if (c.type === 'call-delta') calls[c.index].args += c.delta;
      yield c;
    }
    messages.push({ role: 'assistant', text, calls });
    if (!calls.length) return;
    for (const m of await Promise.all(calls.map((c) => execute(agent, c)))) {
      messages.push(m);
      yield m;
    }
  }
}

export async function stream(agent, { prompt }) {
  let text = '',
    n = 0;
  for await (const e of events(agent, [{ role: 'user', text: prompt }])) {
    n++;
    if (e.type === 'text') text += e.delta;
  }
  return { text, events: n };
}

/** Writes the UI message stream of the AI SDK without a library. */
export function streamUi(agent, { prompt }) {
  const encoder = new TextEncoder();
  const iterator = uiChunks(events(agent, [{ role: 'user', text: prompt }]));
  const body = new ReadableStream({
    async pull(controller) {
      const { value, done } = await iterator.next();
      const frame = done ? '[DONE]' : JSON.stringify(value);
      controller.enqueue(encoder.encode(`data: ${frame}\n\n`));
      if (done) controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

async function* uiChunks(streamed) {
  yield { type: 'start', messageId: 'm' };
  let inText = false;
  for await (const e of streamed) {
    if (e.type === 'text') {
      if (!inText) yield { type: 'text-start', id: 't' };
      inText = true;
      yield { type: 'text-delta', id: 't', delta: e.delta };
    } else if (e.type === 'call-start') {
      yield { type: 'tool-input-start', toolCallId: e.id, toolName: e.name };
    } else if (e.type === 'call-delta') {
      yield { type: 'tool-input-delta', toolCallId: e.id, inputTextDelta: e.delta };
    } else if (e.role === 'tool') {
      yield { type: 'tool-output-available', toolCallId: e.toolCallId, output: e.content };
    }
  }
  if (inText) yield { type: 'text-end', id: 't' };
  yield { type: 'finish' };
}
