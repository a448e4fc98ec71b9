/** Mastra: `requireApproval` and `approveToolCallGenerate`, snapshots in PostgreSQL. */
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { PostgresStore } from '@mastra/pg';
import { Pool } from 'pg';
import { callsFor, FINAL, forEach, LOOKUP, REFUND, Refunds, requireFinal } from '../workload.mjs';

const AGENT = 'clerk';

export async function open({ url, connections }) {
  const pool = new Pool({ connectionString: url, max: connections });
  const storage = new PostgresStore({ id: 'bench', pool });
  await storage.init();
  return new MastraContestant(pool, storage);
}

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 20, text: 20, reasoning: undefined },
};

/** A model of the AI SDK. */
const MODEL = {
  specificationVersion: 'v4',
  provider: 'scripted',
  modelId: 'scripted',
  supportedUrls: {},
  async doGenerate({ prompt }) {
    const last = prompt.at(-1);
    const isFirst = last.role === 'user';
    const content = isFirst
      ? callsFor(last.content[0].text).map(toolCall)
      : [{ type: 'text', text: FINAL }];
    const finishReason = { unified: isFirst ? 'tool-calls' : 'stop', raw: undefined };
    return { content, finishReason, usage: USAGE, warnings: [] };
  },
};

function toolCall({ id, name, args }) {
  return { type: 'tool-call', toolCallId: id, toolName: name, input: JSON.stringify(args) };
}

class MastraContestant {
  #pool;
  #agent;
  #refunds = new Refunds();
  #pending = new Map();

  constructor(pool, storage) {
    this.#pool = pool;
    const agent = new Agent({
      id: AGENT,
      name: AGENT,
      instructions: 'Refund orders.',
      model: MODEL,
      tools: {
        lookup: toolOf(LOOKUP, LOOKUP.execute),
        refund: toolOf(REFUND, this.#refunds.execute, true),
      },
    });
    const mastra = new Mastra({ agents: { [AGENT]: agent }, storage, logger: false });
    this.#agent = mastra.getAgent(AGENT);
  }

  async park(orders, concurrency) {
    await forEach(orders, concurrency, async (order) => {
      const { finishReason, runId, suspendPayload } = await this.#agent.generate(order);
      if (finishReason !== 'suspended') throw new Error(`A run did not park: ${finishReason}.`);
      this.#pending.set(order, { runId, toolCallId: suspendPayload.toolCallId });
    });
  }

  /** The decision is a part of the resume. */
  async decide() {}

  async resume(orders, concurrency) {
    await forEach(orders, concurrency, async (order) => {
      const { text } = await this.#agent.approveToolCallGenerate(this.#pending.get(order));
      requireFinal(text);
    });
  }

  async verify(orders) {
    this.#refunds.requireOnce(orders);
  }

  close() {
    return this.#pool.end();
  }
}

function toolOf({ name, description, schema }, execute, requireApproval = false) {
  return createTool({ id: name, description, inputSchema: schema, execute, requireApproval });
}
