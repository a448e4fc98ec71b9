import { listOf, objectOf, optional, readString, type Trail } from './codec/index.ts';
import { readNumber } from './codec/read.ts';

/** Who has approved a call, as whoever gave the answer says. Plain data; nothing in it is checked. */
export interface CallApproval {
  /** Those whose word it was; none if it was a policy's. */
  readonly by: readonly Approver[];
  /** The digest of what they have looked at, where they were shown one. */
  readonly digest?: string | undefined;
  /** The reason that the approvers gave. */
  readonly reason?: string | undefined;
}

/** Somebody who has approved a call. */
export interface Approver {
  readonly id: string;
  /** For people. */
  readonly name?: string | undefined;
  /** When, in milliseconds since 1970. */
  readonly at?: number | undefined;
}

/** Reads who has approved a call. */
export const readCallApproval: (value: unknown, trail: Trail) => CallApproval =
  objectOf<CallApproval>({
    by: listOf(
      objectOf<Approver>({ id: readString, name: optional(readString), at: optional(readNumber) }),
    ),
    digest: optional(readString),
    reason: optional(readString),
  });
