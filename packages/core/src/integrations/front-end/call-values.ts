import type { PendingCall } from '../../deferred/pending-call.ts';
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
