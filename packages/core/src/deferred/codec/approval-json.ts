import { type CallApproval, callApprovalFormat } from '../../messages/call-approval.ts';
import {
  type Format,
  jsonFormat,
  jsonObjectFormat,
  objectOf,
  optional,
  stringFormat,
} from '../../messages/codec/index.ts';
import { oneOf } from '../../messages/codec/format.ts';
import { exactVariantOf } from '../../messages/codec/object-format.ts';
import { unionOf } from '../../messages/codec/union-format.ts';
import type { JsonObject } from '../../internal/json.ts';
import {
  type ApprovalAnswer,
  type ShownEdit,
  ToolApproved,
  ToolDenied,
  ToolUnanswered,
  type UnansweredReason,
} from '../answers.ts';

/** A decision about a call that needs approval, as JSON. */
export type ApprovalJson = boolean | DecisionJson;

type DecisionJson = ApprovedJson | DeniedJson | UnansweredJson;

interface ApprovedJson {
  readonly kind: 'tool-approved';
  /** Edited arguments, which replace those that the model sent. */
  readonly overrideArgs?: JsonObject | undefined;
  /** The approvers, and what they were shown. */
  readonly approval?: CallApproval | undefined;
  /** What the approver was shown for the edited arguments. */
  readonly shown?: ShownEdit | undefined;
}

interface DeniedJson {
  readonly kind: 'tool-denied';
  /** The text that the model receives. */
  readonly message?: string | undefined;
}

/** A call without a decision or a result, as JSON. */
export interface UnansweredJson {
  readonly kind: 'tool-unanswered';
  readonly reason: UnansweredReason;
  /** The text that the model receives. */
  readonly message?: string | undefined;
}

/** A call without a decision or a result. */
export const unansweredFormat: Format<UnansweredJson> = exactVariantOf<UnansweredJson>(
  'tool-unanswered',
  {
    reason: oneOf('expired', 'superseded'),
    message: optional(stringFormat),
  },
);

const decisionFormat = unionOf<DecisionJson>({
  'tool-approved': exactVariantOf<ApprovedJson>('tool-approved', {
    overrideArgs: optional(jsonObjectFormat),
    approval: optional(callApprovalFormat),
    shown: optional(objectOf<ShownEdit>({ args: jsonFormat, preview: optional(jsonFormat) })),
  }),
  'tool-denied': exactVariantOf<DeniedJson>('tool-denied', { message: optional(stringFormat) }),
  'tool-unanswered': unansweredFormat,
});

/** A decision about a call that needs approval. Only `true` and an object approve: not `1`, `"yes"` or null. */
export const approvalFormat: Format<ApprovalAnswer> = {
  read(value, path) {
    if (typeof value === 'boolean') return value;
    if (typeof value !== 'object' || value === null) {
      return path.mismatch('true, false or an object', value);
    }
    const decision = decisionFormat.read(value, path);
    switch (decision.kind) {
      case 'tool-approved':
        return new ToolApproved({
          overrideArgs: decision.overrideArgs,
          approval: decision.approval,
          shown: decision.shown,
        });
      case 'tool-denied':
        return new ToolDenied(decision.message);
      case 'tool-unanswered':
        return new ToolUnanswered({ reason: decision.reason, message: decision.message });
    }
  },
  write(answer, path) {
    if (typeof answer === 'boolean') return answer;
    if (answer instanceof ToolApproved) {
      const { kind, overrideArgs, approval, shown } = answer;
      return decisionFormat.write({ kind, overrideArgs, approval, shown }, path);
    }
    if (answer instanceof ToolDenied) {
      const { kind, message } = answer;
      return decisionFormat.write({ kind, message }, path);
    }
    if (answer instanceof ToolUnanswered) {
      const { kind, reason, message } = answer;
      return decisionFormat.write({ kind, reason, message }, path);
    }
    return path.mismatch('true, false, ToolApproved, ToolDenied or ToolUnanswered', answer);
  },
};
