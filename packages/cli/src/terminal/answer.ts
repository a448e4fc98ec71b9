import type { ApprovalDecision, ExternalResult } from 'holdpoint';

/** What somebody has said about a call. */
export type CallResponse =
  | { readonly kind: 'approval'; readonly answer: ApprovalDecision }
  | { readonly kind: 'result'; readonly answer: ExternalResult }
  /** Yes to this one and to all others that only wait for a yes. */
  | { readonly kind: 'approve-rest' }
  /** Yes, also when exactly the same call comes again. */
  | { readonly kind: 'approve-always' };
