import type { JsonValue } from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';
import type { GrantRow } from '../model/grant-row.ts';
import { editedArgs } from '../model/decision-row.ts';
import type { HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import { effectiveCallOf } from './effective-call.ts';
import { isMet } from './eligibility.ts';
import { type Policy, requirementFor } from './policy.ts';
import { isWithin } from './grant-fits.ts';
import { requirementsOf, shortestValidity, widestGrant, withRequirement } from './requirements.ts';

/** The arguments and the preview with which a call is about to execute. */
export interface FinalCall {
  readonly args: JsonValue;
  readonly sentArgs: JsonValue;
  readonly preview?: JsonValue | undefined;
}

/** Facts that may have changed since the decision about a call. */
export interface ExecutionFacts {
  /** Returns the time of the store. */
  readonly now: () => Promise<number>;
  /** Returns a grant that was not revoked. Throws if its row does not match the audit. */
  readonly grantOf: (grantId: string) => Promise<GrantRow | undefined>;
}

/**
 * Returns whether the votes of a decided hold meet the requirement of the call that is about to execute, and
 * all requirements that are stored with the hold, and whether it is the call that was voted on.
 *
 * The policy may have changed since the decision, while other calls of the response were pending. So `shadow` must
 * still permit the call, a grant must still be permitted and not revoked, and the decision must be recent enough.
 */
export async function isApproved(
  policy: Policy,
  hold: HoldRow,
  final: FinalCall,
  facts: ExecutionFacts,
): Promise<boolean> {
  const voted = effectiveCallOf(hold);
  const { args, sentArgs, preview } = final;
  const call = { ...voted, args, sentArgs, preview };
  if (hold.decidedBy?.kind === 'shadow') return policy.isShadow(call);
  const requirement = requirementFor(policy, call);
  const required = requirement === undefined ? hold : withRequirement(hold, requirement);
  const { votes = [] } = hold;
  if (!isMet(required, votes)) return false;
  if (!(await isRecent(hold, required, facts))) return false;
  if (!(await isGrantValid(hold, required, facts))) return false;
  return isAsShown(hold, final);
}

/**
 * Returns whether approvers were shown the arguments and the preview of a call. A process without
 * the tool cannot describe an edit, so the tool may add values or change the preview.
 */
function isAsShown(hold: HoldRow, { args, preview }: FinalCall): boolean {
  const voted = effectiveCallOf(hold);
  if (!isSame(args, voted.args)) return false;
  const isDescribed =
    editedArgs(hold.proposal?.decision) === undefined || hold.proposal?.shown !== undefined;
  return isSame(preview, voted.preview) || (!isDescribed && isSame(preview, hold.preview));
}

/**
 * Returns whether a decision is recent enough. The claim verifies the time that is stored with the
 * hold.
 */
async function isRecent(
  hold: HoldRow,
  required: HoldRow,
  { now }: ExecutionFacts,
): Promise<boolean> {
  const validFor = shortestValidity(requirementsOf(required));
  if (validFor === undefined || hold.settledAt === undefined) return true;
  if (validFor === shortestValidity(requirementsOf(hold))) return true;
  return (await now()) <= hold.settledAt + validFor;
}

/**
 * Returns false if a grant decided the hold, and it was revoked or the requirements do not permit
 * it.
 */
async function isGrantValid(
  { decidedBy }: HoldRow,
  required: HoldRow,
  { grantOf }: ExecutionFacts,
): Promise<boolean> {
  if (decidedBy?.kind !== 'grant') return true;
  const grant = await grantOf(decidedBy.grantId);
  return grant !== undefined && isWithin(grant.scope, widestGrant(requirementsOf(required)));
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(toJson(one)) === canonicalJson(toJson(other));
}
