import { type AgentCall, pathKey } from '../../deferred/nested-calls.ts';
import type { PendingCall } from '../../deferred/pending-call.ts';
import { type Message, toolCallsOf } from '../../messages/message.ts';
import type { ToolResultPart, ValidationIssue } from '../../messages/request-part.ts';
import type { CallFields, NativeToolReturnPart } from '../../messages/response-part.ts';
import { parseLeniently } from '../../tools/parse-args.ts';

/** The data about a pending call that a user interface can show. */
export interface ApprovalDescriptor {
  readonly kind: 'holdpoint';
  /** The arguments that the call executes with, as they were validated. */
  readonly args: unknown;
  /** The description of the call's effect by its tool. */
  readonly preview?: unknown;
  /** The digest of the call, if the run computes digests. */
  readonly digest?: string;
  /** The names of the sub-agents that led to the call. */
  readonly path?: readonly string[];
  /** An earlier attempt may or may not have executed. */
  readonly inDoubt?: true;
  /** The call was approved before, and its tool or preview changed since. */
  readonly drifted?: true;
  /** The same call was denied before in this conversation. */
  readonly deniedBefore?: true;
}

/** Returns the arguments of a call as JSON; text that cannot be parsed stays text. */
export function callInput({ args }: Pick<CallFields, 'args'>): unknown {
  const parsed = parseLeniently(args);
  return parsed.ok ? parsed.value : args;
}

/** Returns the arguments that a pending call executes with, in the form that the run recorded. */
export function inputOfPending({ details, part }: PendingCall): unknown {
  return details.validatedArgs ?? details.args ?? callInput(part);
}

/** Returns the names of the sub-agents that led to a call, for a title. */
export function callTitle(path: readonly { readonly toolName: string }[]): string {
  return path.map(({ toolName }) => toolName).join(' › ');
}

/** Returns the data about a pending call that a user interface can show. */
export function descriptorOf(call: PendingCall): ApprovalDescriptor {
  const { preview, digest, path } = call;
  return {
    kind: 'holdpoint',
    args: inputOfPending(call),
    ...(preview !== undefined && { preview }),
    ...(digest !== undefined && { digest }),
    ...(path.length > 0 && { path: path.map(({ toolName }) => toolName) }),
    ...(call.inDoubt !== undefined && { inDoubt: true }),
    ...(call.drifted && { drifted: true }),
    ...(call.deniedBefore && { deniedBefore: true }),
  };
}

/** The outcome of a call, as a user interface shows it. */
export type ShownOutcome =
  | { readonly kind: 'output'; readonly output: unknown }
  | { readonly kind: 'error'; readonly errorText: string }
  | { readonly kind: 'denied'; readonly reason: string };

/**
 * Returns the outcome of a result. Only a decision of an approver counts as denied: the model's sentence for a call that
 * expired, was superseded or was interrupted is an error.
 */
export function outcomeOf(part: ToolResultPart | NativeToolReturnPart): ShownOutcome {
  if (part.kind === 'retry-prompt') return { kind: 'error', errorText: textOfRetry(part.content) };
  if (part.outcome === 'success') return { kind: 'output', output: part.content };
  const text = typeof part.content === 'string' ? part.content : JSON.stringify(part.content);
  return part.outcome === 'denied'
    ? { kind: 'denied', reason: text }
    : { kind: 'error', errorText: text };
}

function textOfRetry(content: string | readonly ValidationIssue[]): string {
  if (typeof content === 'string') return content;
  return content
    .map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '))
    .join('\n');
}

/**
 * The ids of tool calls in a user interface. Providers may number the calls of each response from 1, and `useChat` finds
 * the part of a call by its id. Therefore the second call with an id gets a suffix.
 */
export class ClientCallIds {
  readonly #uses = new Map<string, number>();

  /** Returns the ids after the calls of a history. */
  static after(messages: readonly Message[]): ClientCallIds {
    const ids = new ClientCallIds();
    for (const message of messages) {
      if (message.kind !== 'response') continue;
      for (const { toolCallId } of toolCallsOf(message)) ids.add(toolCallId);
    }
    return ids;
  }

  /** Counts a call, and returns its id. */
  add(toolCallId: string): string {
    this.#uses.set(toolCallId, (this.#uses.get(toolCallId) ?? 0) + 1);
    return this.of(toolCallId);
  }

  /** Returns the id of the latest call that the model gave this id. */
  of(toolCallId: string): string {
    const uses = this.#uses.get(toolCallId) ?? 1;
    return uses === 1 ? toolCallId : `${toolCallId}~${uses}`;
  }

  /** Returns the id of a call of a sub-agent. */
  nested(path: readonly AgentCall[], toolCallId: string): string {
    const [outer, ...inner] = path;
    if (outer === undefined) return this.of(toolCallId);
    const agents = [{ ...outer, toolCallId: this.of(outer.toolCallId) }, ...inner];
    return pathKey({ agents, toolCallId });
  }

  /** Returns the id of a pending call. */
  ofPending({ path, toolCallId }: PendingCall): string {
    return this.nested(path, toolCallId);
  }
}
