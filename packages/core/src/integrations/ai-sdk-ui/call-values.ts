import type { PendingCall } from '../../deferred/pending-call.ts';
import { invariant } from '../../internal/invariant.ts';
import type { ToolResultPart, ValidationIssue } from '../../messages/request-part.ts';
import type { CallFields, NativeToolReturnPart } from '../../messages/response-part.ts';
import { parseLeniently } from '../../tools/parse-args.ts';
import type { ApprovalDescriptor, UiApprovalRequest, UiQuestion } from './ui-message.ts';

/** Returns the arguments of a call as JSON; text that cannot be parsed stays text. */
export function inputOf({ args }: Pick<CallFields, 'args'>): unknown {
  const parsed = parseLeniently(args);
  return parsed.ok ? parsed.value : args;
}

/** Returns the arguments that a pending call executes with, in the form that the run recorded. */
export function inputOfPending({ details, part }: PendingCall): unknown {
  return details.validatedArgs ?? details.args ?? inputOf(part);
}

/** Returns the names of the sub-agents that led to a call, for a title. */
export function titleOf(path: readonly { readonly toolName: string }[]): string {
  return path.map(({ toolName }) => toolName).join(' › ');
}

/** Returns the question of a pending call as the input of its part. `problem` is the reason why an input was rejected. */
export function questionOf({ question, toolName }: PendingCall, problem?: string): UiQuestion {
  const { message, schema } = invariant(question, 'a call of the kind `question` has a question');
  return { message, schema, toolName, ...(problem !== undefined && { problem }) };
}

/** Returns the approval request of a pending call. `note` replaces the preview as its reason. */
export function approvalOf(call: PendingCall, note?: string): UiApprovalRequest {
  const reason = note ?? (typeof call.preview === 'string' ? call.preview : undefined);
  return {
    id: call.id,
    ...(reason !== undefined && { requestReason: reason }),
    descriptor: descriptorOf(call),
  };
}

function descriptorOf(call: PendingCall): ApprovalDescriptor {
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
