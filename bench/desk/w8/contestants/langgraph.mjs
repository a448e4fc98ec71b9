/** LangGraph: `createAgent`, `interrupt()` in the tool, `Command({ resume })`, checkpoints in PostgreSQL. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { Command, interrupt } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { createAgent, tool } from 'langchain';
import { Pool } from 'pg';
import { callsFor, FINAL, forEach, LOOKUP, REFUND, Refunds, requireFinal } from '../workload.mjs';

export async function open({ url, connections }) {
  const pool = new Pool({ connectionString: url, max: connections });
  const checkpointer = new PostgresSaver(pool);
  await checkpointer.setup();
  return new LangGraphContestant(pool, checkpointer);
}

class ScriptedModel extends BaseChatModel {
  constructor() {
    super({});
  }

  _llmType() {
    return 'scripted';
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const last = messages.at(-1);
    const message = HumanMessage.isInstance(last)
      ? new AIMessage({ content: '', tool_calls: callsFor(last.text).map(toolCall) })
      : new AIMessage({ content: FINAL });
    return { generations: [{ text: message.text, message }] };
  }
}

function toolCall({ id, name, args }) {
  return { type: 'tool_call', id, name, args };
}

class LangGraphContestant {
  #pool;
  #agent;
  #refunds = new Refunds();

  constructor(pool, checkpointer) {
    this.#pool = pool;
    const refund = (args) => {
      if (interrupt(args) !== 'approve') return 'The approver denied the call.';
      return this.#refunds.execute(args);
    };
    this.#agent = createAgent({
      model: new ScriptedModel(),
      checkpointer,
      tools: [toolOf(LOOKUP, LOOKUP.execute), toolOf(REFUND, refund)],
    });
  }

  async park(orders, concurrency) {
    await forEach(orders, concurrency, async (order) => {
      const input = { messages: [new HumanMessage(order)] };
      const state = await this.#agent.invoke(input, configOf(order));
      if (!state.__interrupt__) throw new Error('A run did not park.');
    });
  }

  /** The decision is a part of the resume. */
  async decide() {}

  async resume(orders, concurrency) {
    await forEach(orders, concurrency, async (order) => {
      const state = await this.#agent.invoke(new Command({ resume: 'approve' }), configOf(order));
      requireFinal(state.messages.at(-1).text);
    });
  }

  async verify(orders) {
    this.#refunds.requireOnce(orders);
  }

  close() {
    return this.#pool.end();
  }
}

function toolOf({ name, description, schema }, execute) {
  return tool(execute, { name, description, schema });
}

function configOf(order) {
  return { configurable: { thread_id: order } };
}
