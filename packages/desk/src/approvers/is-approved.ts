import type { JsonValue } from 'holdpoint';
import { canonicalJson } from 'holdpoint/ledger';
import type { HoldRow } from '../model/hold-row.ts';
import { toJson } from '../model/json.ts';
import type { RunRow } from '../model/run-row.ts';
import { approverOf } from './delegated.ts';
import { effectiveCallOf } from './effective-call.ts';
import { isMet } from './eligibility.ts';
import { type Policy, requirementFor, whyNotDecide } from './policy.ts';
import { withRequirement } from './requirements.ts';

/** The arguments and the preview with which a call is about to execute. */
export interface FinalCall {
  readonly args: JsonValue;
  readonly sentArgs: JsonValue;
  readonly preview?: JsonValue | undefined;
}

/**
 * Returns whether the votes of a decided hold meet the requirement of the call that is about to execute, and
 * all requirements that are stored with the hold. If the call differs from the one that was voted on,
 * the policy must let each voter decide it.
 */
export async function isApproved(
  policy: Policy,
  hold: HoldRow,
  final: FinalCall,
  run: RunRow,
): Promise<boolean> {
  if (hold.decidedBy?.kind === 'shadow') return true;
  const voted = effectiveCallOf(hold);
  const { args, sentArgs, preview } = final;
  const requirement = requirementFor(policy, { ...voted, args, sentArgs, preview });
  const required = requirement === undefined ? hold : withRequirement(hold, requirement);
  const { votes = [] } = hold;
  if (!isMet(required, votes)) return false;
  if (isSame([args, preview], [voted.args, voted.preview])) return true;
  const executed = {
    ...required,
    args: sentArgs,
    validatedArgs: args,
    preview,
    proposal: undefined,
  };
  for (const vote of votes) {
    if ((await whyNotDecide(policy, executed, approverOf(vote), () => run)) !== undefined)
      return false;
  }
  return true;
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(toJson(one)) === canonicalJson(toJson(other));
}
