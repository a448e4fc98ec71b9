import type { ToolCallPart } from '../messages/response-part.ts';

/** A call by which a run has handed work to an agent. */
export interface AgentCall {
  readonly toolName: string;
  readonly toolCallId: string;
}

/** Where a call is that an agent below has made. */
export interface NestedPath {
  /** The calls that led to it, from the outermost down; none for a call of the run itself. */
  readonly agents: readonly AgentCall[];
  /** The id that the call has in its own run. */
  readonly toolCallId: string;
}

/**
 * The id under which a call is answered: its own at the top, and below it the ids from the outermost
 * call down, joined by a slash.
 */
export function keyOf({ agents, toolCallId }: NestedPath): string {
  if (agents.length === 0) return toolCallId;
  return [...agents.map((agent) => agent.toolCallId), toolCallId].map(escapeId).join('/');
}

/** Returns the position of a pending call. */
export function pathOf({
  path,
  toolCallId,
}: {
  readonly path: readonly AgentCall[];
  readonly toolCallId: string;
}): NestedPath {
  return { agents: path, toolCallId };
}

/** The place of a call as the run sees it that made `call` to get there. */
export function nestPath({ toolName, toolCallId }: ToolCallPart, inner: NestedPath): NestedPath {
  const agent = Object.freeze({ toolName, toolCallId });
  return Object.freeze({
    agents: Object.freeze([agent, ...inner.agents]),
    toolCallId: inner.toolCallId,
  });
}

function escapeId(id: string): string {
  return id.replaceAll('~', '~0').replaceAll('/', '~1');
}
