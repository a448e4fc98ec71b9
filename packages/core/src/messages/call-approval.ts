import {
  type Format,
  listOf,
  numberFormat,
  objectOf,
  optional,
  stringFormat,
} from './codec/index.ts';

/** Who has approved a call, as whoever gave the answer says. Plain data; nothing in it is checked. */
export interface CallApproval {
  /** Those whose word it was; none if it was a policy's. */
  readonly by: readonly Approver[];
  /** The digest of what they have looked at, where they were shown one. */
  readonly digest?: string | undefined;
}

/** Somebody who has approved a call. */
export interface Approver {
  readonly id: string;
  /** For people. */
  readonly name?: string | undefined;
  /** When, in milliseconds since 1970. */
  readonly at?: number | undefined;
}

/** The approval of a call. */
export const callApprovalFormat: Format<CallApproval> = objectOf<CallApproval>({
  by: listOf(
    objectOf<Approver>({
      id: stringFormat,
      name: optional(stringFormat),
      at: optional(numberFormat),
    }),
  ),
  digest: optional(stringFormat),
});
