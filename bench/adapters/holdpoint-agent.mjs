/** The part of both Holdpoint adapters that does not depend on the model. */
import {
  Agent,
  DeferredToolRequests,
  messageCodec,
  requestsFromMessages,
  tool,
  ToolDenied,
} from 'holdpoint';
import { chatHandler } from 'holdpoint/ai-sdk-ui';

export function makeAgent(model, { tools, maxSteps, approvals }) {
  return new Agent({
    model,
    tools: tools.map(({ name, description, schema, execute, needsApproval }) =>
      tool({ name, description, inputSchema: schema, execute, requiresApproval: needsApproval }),
    ),
    output: approvals ? [String, DeferredToolRequests] : String,
    usageLimits: { requestLimit: maxSteps },
  });
}

/** Converts a stored history, once for all runs. */
export const history = (neutral) => messageCodec.fromJSON(neutral.map(toMessage));

function toMessage(message) {
  const { role, text, calls } = message;
  if (role === 'user') {
    return { kind: 'request', parts: [{ kind: 'user-prompt', content: text }] };
  }
  if (role === 'tool') {
    const { id: toolCallId, name: toolName, result: content } = message;
    const part = { kind: 'tool-return', toolName, toolCallId, content, outcome: 'success' };
    return { kind: 'request', parts: [part] };
  }
  const parts = calls ? calls.map(toCallPart) : [{ kind: 'text', content: text }];
  return { kind: 'response', modelName: 'fake', parts };
}

export const toCallPart = ({ id, name, args }) => ({
  kind: 'tool-call',
  toolName: name,
  toolCallId: id,
  args,
});

export async function run(agent, { prompt, history: messageHistory }) {
  const { output } = await agent.run(prompt, { messageHistory });
  return { text: output };
}

/** The state is the messages. */
export async function park(agent, { prompt }) {
  const result = await agent.run(prompt);
  if (result.status !== 'parked') throw new Error('The run did not park.');
  return result.messages;
}

export const pause = async (agent, input) => messageCodec.stringify(await park(agent, input));

export async function resume(agent, state, decide) {
  const messages = messageCodec.parse(state);
  const requests = requestsFromMessages(messages);
  const approvals = {};
  for (const { toolCallId } of requests.approvals) {
    const { approve, message } = decide(toolCallId);
    approvals[toolCallId] = approve || new ToolDenied(message);
  }
  const { output } = await agent.resume({ messages }, requests.buildResults({ approvals }));
  return { text: output };
}

export async function stream(agent, { prompt }) {
  let text = '';
  let events = 0;
  for await (const event of agent.stream(prompt)) {
    events++;
    if (event.kind === 'text-delta') text += event.text;
  }
  return { text, events };
}

/** Chat handlers by agent. A server also creates its handler once. */
const handlers = new WeakMap();

/** Returns the response that a server sends to `useChat`. */
export function streamUi(agent, { prompt }) {
  let handle = handlers.get(agent);
  if (handle === undefined) {
    const conversation = { conversationId: 'bench' };
    handle = chatHandler({ agent, authorize: () => conversation, load: () => [], save: () => {} });
    handlers.set(agent, handle);
  }
  const messages = [{ id: 'prompt', role: 'user', parts: [{ type: 'text', text: prompt }] }];
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ id: 'chat', messages });
  return handle(new Request('http://bench/api/chat', { method: 'POST', headers, body }));
}
