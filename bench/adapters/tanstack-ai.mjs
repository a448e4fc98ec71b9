/** TanStack AI 0.58: `chat()` with a hand-written text adapter. Approvals are AG-UI interrupts. */
import { chat, maxIterations, toolDefinition } from '@tanstack/ai';
import { stepAfter } from '../workloads/scripts.mjs';

/**
 * Its devtools event client queues every event until it gives up connecting (5 tries, 300 ms apart). A zero-latency loop starves that
 * timer, so without an idle pause after the first run the queue would be measured instead of the steady state.
 */
export const settleMs = 3000;

function fakeAdapter(script, inspect) {
  return {
    kind: 'text',
    name: 'fake',
    model: 'fake',
    async *chatStream({ messages, threadId = 't', runId = 'r' }) {
      inspect?.(messages);
      const r = script(stepAfter(messages[messages.length - 1].toolCallId));
      const timestamp = Date.now();
      const base = { model: 'fake', timestamp };
      yield { ...base, type: 'RUN_STARTED', threadId, runId };
      const messageId = `m${messages.length}`;
      let open = false;
      for (const c of r.chunks ?? wholeChunks(r)) {
        if (c.type === 'text') {
          if (!open) {
            open = true;
            yield { ...base, type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' };
          }
          yield { ...base, type: 'TEXT_MESSAGE_CONTENT', messageId, delta: c.delta };
          continue;
        }
        if (open) {
          open = false;
          yield { ...base, type: 'TEXT_MESSAGE_END', messageId };
        }
        if (c.type === 'call-start')
          yield {
            ...base,
            type: 'TOOL_CALL_START',
            toolCallId: c.id,
            toolCallName: c.name,
            toolName: c.name,
            index: c.index,
          };
        else if (c.type === 'call-delta')
          yield { ...base, type: 'TOOL_CALL_ARGS', toolCallId: c.id, delta: c.delta };
        else
          yield {
            ...base,
            type: 'TOOL_CALL_END',
            toolCallId: c.id,
            toolCallName: c.name,
            toolName: c.name,
          };
      }
      if (open) yield { ...base, type: 'TEXT_MESSAGE_END', messageId };
      yield {
        ...base,
        type: 'RUN_FINISHED',
        threadId,
        runId,
        finishReason: r.calls?.length ? 'tool_calls' : 'stop',
      };
    },
    async structuredOutput() {
      throw new Error('not used');
    },
  };
}

/** Yields a whole response as one chunk per part, because the adapter interface only streams. */
function* wholeChunks(r) {
  if (r.text) yield { type: 'text', delta: r.text };
  for (const [index, c] of (r.calls ?? []).entries()) {
    yield { type: 'call-start', id: c.id, name: c.name, index };
    yield { type: 'call-delta', id: c.id, index, delta: c.args };
    yield { type: 'call-end', id: c.id, name: c.name, index };
  }
}

export function setup({ tools, script, maxSteps, inspect }) {
  return {
    adapter: fakeAdapter(script, inspect),
    tools: tools.map((t) =>
      toolDefinition({
        name: t.name,
        description: t.description,
        inputSchema: t.schema,
        needsApproval: t.needsApproval || undefined,
      }).server(t.execute),
    ),
    agentLoopStrategy: maxIterations(maxSteps),
  };
}

const call = (c) => ({ id: c.id, type: 'function', function: { name: c.name, arguments: c.args } });

export const history = (neutral) =>
  neutral.map((m) => {
    if (m.role === 'tool')
      return { role: 'tool', toolCallId: m.id, content: JSON.stringify(m.result) };
    if (m.calls) return { role: 'assistant', content: null, toolCalls: m.calls.map(call) };
    return { role: m.role, content: m.text };
  });

export async function run(agent, { prompt, history: earlier = [] }) {
  return {
    text: await chat({
      ...agent,
      messages: [...earlier, { role: 'user', content: prompt }],
      stream: false,
    }),
  };
}

let runs = 0;

export async function park(agent, { prompt }) {
  const threadId = `thread-${runs}`,
    runId = `run-${runs++}`;
  let interrupts, messages;
  for await (const e of chat({
    ...agent,
    messages: [{ role: 'user', content: prompt }],
    threadId,
    runId,
  })) {
    if (e.type === 'MESSAGES_SNAPSHOT') messages = e.messages;
    if (e.type === 'RUN_FINISHED' && e.outcome?.type === 'interrupt')
      interrupts = e.outcome.interrupts;
    if (e.type === 'RUN_ERROR') throw new Error(e.message);
  }
  if (!interrupts) throw new Error('no interrupt');
  return { threadId, runId, messages, interrupts };
}

export const pause = async (agent, input) => JSON.stringify(await park(agent, input));

export async function resume(agent, state, decide) {
  const { threadId, runId, messages, interrupts } = JSON.parse(state);
  const decisions = interrupts.map((i) => {
    const d = decide(i.toolCallId);
    return {
      interruptId: i.id,
      status: 'resolved',
      payload: d.approve ? { approved: true } : { approved: false, payload: d.message },
    };
  });
  let text = '';
  for await (const e of chat({
    ...agent,
    messages,
    threadId,
    runId: `${runId}-2`,
    parentRunId: runId,
    resume: decisions,
  })) {
    if (e.type === 'TEXT_MESSAGE_CONTENT') text += e.delta;
    if (e.type === 'RUN_ERROR') throw new Error(e.message);
  }
  return { text };
}

export async function stream(agent, { prompt }) {
  let text = '',
    n = 0;
  for await (const e of chat({ ...agent, messages: [{ role: 'user', content: prompt }] })) {
    n++;
    if (e.type === 'TEXT_MESSAGE_CONTENT') text += e.delta;
  }
  return { text, events: n };
}
