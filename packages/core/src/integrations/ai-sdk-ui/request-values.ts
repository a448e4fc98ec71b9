import type { PendingCall } from '../../deferred/pending-call.ts';
import { invariant } from '../../internal/invariant.ts';
import { descriptorOf } from '../front-end/call-values.ts';
import type { UiApprovalRequest, UiQuestion } from './ui-message.ts';

/** Returns the approval request of a pending call. `note` replaces the preview as its reason. */
export function approvalOf(call: PendingCall, note?: string): UiApprovalRequest {
  const reason = note ?? (typeof call.preview === 'string' ? call.preview : undefined);
  return {
    id: call.id,
    ...(reason !== undefined && { requestReason: reason }),
    descriptor: descriptorOf(call),
  };
}

/** Returns the question of a pending call as the input of its part. `problem` is the reason why an input was rejected. */
export function questionOf({ question, toolName }: PendingCall, problem?: string): UiQuestion {
  const { message, schema } = invariant(question, 'a call of the kind `question` has a question');
  return { message, schema, toolName, ...(problem !== undefined && { problem }) };
}
