import { isPlainObject } from '../../internal/json.ts';
import { ChatProblem } from '../front-end/chat-problem.ts';
import { readId } from '../front-end/read-id.ts';
import type { ClientRun } from './event-fold.ts';

type InputRecord = Readonly<Record<string, unknown>>;

/** The members of a `RunAgentInput` that the handler uses. Everything else that the client sends is ignored. */
export interface RunInput extends ClientRun {
  /** The user messages after the last message of another role. */
  readonly prompts: readonly ClientPrompt[];
  /** The tool messages, by the id of their call. */
  readonly results: ReadonlyMap<string, InputRecord>;
  /** The decisions, by the id of the interrupt; `undefined` for an id with several decisions. */
  readonly resume: ReadonlyMap<string, ClientDecision | undefined>;
  readonly tools: readonly unknown[];
  /** The state of the client. It contains the token of a sealed conversation. */
  readonly state: InputRecord;
}

/** A user message as the client sent it. */
export interface ClientPrompt {
  readonly id: string;
  readonly content: unknown;
}

/** An entry of `resume` as the client sent it. */
export interface ClientDecision {
  readonly status: unknown;
  readonly payload: unknown;
}

/** The member of the client's state with the token of a sealed conversation. */
export const TOKEN = 'holdpoint';

/** Reads the request of a client. */
export function readRunInput(body: InputRecord): RunInput {
  const { threadId, runId, protocolVersion, messages, resume = [], tools = [], state } = body;
  if (!Array.isArray(messages)) throw new ChatProblem(400, 'The request has no list of messages.');
  if (!Array.isArray(resume)) throw new ChatProblem(400, '`resume` is not a list.');
  if (!Array.isArray(tools)) throw new ChatProblem(400, '`tools` is not a list.');
  const known = messages.filter(isPlainObject);
  return {
    threadId: readId(threadId),
    runId: readId(runId),
    protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : undefined,
    prompts: trailingPrompts(known),
    results: resultsIn(known),
    resume: decisionsIn(resume.filter(isPlainObject)),
    tools,
    state: isPlainObject(state) ? state : {},
  };
}

/** Returns the token of a sealed conversation. */
export function tokenOfInput({ state }: RunInput): string | undefined {
  const token = state[TOKEN];
  return typeof token === 'string' ? token : undefined;
}

function trailingPrompts(messages: readonly InputRecord[]): ClientPrompt[] {
  const start = messages.findLastIndex(({ role }) => role !== 'user') + 1;
  return messages.slice(start).map(({ id, content }) => ({ id: readId(id), content }));
}

function resultsIn(messages: readonly InputRecord[]): Map<string, InputRecord> {
  const results = new Map<string, InputRecord>();
  for (const message of messages) {
    const { role, toolCallId } = message;
    if (role === 'tool' && typeof toolCallId === 'string') results.set(toolCallId, message);
  }
  return results;
}

function decisionsIn(resume: readonly InputRecord[]): Map<string, ClientDecision | undefined> {
  const decisions = new Map<string, ClientDecision | undefined>();
  for (const { interruptId, status, payload } of resume) {
    if (typeof interruptId !== 'string') continue;
    // Two decisions about one call contradict each other, so neither applies.
    decisions.set(interruptId, decisions.has(interruptId) ? undefined : { status, payload });
  }
  return decisions;
}
