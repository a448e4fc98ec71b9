/**
 * Mastra 1.71: `Agent` with an AI SDK model object, `requireApproval`, and snapshots in its
 * storage.
 */
import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { InMemoryStore } from '@mastra/core/storage';
import { fakeModel, history as aiHistory } from './ai-model.mjs';

export async function setup({ tools, script, maxSteps, approvals, inspect }) {
  const agent = new Agent({
    id: 'bench',
    name: 'bench',
    instructions: 'x',
    model: fakeModel(script, inspect),
    tools: Object.fromEntries(
      tools.map((t) => [
        t.name,
        createTool({
          id: t.name,
          description: t.description,
          inputSchema: t.schema,
          execute: t.execute,
          requireApproval: t.needsApproval,
        }),
      ]),
    ),
  });
  if (!approvals) return { agent, maxSteps };
  const storage = new InMemoryStore();
  const mastra = new Mastra({ agents: { bench: agent }, storage, logger: false });
  return { agent: mastra.getAgent('bench'), storage, maxSteps };
}

export const history = aiHistory;

export async function run({ agent, maxSteps }, { prompt, history: earlier = [] }) {
  const result = await agent.generate([...earlier, { role: 'user', content: prompt }], {
    maxSteps,
  });
  return { text: result.text };
}

async function suspend({ agent, maxSteps }, prompt) {
  const out = await agent.generate(prompt, { maxSteps });
  if (out.finishReason !== 'suspended') throw new Error(`not suspended: ${out.finishReason}`);
  return { runId: out.runId, toolCallId: out.suspendPayload.toolCallId };
}

/** The storage contains the parked run. */
export const park = (a, { prompt }) => suspend(a, prompt);

const workflowName = 'agentic-loop';

export async function pause(a, { prompt }) {
  const pending = await suspend(a, prompt);
  const store = await a.storage.getStore('workflows');
  const snapshot = await store.loadWorkflowSnapshot({ workflowName, runId: pending.runId });
  const state = JSON.stringify({ ...pending, snapshot });
  await store.deleteWorkflowRunById({ workflowName, runId: pending.runId });
  return state;
}

export async function resume(a, state, decide) {
  const { runId, toolCallId, snapshot } = JSON.parse(state);
  const store = await a.storage.getStore('workflows');
  await store.persistWorkflowSnapshot({ workflowName, runId, snapshot });
  let id = toolCallId;
  for (;;) {
    // The framework accepts one decision at a time, and suspends again at the next pending call.
    const d = decide(id);
    const out = d.approve
      ? await a.agent.approveToolCallGenerate({ runId, toolCallId: id })
      : await a.agent.declineToolCallGenerate({ runId, toolCallId: id, reason: d.message });
    if (out.finishReason !== 'suspended') {
      await store.deleteWorkflowRunById({ workflowName, runId });
      return { text: out.text };
    }
    id = out.suspendPayload.toolCallId;
  }
}

export async function stream({ agent, maxSteps }, { prompt }) {
  const result = await agent.stream(prompt, { maxSteps });
  let text = '',
    n = 0;
  for await (const c of result.fullStream) {
    n++;
    if (c.type === 'text-delta') text += c.payload.text;
  }
  return { text, events: n };
}
