import {
  type Format,
  listOf,
  numberFormat,
  objectOf,
  optional,
  stringFormat,
} from './codec/index.ts';

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
