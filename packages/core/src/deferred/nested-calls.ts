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
 * Returns the key under which a call is decided. For a call of the run itself it is the id of the
 * call. For a nested call it is the ids from the outermost call to the call itself, joined by
 * slashes.
 */
export function pathKey({ agents, toolCallId }: NestedPath): string {
  if (agents.length === 0) return toolCallId;
  return [...agents.map((agent) => agent.toolCallId), toolCallId].map(escapeId).join('/');
}

/** The requests for a call so far. */
export interface EarlierRequests {
  /** The number of questions of the call that have an input. */
  readonly inputs?: number | undefined;
  /** The number of times that the step was parked before. */
  readonly round?: number | undefined;
}

/**
 * Returns the id of a pending call: the name of the step that it belongs to and its id in that step. A provider may
 * number the calls of each response from 1, but the name of a step never repeats.
 *
 * A call that is requested again gets another id: a decision about an earlier request must not be accepted for a later
 * one, which shows the approver something else.
 */
export function pendingCallId(
  step: string,
  toolCallId: string,
  { inputs = 0, round = 0 }: EarlierRequests = {},
): string {
  const suffixes = [
    ...(inputs === 0 ? [] : [`/${inputs + 1}`]),
    ...(round === 0 ? [] : [`/round-${round}`]),
  ];
  return `${step}/${escapeId(toolCallId)}${suffixes.join('')}`;
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
