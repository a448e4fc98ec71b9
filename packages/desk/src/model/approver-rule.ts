/** How far an approval can be remembered, from the narrowest to the widest. */
export type GrantScope = 'conversation' | 'requester' | 'agent' | 'tenant';

/** The scopes of grants, the narrowest first. */
export const GRANT_SCOPES: readonly GrantScope[] = Object.freeze([
  'conversation',
  'requester',
  'agent',
  'tenant',
]);

/** Who may answer a hold, and how many have to agree. */
export interface ApproverRule {
  /** Whoever has one of these roles may answer; everybody who is let in, unless given. */
  readonly roles?: readonly string[] | undefined;
  /** How many people have to agree; 1 unless given. One denial is enough. */
  readonly count?: number | undefined;
  /** Whoever has asked for the run may not answer; where nobody knows who that was, nobody may. */
  readonly notRequester?: boolean | undefined;
  /** How long after the decision the call may start, in milliseconds; then people are asked again. */
  readonly decisionValidFor?: number | undefined;
  /** How far an approval may be remembered at most; within its conversation unless said otherwise. */
  readonly remember?: 'never' | GrantScope | undefined;
}

/** A rule as it is stored in a hold: changing the policy later changes nothing for what waits. */
export interface HoldApprovers extends ApproverRule {
  readonly count: number;
  readonly notRequester: boolean;
  readonly remember: 'never' | GrantScope;
}

/** What holds where nobody has said anything. */
export const ANYBODY: HoldApprovers = Object.freeze({
  count: 1,
  notRequester: false,
  remember: 'conversation',
});
