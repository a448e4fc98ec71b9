/** Vercel AI SDK 7: `ToolLoopAgent` with a hand-written `LanguageModelV4`. */
import { ToolLoopAgent, tool, isStepCount } from 'ai';
import { fakeModel, history as aiHistory } from './ai-model.mjs';

globalThis.AI_SDK_LOG_WARNINGS = false;

export function setup({ tools, script, maxSteps, approvals, inspect }) {
  const set = {};
  for (const t of tools)
    set[t.name] = tool({ description: t.description, inputSchema: t.schema, execute: t.execute });
  return new ToolLoopAgent({
    model: fakeModel(script, inspect),
    tools: set,
    stopWhen: isStepCount(maxSteps),
    ...(approvals && {
      toolApproval: Object.fromEntries(tools.map((t) => [t.name, 'user-approval'])),
    }),
  });
}

export const history = aiHistory;

export async function run(agent, { prompt, history: earlier = [] }) {
  const result = await agent.generate({
    messages: [...earlier, { role: 'user', content: prompt }],
  });
  return { text: result.text };
}

/** The state is the message list with its tool-approval-request parts, as the docs recommend. */
export async function park(agent, { prompt }) {
  const messages = [{ role: 'user', content: prompt }];
  const result = await agent.generate({ messages });
  return [...messages, ...result.responseMessages];
}

export const pause = async (agent, input) => JSON.stringify(await park(agent, input));

export async function resume(agent, state, decide) {
  const messages = JSON.parse(state);
  const responses = [];
  for (const part of messages.at(-1).content) {
    if (part.type !== 'tool-approval-request') continue;
    const d = decide(part.toolCallId);
    responses.push({
      type: 'tool-approval-response',
      approvalId: part.approvalId,
      approved: d.approve,
      reason: d.message,
    });
  }
  messages.push({ role: 'tool', content: responses });
  const result = await agent.generate({ messages });
  return { text: result.text };
}

export async function stream(agent, { prompt }) {
  const result = await agent.stream({ messages: [{ role: 'user', content: prompt }] });
  let text = '',
    n = 0;
  for await (const part of result.stream ?? result.fullStream) {
    n++;
    if (part.type === 'text-delta') text += part.text;
  }
  return { text, events: n };
}

/** Returns the response that a server sends to `useChat`. */
export async function streamUi(agent, { prompt }) {
  const result = await agent.stream({ messages: [{ role: 'user', content: prompt }] });
  return result.toUIMessageStreamResponse();
}
