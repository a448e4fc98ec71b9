import { PolicyError } from '../errors/policy-error.ts';
import type { Requirement } from '../model/approver-rule.ts';
import { closesHold, type Decision, type DecisionRow } from '../model/decision-row.ts';
import { finalDecision } from '../model/final-decision.ts';
import type { GrantRow } from '../model/grant-row.ts';
import type { AutomaticDecision, HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import type { HoldOutcome } from '../model/states.ts';
import type { Vote } from '../model/vote.ts';
import { effectiveCallOf } from './effective-call.ts';
import { countedVotes, isMet, whyNotEligible } from './eligibility.ts';
import { couldApprove } from './grant-fits.ts';
import { escalatedAt } from './hold-timer.ts';
import { type Policy, requirementFor, withRequirementNow } from './policy.ts';
import { haveSameRequirements, requirementsOf } from './requirements.ts';

/** A settled hold, with everything that was recorded about its decision. */
export interface SettledRecord {
  readonly hold: HoldRow;
  readonly decisions: readonly DecisionRow[];
  /** The grant that decided the hold. */
  readonly grant?: GrantRow | undefined;
}

/** The recorded facts of a simulation about a past hold. */
export interface PastHold {
  readonly holdId: string;
  readonly runId: string;
  readonly agent: string;
  readonly toolName: string;
  readonly kind: HoldRow['kind'];
  readonly requester?: Person | undefined;
  readonly createdAt: number;
  /** How the hold was settled. */
  readonly outcome?: HoldOutcome | undefined;
  /** The kind of the decision that settled it, if one did. */
  readonly decision?: Decision['kind'] | undefined;
  /** Set if the hold was decided without an approval request. */
  readonly decidedBy?: AutomaticDecision | undefined;
  /** The requirements that the hold had. Steps of escalation are in `escalate`. */
  readonly required: readonly Requirement[];
  /** The votes for the call as it was settled. */
  readonly votes: readonly Vote[];
}

/** A past hold with the requirements of the simulated policy. */
export interface EvaluatedHold extends PastHold {
  /**
   * `met` if the recorded votes meet the requirements of the simulated policy. `denied` or
   * `changes-requested` if its rules permit the approver to close the hold in this way. Otherwise
   * `not-met`, because the hold would have stayed open.
   */
  readonly status: 'met' | 'not-met' | 'denied' | 'changes-requested';
  /** The requirements of the simulated policy: of the call, and of the edit that approvers voted on. */
  readonly demanded: readonly Requirement[];
  /** True if `demanded` differs from `required`. */
  readonly isChanged: boolean;
  /** The recorded votes that count under the simulated policy. */
  readonly counted: readonly Vote[];
}

/** A past hold for which the simulated policy threw or returned an invalid rule. */
export interface FailedSimulation extends PastHold {
  readonly status: 'failed';
  readonly problem: string;
}

/** A past hold under a simulated policy. */
export type SimulatedHold = EvaluatedHold | FailedSimulation;

/**
 * Evaluates a policy on a past hold, as if it had applied when the hold was opened and each time an approver voted. A
 * policy that fails is reported in the result.
 */
export function simulateHold(policy: Policy, record: SettledRecord): SimulatedHold {
  const { hold } = record;
  const facts = factsOf(record);
  try {
    const simulated = openedUnder(policy, hold);
    const demanded = withoutSteps(simulated);
    const isChanged = !haveSameRequirements(facts.required, demanded);
    return Object.freeze({ ...facts, demanded, isChanged, ...resultOf(simulated, record) });
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return Object.freeze({ ...facts, status: 'failed', problem: error.message });
  }
}

function factsOf({ hold, decisions }: SettledRecord): PastHold {
  const { id: holdId, runId, agent, toolName, kind, requester, createdAt, outcome } = hold;
  const { decidedBy, votes = [] } = hold;
  const decision = finalDecision(hold, decisions)?.kind;
  const call = { holdId, runId, agent, toolName, kind, createdAt };
  return {
    ...call,
    ...(requester !== undefined && { requester }),
    ...(outcome !== undefined && { outcome }),
    ...(decision !== undefined && { decision }),
    ...(decidedBy !== undefined && { decidedBy }),
    required: withoutSteps(hold),
    votes,
  };
}

/** Returns a hold with the requirements that it would have if the policy had opened it. */
function openedUnder(policy: Policy, hold: HoldRow): HoldRow {
  const stored = { ...hold, escalatedAfter: undefined };
  const call = effectiveCallOf({ ...hold, proposal: undefined });
  // The rule of an outside tool is stored with the hold.
  if (policy.ruleFor(call) === undefined) return withRequirementNow(policy, stored);
  const approvers = requirementFor(policy, call);
  const proposal = hold.proposal && { ...hold.proposal, requirements: undefined };
  return withRequirementNow(policy, { ...stored, approvers, requirements: undefined, proposal });
}

function withoutSteps(hold: HoldRow): readonly Requirement[] {
  return requirementsOf({ ...hold, escalatedAfter: undefined });
}

/** Returns the effect of the recorded votes on a hold with the requirements of the simulated policy. */
function resultOf(
  hold: HoldRow,
  { decisions, grant }: SettledRecord,
): Pick<EvaluatedHold, 'status' | 'counted'> {
  const { votes = [], decidedBy } = hold;
  // Steps only add approvers, and the desk rejects the vote of an approver whose step is not due yet.
  const inTime = votes.filter(
    (vote) => countedVotes(escalatedAt(hold, vote.at), [vote]).length > 0,
  );
  const last = Math.max(hold.createdAt, ...inTime.map(({ at }) => at));
  const escalated = escalatedAt(hold, last);
  const counted = countedVotes(escalated, inTime);
  const closed = closedAs(hold, decisions);
  if (closed !== undefined) return { status: closed, counted };
  const isAllowed =
    decidedBy?.kind !== 'grant' || (grant !== undefined && couldApprove(grant, escalated));
  return { status: isAllowed && isMet(escalated, inTime) ? 'met' : 'not-met', counted };
}

/** Returns how a single approver who may decide the hold closed it; `undefined` if none did. */
function closedAs(
  hold: HoldRow,
  decisions: readonly DecisionRow[],
): 'denied' | 'changes-requested' | undefined {
  const last = decisions.at(-1);
  if (hold.outcome !== 'decided' || last === undefined) return undefined;
  if (!closesHold(hold, last.decision)) return undefined;
  if (whyNotEligible(escalatedAt(hold, last.at), last) !== undefined) return undefined;
  return last.decision.kind === 'deny' ? 'denied' : 'changes-requested';
}
