/**
 * LangChain `createAgent` on LangGraph, with `humanInTheLoopMiddleware` for approvals and
 * `MemorySaver` as checkpointer.
 */
import { createAgent, tool, humanInTheLoopMiddleware } from 'langchain';
import { AIMessage, AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { Command, MemorySaver } from '@langchain/langgraph';
import { stepAfter } from '../workloads/scripts.mjs';

// With background callbacks (the default), stream events are lost if the run ends before the queue
// is empty. The docs recommend `false`.
process.env.LANGCHAIN_CALLBACKS_BACKGROUND = 'false';

/**
 * A rejection in `humanInTheLoopMiddleware` drops all approved calls of its batch (langchain
 * 1.5.14, hitl.js), so no call executes.
 */
export const deviations = { w3Executions: 0 };

const call = (c) => ({ type: 'tool_call', id: c.id, name: c.name, args: JSON.parse(c.args) });

class FakeModel extends BaseChatModel {
  constructor(script, inspect) {
    super({});
    this.script = script;
    this.inspect = inspect;
  }
  _llmType() {
    return 'fake';
  }
  bindTools() {
    return this;
  }
  respond(messages) {
    this.inspect?.(messages);
    return this.script(stepAfter(messages[messages.length - 1].tool_call_id));
  }
  async _generate(messages) {
    const r = this.respond(messages);
    const message = new AIMessage({ content: r.text ?? '', tool_calls: r.calls?.map(call) });
    return { generations: [{ text: r.text ?? '', message }] };
  }
  async *_streamResponseChunks(messages, _options, runManager) {
    // LangGraph merges messages by id, so each response needs its own id.
    const id = `m${messages.length}`;
    for (const c of this.respond(messages).chunks) {
      if (c.type === 'call-end') continue;
      const fields =
        c.type === 'text'
          ? { content: c.delta }
          : {
              content: '',
              tool_call_chunks: [
                {
                  type: 'tool_call_chunk',
                  index: c.index,
                  ...(c.type === 'call-start'
                    ? { id: c.id, name: c.name, args: '' }
                    : { args: c.delta }),
                },
              ],
            };
      const chunk = new ChatGenerationChunk({
        text: fields.content,
        message: new AIMessageChunk({ id, ...fields }),
      });
      yield chunk;
      await runManager?.handleLLMNewToken(
        fields.content,
        undefined,
        undefined,
        undefined,
        undefined,
        { chunk },
      );
    }
  }
}

export function setup({ tools, script, maxSteps, approvals, inspect }) {
  const saver = approvals ? new MemorySaver() : undefined;
  const build = (checkpointer) =>
    createAgent({
      model: new FakeModel(script, inspect),
      tools: tools.map((t) =>
        tool(t.execute, { name: t.name, description: t.description, schema: t.schema }),
      ),
      ...(approvals && {
        checkpointer,
        middleware: [
          humanInTheLoopMiddleware({
            interruptOn: Object.fromEntries(
              tools.map((t) => [t.name, { allowedDecisions: ['approve', 'reject'] }]),
            ),
          }),
        ],
      }),
    });
  return { agent: build(saver), saver, recursionLimit: maxSteps * 4 + 10, next: 0 };
}

export const history = (neutral) =>
  neutral.map((m, i) => {
    const id = `hist-${i}`;
    if (m.role === 'tool')
      return new ToolMessage({
        id,
        tool_call_id: m.id,
        name: m.name,
        content: JSON.stringify(m.result),
      });
    if (m.role === 'user') return new HumanMessage({ id, content: m.text });
    return new AIMessage({ id, content: m.text ?? '', tool_calls: m.calls?.map(call) });
  });

export async function run({ agent, recursionLimit }, { prompt, history: earlier = [] }) {
  const result = await agent.invoke(
    { messages: [...earlier, new HumanMessage(prompt)] },
    { recursionLimit },
  );
  return { text: result.messages.at(-1).content };
}

/**
 * LangGraph keeps paused runs in the checkpointer. Durability `exit`, its cheapest mode, stores
 * only the last checkpoint.
 */
export async function park(a, { prompt }) {
  const thread_id = `t${a.next++}`;
  const config = {
    configurable: { thread_id },
    recursionLimit: a.recursionLimit,
    durability: 'exit',
  };
  const result = await a.agent.invoke({ messages: [new HumanMessage(prompt)] }, config);
  if (!result.__interrupt__) throw new Error('The run did not interrupt.');
  return thread_id;
}

/** `MemorySaver` has no text form, so this dumps its entries for the thread. */
export async function pause(a, input) {
  const id = await park(a, input);
  const dump = { id, storage: a.saver.storage[id], writes: {} };
  for (const [k, v] of Object.entries(a.saver.writes))
    if (k.includes(`"${id}"`)) {
      dump.writes[k] = v;
      delete a.saver.writes[k];
    }
  delete a.saver.storage[id];
  return JSON.stringify(dump, (_, v) =>
    v instanceof Uint8Array
      ? { $b: Buffer.from(v).toString() }
      : v?.type === 'Buffer'
        ? { $b: Buffer.from(v.data).toString() }
        : v,
  );
}

export async function resume(a, state, decide) {
  const dump = JSON.parse(state, (_, v) =>
    v && typeof v === 'object' && '$b' in v ? new TextEncoder().encode(v.$b) : v,
  );
  a.saver.storage[dump.id] = dump.storage;
  Object.assign(a.saver.writes, dump.writes);
  const config = {
    configurable: { thread_id: dump.id },
    recursionLimit: a.recursionLimit,
    durability: 'exit',
  };
  const snapshot = await a.agent.graph.getState(config);
  const requests = snapshot.tasks.flatMap((t) => t.interrupts)[0].value.actionRequests;
  const calls = snapshot.values.messages.at(-1).tool_calls;
  if (requests.length !== calls.length) throw new Error('unexpected interrupt');
  const decisions = calls.map((c) => {
    const d = decide(c.id);
    return d.approve ? { type: 'approve' } : { type: 'reject', message: d.message };
  });
  const result = await a.agent.invoke(new Command({ resume: { decisions } }), config);
  delete a.saver.storage[dump.id];
  for (const k of Object.keys(a.saver.writes)) delete a.saver.writes[k];
  return { text: result.messages.at(-1).content };
}

export async function stream({ agent, recursionLimit }, { prompt }) {
  let text = '',
    n = 0;
  const events = await agent.stream(
    { messages: [new HumanMessage(prompt)] },
    { recursionLimit, streamMode: ['messages', 'updates'] },
  );
  for await (const [mode, data] of events) {
    n++;
    if (mode === 'messages' && data[0] instanceof AIMessageChunk) text += data[0].content;
  }
  return { text, events: n };
}
