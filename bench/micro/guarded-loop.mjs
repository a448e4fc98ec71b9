/**
 * LIMIT with the guarantees of Holdpoint, written by hand for W3. It shows the cost of the
 * guarantees without a framework.
 *
 * It stores the same document, validates arguments before the approval request and again before
 * they execute, validates written and read documents and decisions, and freezes validated values.
 * It supports only W3, and has no error messages, hooks, events, retries, cancellation, toolsets,
 * ledger or instructions.
 */
import { randomUUID } from 'node:crypto';
import { stepAfter } from '../workloads/scripts.mjs';

export function setup({ tools, script, maxSteps, inspect }) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const model = async (messages) => {
    inspect?.(messages);
    const last = messages.at(-1).parts.at(-1);
    const { text, calls } = script(stepAfter(last.toolCallId));
    const parts = calls ? calls.map(toCallPart) : [{ kind: 'text', content: text }];
    const usage = { inputTokens: 10, outputTokens: 20 };
    return { parts, usage, finishReason: calls ? 'tool_call' : 'stop' };
  };
  return { byName, model, maxSteps };
}

const toCallPart = ({ id, name, args }) => ({
  kind: 'tool-call',
  toolName: name,
  toolCallId: id,
  args,
});

export async function pause(agent, { prompt }) {
  const run = { runId: randomUUID(), conversationId: randomUUID() };
  const messages = [request(run, [Object.freeze({ kind: 'user-prompt', content: prompt })])];
  const response = await requestModel(agent, run, messages, 1);
  const calls = callsOf(response);
  for (const call of calls) validateArgs(agent, call);
  requireUniqueIds(calls);
  const metadata = { holdpoint: Object.freeze({ v: 1, step: 1, open: 'approval' }) };
  messages[messages.length - 1] = Object.freeze({ ...response, metadata: Object.freeze(metadata) });
  for (const message of messages) readMessage(message);
  return JSON.stringify({ holdpoint: 'messages', version: 1, messages });
}

export async function resume(agent, state, decide) {
  const messages = load(state);
  const response = messages.findLast(({ kind }) => kind === 'response');
  assert(response?.metadata?.holdpoint?.open === 'approval');
  const calls = callsOf(response);
  requireUniqueIds(calls);
  const decisions = new Map();
  for (const { toolCallId } of calls) decisions.set(toolCallId, decide(toolCallId));
  for (const [id, { approve, message }] of decisions) {
    assert(calls.some((call) => call.toolCallId === id));
    assert(approve === true || typeof message === 'string');
  }
  assert(decisions.size === calls.length);
  // All arguments are validated before the first call executes.
  const admitted = calls.map((call) =>
    decisions.get(call.toolCallId).approve ? validateArgs(agent, call) : undefined,
  );
  const parts = await Promise.all(
    calls.map((call, index) =>
      admitted[index] === undefined
        ? toolReturn(call, decisions.get(call.toolCallId).message, 'denied')
        : execute(agent, call, admitted[index]),
    ),
  );
  const run = { runId: randomUUID(), conversationId: response.conversationId };
  messages.push(request(run, parts));
  const { parts: text } = await requestModel(agent, run, messages, 1);
  return { text: text.map(({ content }) => content).join('') };
}

async function requestModel(agent, { runId, conversationId }, messages, step) {
  assert(step <= agent.maxSteps);
  const { parts, ...rest } = await agent.model(messages);
  for (const part of parts) Object.freeze(part);
  const timestamp = new Date().toISOString();
  Object.freeze(rest.usage);
  const response = Object.freeze({
    kind: 'response',
    parts: Object.freeze(parts),
    ...rest,
    timestamp,
    runId,
    conversationId,
  });
  messages.push(response);
  return response;
}

function request({ runId, conversationId }, parts) {
  const timestamp = new Date().toISOString();
  return Object.freeze({
    kind: 'request',
    parts: Object.freeze(parts),
    timestamp,
    runId,
    conversationId,
  });
}

function validateArgs(agent, { toolName, args }) {
  const tool = agent.byName.get(toolName);
  assert(tool !== undefined);
  return frozenCopy(tool.schema.parse(JSON.parse(args)));
}

async function execute(agent, call, args) {
  const result = await agent.byName.get(call.toolName).execute(args);
  return toolReturn(call, frozenCopy(result), 'success');
}

function toolReturn({ toolName, toolCallId }, content, outcome) {
  return Object.freeze({ kind: 'tool-return', toolName, toolCallId, content, outcome });
}

function callsOf(response) {
  return response.parts.filter(({ kind }) => kind === 'tool-call');
}

function requireUniqueIds(calls) {
  assert(new Set(calls.map(({ toolCallId }) => toolCallId)).size === calls.length);
}

function load(state) {
  const document = JSON.parse(state);
  assert(document.holdpoint === 'messages' && document.version === 1);
  for (const message of document.messages) {
    readMessage(message);
    for (const part of message.parts) Object.freeze(part);
    Object.freeze(message.parts);
    if (message.usage) Object.freeze(message.usage);
    if (message.metadata) Object.freeze(Object.freeze(message.metadata).holdpoint);
    Object.freeze(message);
  }
  return document.messages;
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function readMessage(message) {
  const { kind, parts, timestamp, runId, conversationId, usage, finishReason, metadata } = message;
  assert(kind === 'request' || kind === 'response');
  assert(Array.isArray(parts));
  assert(TIMESTAMP.test(timestamp));
  assert(typeof runId === 'string' && typeof conversationId === 'string');
  if (usage !== undefined) {
    assert(Number.isFinite(usage.inputTokens) && Number.isFinite(usage.outputTokens));
  }
  assert(finishReason === undefined || finishReason === 'tool_call' || finishReason === 'stop');
  if (metadata !== undefined) {
    const { v, step, open } = metadata.holdpoint;
    assert(v === 1 && Number.isInteger(step) && open === 'approval');
  }
  for (const part of parts) readPart(part);
}

function readPart(part) {
  switch (part.kind) {
    case 'user-prompt':
    case 'text':
      return assert(typeof part.content === 'string');
    case 'tool-call':
      assert(typeof part.toolName === 'string' && typeof part.toolCallId === 'string');
      return assert(typeof part.args === 'string');
    default:
      return assert(false);
  }
}

function frozenCopy(value) {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy));
  const copy = {};
  for (const key of Object.keys(value)) copy[key] = frozenCopy(value[key]);
  return Object.freeze(copy);
}

function assert(condition) {
  if (!condition) throw new Error('The parked run or its decisions are invalid.');
}
