import type { ToolCallPart } from '../messages/response-part.ts';

/** A call to a sub-agent. */
export interface AgentCall {
  readonly toolName: string;
  readonly toolCallId: string;
}

/** The path to a call: the calls to sub-agents that led to it, and its id. */
export interface NestedPath {
  /** The calls to sub-agents, outermost first; empty for a call of the run itself. */
  readonly agents: readonly AgentCall[];
  /** The id of the call in the run that made it. */
  readonly toolCallId: string;
}

/**
 * Returns the id under which a call is decided: its own id for a call of the run itself, else the ids from the outermost
 * call to the call itself, joined by slashes.
 */
export function pathKey({ agents, toolCallId }: NestedPath): string {
  if (agents.length === 0) return toolCallId;
  return [...agents.map((agent) => agent.toolCallId), toolCallId].map(escapeId).join('/');
}

/**
 * Returns the id of a pending call: the name of the step that it belongs to and its id in that step. A provider may
 * number the calls of each response from 1, but the name of a step never repeats. `inputs` is the number of questions of
 * the call that have an input.
 */
export function pendingCallId(step: string, toolCallId: string, inputs = 0): string {
  const id = `${step}/${escapeId(toolCallId)}`;
  // A value for an earlier question of the call must not be accepted for a later one.
  return inputs === 0 ? id : `${id}/${inputs + 1}`;
}

/** A pending call of a sub-agent, as far as its path is concerned. */
interface NestedCall {
  readonly path: readonly AgentCall[];
  readonly toolCallId: string;
}

/** Returns the path of a pending call of the sub-agent that `call` started, as seen from the run that made `call`. */
export function nestPath({ toolName, toolCallId }: ToolCallPart, nested: NestedCall): NestedPath {
  const agent = Object.freeze({ toolName, toolCallId });
  return Object.freeze({
    agents: Object.freeze([agent, ...nested.path]),
    toolCallId: nested.toolCallId,
  });
}

function escapeId(id: string): string {
  if (!/[~/]/.test(id)) return id;
  return id.replaceAll('~', '~0').replaceAll('/', '~1');
}
