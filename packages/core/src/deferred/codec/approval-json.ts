import { type CallApproval, readCallApproval } from '../../messages/call-approval.ts';
import { objectOf, optional, type Trail } from '../../messages/codec/index.ts';
import { byKind, type Read, readString } from '../../messages/codec/read.ts';
import { readJson, readJsonObject } from '../../messages/codec/read-json.ts';
import type { JsonObject } from '../../messages/json.ts';
import {
  type ApprovalDecision,
  isUndecided,
  type ShownEdit,
  ToolApproved,
  ToolDenied,
  ToolExpired,
  ToolSuperseded,
} from '../answers.ts';
import { exactly } from './exactly.ts';

/** An answer to a call that needs approval, as JSON. */
export type ApprovalJson = boolean | DecisionJson;

type DecisionJson = ApprovedJson | DeniedJson | ExpiredJson | SupersededJson;

interface ApprovedJson {
  readonly kind: 'approve';
  /** Arguments to run the call with, instead of those that the model sent. */
  readonly overrideArgs?: JsonObject | undefined;
  /** Who has approved it. */
  readonly approval?: CallApproval | undefined;
  /** The reason of the approver. */
  readonly reason?: string | undefined;
  /** What the approver was shown for the edited arguments. */
  readonly shown?: ShownEdit | undefined;
}

interface DeniedJson {
  readonly kind: 'deny';
  /** What the model is told. */
  readonly message?: string | undefined;
}

/** A call closed without a decision because none came in time, as JSON; for calls of either kind. */
export interface ExpiredJson {
  readonly kind: 'expire';
  /** The text that the model gets. */
  readonly message?: string | undefined;
}

/** A call closed without a decision because a newer message replaced it, as JSON; for calls of either kind. */
export interface SupersededJson {
  readonly kind: 'supersede';
  /** The text that the model gets. */
  readonly message?: string | undefined;
}

/** Reads a call that was closed without a decision. */
export const undecidedReaders: {
  readonly expire: Read<ExpiredJson>;
  readonly supersede: Read<SupersededJson>;
} = {
  expire: exactly<ExpiredJson>('expire', { message: optional(readString) }),
  supersede: exactly<SupersededJson>('supersede', { message: optional(readString) }),
};

const readDecision: Read<DecisionJson> = byKind<DecisionJson>({
  approve: exactly<ApprovedJson>('approve', {
    overrideArgs: optional(readJsonObject),
    approval: optional(readCallApproval),
    reason: optional(readString),
    shown: optional(objectOf<ShownEdit>({ args: readJson, preview: optional(readJson) })),
  }),
  deny: exactly<DeniedJson>('deny', { message: optional(readString) }),
  ...undecidedReaders,
});

/** Reads an answer to an approval. Nothing but a clear yes is one: no `1`, no `"yes"`, no null. */
export function readApproval(value: unknown, trail: Trail): ApprovalDecision {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) {
    return trail.mismatch('true, false or an object', value);
  }
  const decision = readDecision(value, trail);
  switch (decision.kind) {
    case 'approve': {
      const { overrideArgs, approval, reason, shown } = decision;
      return new ToolApproved({ overrideArgs, approval, reason, shown });
    }
    case 'deny':
      return new ToolDenied(decision.message);
    case 'expire':
      return new ToolExpired(decision.message);
    case 'supersede':
      return new ToolSuperseded(decision.message);
  }
}

/** An answer to an approval as JSON. What a run would not take as an answer is not written as one. */
export function approvalToJson(answer: unknown, trail: Trail): ApprovalJson {
  if (typeof answer === 'boolean') return answer;
  if (answer instanceof ToolApproved) {
    const { kind, overrideArgs, approval, reason, shown } = answer;
    return readDecision({ kind, overrideArgs, approval, reason, shown }, trail);
  }
  if (answer instanceof ToolDenied || isUndecided(answer)) {
    const { kind, message } = answer;
    return readDecision({ kind, message }, trail);
  }
  return trail.mismatch(
    'true, false, ToolApproved, ToolDenied, ToolExpired or ToolSuperseded',
    answer,
  );
}
