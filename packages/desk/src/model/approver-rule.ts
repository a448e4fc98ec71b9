/** The scope of a grant: the calls that a stored approval applies to. */
export type GrantScope = 'conversation' | 'requester' | 'agent' | 'tenant';

/** The scopes of grants, the narrowest first. */
export const GRANT_SCOPES: readonly GrantScope[] = Object.freeze([
  'conversation',
  'requester',
  'agent',
  'tenant',
]);

/**
 * A rule of a policy: who may decide a call, how many approvals it needs, and which grants it allows. Leave
 * members out that you do not need: a member that restricts approvers and is `undefined`, such as the result of a
 * lookup, is an error.
 */
export interface ApproverRule {
  /** Approvers with one of these roles may decide. Without `roles` and `people` every approver may. */
  readonly roles?: readonly string[] | undefined;
  /** Approvers with one of these ids may decide, regardless of their roles. */
  readonly people?: readonly string[] | undefined;
  /** The number of distinct approvers who must approve; 1 by default. One denial decides. */
  readonly count?: number | undefined;
  /**
   * Separation of duties: a requester may not decide, and the author of an edit may not approve it. If a
   * requester is unknown, no approver may decide.
   */
  readonly notRequester?: boolean | undefined;
  /** The time after the decision in which the call may start, in milliseconds; then it is requested again. */
  readonly decisionValidFor?: number | undefined;
  /** The widest scope of grants for such calls; `'never'` by default. */
  readonly grants?: 'never' | GrantScope | undefined;
  /**
   * Further approvers after a time, such as
   * `[{ afterMs: 30 * 60_000, also: { roles: ['manager'] } }]`. A step only adds approvers, and
   * does not change `count` and `notRequester`. It needs `roles` or `people`.
   */
  readonly escalate?: readonly EscalationStep[] | undefined;
  /** The ages of an open hold at which the event `hold-reminder` is emitted, in milliseconds. */
  readonly remindAfterMs?: readonly number[] | undefined;
}

/** A step of escalation: from this age of the hold on, these approvers may decide, too. */
export interface EscalationStep {
  /** The age of the hold, in milliseconds. */
  readonly afterMs: number;
  /** The approvers whom the step adds. */
  readonly also: {
    readonly roles?: readonly string[] | undefined;
    readonly people?: readonly string[] | undefined;
  };
}

/** A rule with its defaults, which is stored with a hold. */
export interface HoldApprovers extends ApproverRule {
  readonly count: number;
  readonly notRequester: boolean;
  readonly grants: 'never' | GrantScope;
}

/** The requirement of a policy for a call. */
export type Requirement = HoldApprovers;

/** The requirement of a call that no policy covers. */
export const EVERY_APPROVER: Requirement = Object.freeze({
  count: 1,
  notRequester: false,
  grants: 'never',
});
