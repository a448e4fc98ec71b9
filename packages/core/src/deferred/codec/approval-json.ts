import { type CallApproval, callApprovalFormat } from '../../messages/call-details.ts';
import {
  type Format,
  jsonFormat,
  jsonObjectFormat,
  objectOf,
  optional,
  stringFormat,
} from '../../messages/codec/index.ts';
import { exactVariantOf } from '../../messages/codec/object-format.ts';
import { unionOf } from '../../messages/codec/union-format.ts';
import type { JsonObject, JsonValue } from '../../internal/json.ts';
import { ModelRetry } from '../../tools/signals.ts';
import {
  type ApprovalDecision,
  isUndecided,
  type ShownEdit,
  ToolApproved,
  ToolDenied,
  ToolExpired,
  ToolInput,
  ToolSuperseded,
} from '../decisions.ts';

/** A decision about a call that needs approval, as JSON. */
export type ApprovalJson = boolean | DecisionJson;

/** A decision as a JSON object. */
export type DecisionJson =
  | ApprovedJson
  | DeniedJson
  | RetryJson
  | InputJson
  | ExpiredJson
  | SupersededJson;

/** An approval as JSON. */
export interface ApprovedJson {
  readonly kind: 'approve';
  /** Edited arguments, which replace those that the model sent. */
  readonly overrideArgs?: JsonObject | undefined;
  /** The approvers, and the facts that they were shown. */
  readonly approval?: CallApproval | undefined;
  /** The reason of the approver. */
  readonly reason?: string | undefined;
  /** The edited call as the approver was shown it. */
  readonly shown?: ShownEdit | undefined;
}

/** A denial as JSON. */
export interface DeniedJson {
  readonly kind: 'deny';
  /** The text that the model receives. */
  readonly message?: string | undefined;
}

/** A request to the model to try again, as JSON. */
export interface RetryJson {
  readonly kind: 'retry';
  /** The text that the model receives. */
  readonly message: string;
}

/** An input for the question of a call, as JSON. */
export interface InputJson {
  readonly kind: 'input';
  readonly value: JsonValue;
}

/** A call that expired without a decision or a result, as JSON. */
export interface ExpiredJson {
  readonly kind: 'expire';
  /** The text that the model receives. */
  readonly message?: string | undefined;
}

/** A call that a newer message superseded, as JSON. */
export interface SupersededJson {
  readonly kind: 'supersede';
  /** The text that the model receives. */
  readonly message?: string | undefined;
}

/** Calls without a decision or a result, by kind. */
export const undecidedFormats: {
  readonly expire: Format<ExpiredJson>;
  readonly supersede: Format<SupersededJson>;
} = {
  expire: exactVariantOf<ExpiredJson>('expire', { message: optional(stringFormat) }),
  supersede: exactVariantOf<SupersededJson>('supersede', { message: optional(stringFormat) }),
};

/** A request to the model to try again. */
export const retryJsonFormat: Format<RetryJson> = exactVariantOf<RetryJson>('retry', {
  message: stringFormat,
});

const decisionFormat = unionOf<DecisionJson>({
  approve: exactVariantOf<ApprovedJson>('approve', {
    overrideArgs: optional(jsonObjectFormat),
    approval: optional(callApprovalFormat),
    reason: optional(stringFormat),
    shown: optional(objectOf<ShownEdit>({ args: jsonFormat, preview: optional(jsonFormat) })),
  }),
  deny: exactVariantOf<DeniedJson>('deny', { message: optional(stringFormat) }),
  retry: retryJsonFormat,
  input: exactVariantOf<InputJson>('input', { value: jsonFormat }),
  ...undecidedFormats,
});

/** A decision about a call that needs approval. Only `true` and an object approve: not `1`, `"yes"` or null. */
export const approvalDecisionFormat: Format<ApprovalDecision> = {
  read(value, path) {
    if (typeof value === 'boolean') return value;
    if (typeof value !== 'object' || value === null) {
      return path.mismatch('true, false or an object', value);
    }
    const decision = decisionFormat.read(value, path);
    switch (decision.kind) {
      case 'approve': {
        const { overrideArgs, approval, reason, shown } = decision;
        return new ToolApproved({ overrideArgs, approval, reason, shown });
      }
      case 'deny':
        return new ToolDenied(decision.message);
      case 'retry':
        return new ModelRetry(decision.message);
      case 'input':
        return new ToolInput(decision.value);
      case 'expire':
        return new ToolExpired(decision.message);
      case 'supersede':
        return new ToolSuperseded(decision.message);
    }
  },
  write(decision, path) {
    if (typeof decision === 'boolean') return decision;
    if (decision instanceof ToolApproved) {
      const { kind, overrideArgs, approval, reason, shown } = decision;
      return decisionFormat.write({ kind, overrideArgs, approval, reason, shown }, path);
    }
    if (decision instanceof ToolInput) {
      const { kind, value } = decision;
      return decisionFormat.write({ kind, value }, path);
    }
    if (decision instanceof ModelRetry) {
      return decisionFormat.write({ kind: 'retry', message: decision.message }, path);
    }
    if (decision instanceof ToolDenied || isUndecided(decision)) {
      const { kind, message } = decision;
      return decisionFormat.write({ kind, message }, path);
    }
    return path.mismatch(
      'true, false, ToolApproved, ToolDenied, ModelRetry, ToolInput, ToolExpired or ToolSuperseded',
      decision,
    );
  },
};
