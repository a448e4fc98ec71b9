import {
  type Format,
  booleanFormat,
  jsonFormat,
  jsonObjectFormat,
  listOf,
  numberFormat,
  objectOf,
  optional,
  same,
  stringFormat,
} from './codec/index.ts';
import type { JsonObject, JsonValue } from '../internal/json.ts';

/** The approvers of a call, as stated by the code that passed the decision. Plain data; it is not verified. */
export interface CallApproval {
  /** The approvers; empty if a policy decided. */
  readonly by: readonly Approver[];
  /** The digest of the approval request that they were shown. */
  readonly digest?: string | undefined;
  /** The reason that the approvers gave. */
  readonly reason?: string | undefined;
}

/** A person who approved a call. */
export interface Approver {
  readonly id: string;
  /** The name to show. */
  readonly name?: string | undefined;
  /** The time of the approval, in milliseconds since 1970. */
  readonly at?: number | undefined;
}

/** The stored form of {@link CallApproval}. */
export const callApprovalFormat: Format<CallApproval> = objectOf<CallApproval>({
  by: listOf(
    objectOf<Approver>({
      id: stringFormat,
      name: optional(stringFormat),
      at: optional(numberFormat),
    }),
  ),
  digest: optional(stringFormat),
  reason: optional(stringFormat),
});

/** The data about a pending call beyond the call itself. Plain data; the history stores it. */
export interface CallDetails {
  /** The arguments to execute, if a hook or an earlier approval changed those that the model sent. */
  readonly args?: JsonObject | undefined;
  /**
   * The validated arguments that the approver is shown and the tool receives, in their JSON form; absent if
   * they equal the arguments as sent.
   */
  readonly validatedArgs?: JsonValue | undefined;
  /** True if the approver is shown the arguments as sent only; see `approversSee` of a tool. */
  readonly inputOnly?: true | undefined;
  /** The description of the call's effect by the tool's code: text, a diff, a table. */
  readonly preview?: JsonValue | undefined;
  /** The digest of the call, if the run computes digests. A decision with it is valid for nothing else. */
  readonly digest?: string | undefined;
  /** The version of the tool when the call was deferred. */
  readonly version?: string | undefined;
  /** The hash of the tool's schema when the call was deferred, if the run computes digests. */
  readonly schemaHash?: string | undefined;
  /** An earlier attempt that may or may not have executed. */
  readonly inDoubt?: CallInDoubt | undefined;
  /** True if the call was approved before, and its tool or preview changed since. */
  readonly drifted?: boolean | undefined;
  /** True if the same call was denied before in this conversation. */
  readonly deniedBefore?: boolean | undefined;
  /**
   * The number of earlier requests of the call, if the run computes digests. Absent for the first
   * request. The digest covers it, so a decision about an earlier request is not valid for this
   * one.
   */
  readonly requestedBefore?: number | undefined;
  /** The question of the tool. The call needs an input in place of an approval. */
  readonly question?: Question | undefined;
  /** Data of the tool for the execution with the input. Documents of pending calls do not contain it. */
  readonly questionState?: JsonObject | undefined;
  /** The decisions about earlier requests for this call, if it was deferred before. */
  readonly earlier?: EarlierDecisions | undefined;
}

/** A question that a tool has for a person. */
export interface Question {
  readonly message: string;
  /** The JSON Schema of the input. */
  readonly schema: JsonObject;
}

/** The decisions about earlier requests for a call that a tool deferred more than once. */
export interface EarlierDecisions {
  /** Set if an approver approved the call before its question. */
  readonly approval?: EarlierApproval | undefined;
  /** The inputs for earlier questions, in order. */
  readonly inputs: readonly JsonValue[];
}

/** An approval that still holds while the call asks a question. */
export interface EarlierApproval {
  readonly metadata?: JsonObject | undefined;
  readonly given?: CallApproval | undefined;
}

/** The details of a call that has none. */
export const NO_DETAILS: CallDetails = Object.freeze({});

/**
 * Returns a preview as approvers are shown it. A call executes with its inputs as well, so they are a part of the preview
 * of a call that has some.
 */
export function previewWithInputs(
  preview: JsonValue | undefined,
  details: CallDetails | undefined,
): JsonValue | undefined {
  const inputs = details?.earlier?.inputs ?? [];
  if (inputs.length === 0) return preview;
  return Object.freeze({ ...(preview !== undefined && { preview }), inputs });
}

/** An attempt of a call that may or may not have executed. */
export interface CallInDoubt {
  /** The id of the attempt. An approval permits another attempt. */
  readonly attempt: string;
  /** The reason for the doubt. */
  readonly reason: string;
  /** The time since which the call is in doubt, in milliseconds since 1970. */
  readonly since: number;
  /** The `ctx.idempotencyKey` of the attempt, to find its effect in the other system. */
  readonly idempotencyKey?: string | undefined;
}

const trueFormat = same<true>((value, path) =>
  value === true ? value : path.mismatch('true', value),
);

/** The stored form of {@link CallDetails}. */
export const callDetailsFormat: Format<CallDetails> = objectOf<CallDetails>({
  args: optional(jsonObjectFormat),
  validatedArgs: optional(jsonFormat),
  inputOnly: optional(trueFormat),
  preview: optional(jsonFormat),
  digest: optional(stringFormat),
  version: optional(stringFormat),
  schemaHash: optional(stringFormat),
  inDoubt: optional(
    objectOf<CallInDoubt>({
      attempt: stringFormat,
      reason: stringFormat,
      since: numberFormat,
      idempotencyKey: optional(stringFormat),
    }),
  ),
  drifted: optional(booleanFormat),
  deniedBefore: optional(booleanFormat),
  requestedBefore: optional(numberFormat),
  question: optional(objectOf<Question>({ message: stringFormat, schema: jsonObjectFormat })),
  questionState: optional(jsonObjectFormat),
  earlier: optional(
    objectOf<EarlierDecisions>({
      approval: optional(
        objectOf<EarlierApproval>({
          metadata: optional(jsonObjectFormat),
          given: optional(callApprovalFormat),
        }),
      ),
      inputs: listOf(jsonFormat),
    }),
  ),
});
