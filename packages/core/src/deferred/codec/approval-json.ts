import { type CallApproval, readCallApproval } from '../../messages/call-approval.ts';
import { objectOf, optional, type Trail } from '../../messages/codec/index.ts';
import { byKind, oneOf, type Read, readString } from '../../messages/codec/read.ts';
import { readJson, readJsonObject } from '../../messages/codec/read-json.ts';
import type { JsonObject } from '../../messages/json.ts';
import {
  type ApprovalAnswer,
  type ShownEdit,
  ToolApproved,
  ToolDenied,
  ToolUnanswered,
  type UnansweredReason,
} from '../answers.ts';
import { exactly } from './exactly.ts';

/** An answer to a call that needs approval, as JSON. */
export type ApprovalJson = boolean | DecisionJson;

/** The JSON of a decision about a call that needs approval. */
export type DecisionJson = ApprovedJson | DeniedJson | UnansweredJson;

/** The JSON of an approval. */
export interface ApprovedJson {
  readonly kind: 'tool-approved';
  /** Arguments to run the call with, instead of those that the model sent. */
  readonly overrideArgs?: JsonObject | undefined;
  /** Who has approved it. */
  readonly approval?: CallApproval | undefined;
  /** What the approver was shown for the edited arguments. */
  readonly shown?: ShownEdit | undefined;
}

/** The JSON of a denial. */
export interface DeniedJson {
  readonly kind: 'tool-denied';
  /** What the model is told. */
  readonly message?: string | undefined;
}

/** That there will be no answer, as JSON; for calls of either kind. */
export interface UnansweredJson {
  readonly kind: 'tool-unanswered';
  readonly reason: UnansweredReason;
  /** What the model is told. */
  readonly message?: string | undefined;
}

/** Reads that there will be no answer. */
export const readUnanswered: Read<UnansweredJson> = exactly<UnansweredJson>('tool-unanswered', {
  reason: oneOf<UnansweredReason>({ expired: true, superseded: true }),
  message: optional(readString),
});

const readDecision: Read<DecisionJson> = byKind<DecisionJson>({
  'tool-approved': exactly<ApprovedJson>('tool-approved', {
    overrideArgs: optional(readJsonObject),
    approval: optional(readCallApproval),
    shown: optional(objectOf<ShownEdit>({ args: readJson, preview: optional(readJson) })),
  }),
  'tool-denied': exactly<DeniedJson>('tool-denied', { message: optional(readString) }),
  'tool-unanswered': readUnanswered,
});

/** Reads an answer to an approval. Nothing but a clear yes is one: no `1`, no `"yes"`, no null. */
export function readApproval(value: unknown, trail: Trail): ApprovalAnswer {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) {
    return trail.mismatch('true, false or an object', value);
  }
  const decision = readDecision(value, trail);
  switch (decision.kind) {
    case 'tool-approved': {
      const { overrideArgs, approval, shown } = decision;
      return new ToolApproved({ overrideArgs, approval, shown });
    }
    case 'tool-denied':
      return new ToolDenied(decision.message);
    case 'tool-unanswered': {
      const { reason, message } = decision;
      return new ToolUnanswered({ reason, message });
    }
  }
}

/** An answer to an approval as JSON. What a run would not take as an answer is not written as one. */
export function approvalToJson(answer: unknown, trail: Trail): ApprovalJson {
  if (typeof answer === 'boolean') return answer;
  if (answer instanceof ToolApproved) {
    const { kind, overrideArgs, approval, shown } = answer;
    return readDecision({ kind, overrideArgs, approval, shown }, trail);
  }
  if (answer instanceof ToolDenied) {
    const { kind, message } = answer;
    return readDecision({ kind, message }, trail);
  }
  if (answer instanceof ToolUnanswered) {
    const { kind, reason, message } = answer;
    return readDecision({ kind, reason, message }, trail);
  }
  return trail.mismatch('true, false, ToolApproved, ToolDenied or ToolUnanswered', answer);
}
