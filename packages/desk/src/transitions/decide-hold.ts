import { DeskError } from '../errors/desk-error.ts';
import { InputDoesNotFitError } from '../errors/input-does-not-fit-error.ts';
import { HoldSettledError } from '../errors/hold-settled-error.ts';
import { effectiveCallOf } from '../approvers/effective-call.ts';
import { hasVoted, whyNotApprove } from '../approvers/eligibility.ts';
import { whyNotGrant } from '../approvers/grant-fits.ts';
import {
  type Policy,
  requirementFor,
  whyNotDecide,
  withRequirementNow,
} from '../approvers/policy.ts';
import { requirementsOf, summaryOf } from '../approvers/requirements.ts';
import { problemsOfInput } from '../approvers/validate-input.ts';
import { type GivenVote, isAgreement, type TakenVote, takeVote } from '../approvers/take-vote.ts';
import { closesHold, type Decision, editedArgs } from '../model/decision-row.ts';
import { hashOf } from '../model/hash.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import type { GrantRequest } from '../model/grant-request.ts';
import { isOutcome } from '../model/final-decision.ts';
import type { ShownEdit } from '../model/vote.ts';
import type { Store, Tx } from '../store/store.ts';
import { actingDelegator } from './delegate.ts';
import { applyEscalation, rescheduleTimer } from './hold-timer.ts';
import { makeGrant } from './make-grant.ts';
import { notFound } from './not-found.ts';
import { resumeRun } from './resume-run.ts';
import { RunChange } from './run-change.ts';
import { tamperedHold } from './verify-rows.ts';

/** A decision to record. */
export interface NewDecision {
  readonly decision: Decision;
  readonly by: Person;
  /** The digest that the approver was shown. */
  readonly digest: string;
  /** The roles of the approver. */
  readonly roles?: readonly string[] | undefined;
  /** The person who delegated the decision to the approver. */
  readonly onBehalfOf?: Person | undefined;
  /** The requested grant. */
  readonly grant?: GrantRequest | undefined;
  /** The description of an edit by its tool. */
  readonly shown?: ShownEdit | undefined;
  /** Set to `false` if the author of an edit was not shown the call that would execute. */
  readonly isInformed?: boolean | undefined;
}

/**
 * Records a decision about a hold. The hold is decided when its votes meet every requirement, or when an
 * approver denies it or requests changes; with the last hold the run is ready to resume.
 *
 * The policy is evaluated here, on the call that would execute. Nothing is written if the hold is settled or
 * expired, if the digest differs, if the hold does not accept such a decision, if its row does not match the
 * audit, if an input does not fit the schema of the question, if the policy fails, or if this approver may not decide.
 */
export function decideHold(
  store: Store,
  policy: Policy,
  tenant: string,
  holdId: string,
  given: NewDecision,
): Promise<HoldRow> {
  return store.write((tx) => decideHoldIn(tx, policy, tenant, holdId, given), {
    about: { tenant, holdId },
  });
}

/** Records a decision about a hold as a part of a transaction. */
export async function decideHoldIn(
  tx: Tx,
  policy: Policy,
  tenant: string,
  holdId: string,
  given: NewDecision,
): Promise<HoldRow> {
  const { change, hold: stored } = await lockedHold(tx, tenant, holdId);
  if (stored.state !== 'open') throw await settledBefore(tx, stored);
  if (stored.digest !== given.digest) throw staleDigest(stored);
  requireFitting(stored, given.decision);
  if (stored.expiresAt !== undefined && stored.expiresAt <= change.now) throw tooLate(stored);
  // The decision records a hash of the row, so a changed row would be accepted from then on.
  const tampered = await tamperedHold(tx, change.run, [stored]);
  if (tampered !== undefined) throw tampered;
  requireValidInput(stored, given.decision);
  // The clock of the store decides, even if the timer of the hold was not performed yet.
  const hold = await applyEscalation(change, withRequirementNow(policy, stored));
  const delegator =
    given.onBehalfOf &&
    (await actingDelegator(tx, policy, tenant, { ...given, onBehalfOf: given.onBehalfOf }));
  const vote = votedOn(policy, hold, { ...given, onBehalfOf: delegator }, change.now);
  await requireMayDecide(policy, change, hold, vote);
  const voted = await insertDecision(change, hold, vote);
  if (!voted.isDecided) {
    await rescheduleTimer(change, stored, voted.hold);
    return keepVoting(change, voted.hold, vote);
  }
  const settled = await change.settle(voted.hold, 'decided');
  await recordDecision(change, 'hold-decided', settled, vote);
  if (!closesHold(hold, given.decision)) await makeGrant(change, settled);
  await resumeRun(change);
  await change.save();
  return settled;
}

/** Returns the decision with the requirement of the call that an edit would execute. */
function votedOn(
  policy: Policy,
  hold: HoldRow,
  given: NewDecision & Pick<GivenVote, 'onBehalfOf'>,
  now: number,
): GivenVote {
  const { tenant, id: holdId } = hold;
  const vote = { ...given, tenant, holdId, at: now };
  if (editedArgs(given.decision) === undefined) return vote;
  const requirement = requirementFor(policy, effectiveCallOf(editedHold(hold, vote)));
  return { ...vote, requirement };
}

/** Returns the hold as it would be with an edit. */
function editedHold(hold: HoldRow, vote: GivenVote): HoldRow {
  return takeVote(hold, vote).hold;
}

async function insertDecision(
  { tx }: RunChange,
  hold: HoldRow,
  vote: GivenVote,
): Promise<TakenVote> {
  const { tenant, holdId, by, decision, digest, roles, grant: grantRequest, onBehalfOf, at } = vote;
  const row = { tenant, holdId, by, decision, digest, roles, grant: grantRequest, onBehalfOf, at };
  const voted = takeVote(hold, vote);
  const isProposal = voted.hold.digest !== digest;
  const number = (await tx.decisions.ofHold(tenant, holdId)).length + 1;
  const countsFor = isProposal ? voted.hold.digest : undefined;
  if (await tx.decisions.insert({ ...row, number, countsFor })) return voted;
  throw new Error(`Hold \`${holdId}\` has a decision ${number} already.`);
}

/** Records a vote; other approvers must vote, too. */
async function keepVoting(change: RunChange, hold: HoldRow, given: GivenVote): Promise<HoldRow> {
  await change.tx.holds.put(hold);
  await recordDecision(change, 'hold-voted', hold, given);
  await change.emit('hold-voted', { holdId: hold.id, digest: hold.digest, ...votesOf(hold) });
  await change.save();
  return Object.freeze({ ...hold });
}

function recordDecision(
  change: RunChange,
  kind: 'hold-voted' | 'hold-decided',
  hold: HoldRow,
  { decision, by, digest, roles, grant: grantRequest, onBehalfOf }: GivenVote,
): Promise<void> {
  const data = {
    digest,
    kind: decision.kind,
    decision: hashOf('holdpoint/decision/1', plain(decision)),
    ...(hold.digest !== digest && { proposed: hold.digest }),
    ...(grantRequest && { grant: hashOf('holdpoint/grant-request/1', plain(grantRequest)) }),
    ...(roles && { roles }),
    ...(onBehalfOf && { delegation: onBehalfOf.delegationId }),
    ...votesOf(hold),
  };
  return change.recordHold(kind, hold, data, by);
}

function votesOf(hold: HoldRow): { readonly votes: number; readonly count: number } {
  return { votes: hold.votes?.length ?? 0, count: summaryOf(requirementsOf(hold)).count };
}

/** Locks the run of a hold, then reads the hold. */
export async function lockedHold(
  tx: Tx,
  tenant: string,
  holdId: string,
): Promise<{ readonly change: RunChange; readonly hold: HoldRow }> {
  const found = await tx.holds.get(tenant, holdId);
  const change = found && (await RunChange.of(tx, tenant, found.runId));
  const hold = found && (await tx.holds.lock(tenant, holdId));
  if (change === undefined || hold === undefined) throw notFound('hold', holdId);
  return { change, hold };
}

async function settledBefore(tx: Tx, hold: HoldRow): Promise<HoldSettledError> {
  const decisions = await tx.decisions.ofHold(hold.tenant, hold.id);
  return new HoldSettledError(hold, hold.outcome === 'decided' ? decisions.at(-1) : undefined);
}

/**
 * Throws unless the approver may decide the current hold and, for an edit, the call that would
 * execute.
 */
async function requireMayDecide(
  policy: Policy,
  { run }: RunChange,
  hold: HoldRow,
  vote: GivenVote,
): Promise<void> {
  const { decision, grant: grantRequest } = vote;
  const isEdit = editedArgs(decision) !== undefined;
  const isYes =
    !closesHold(hold, decision) &&
    (isAgreement(hold, vote) || (decision.kind === 'approve' && !isEdit));
  const whyNot =
    (await whyNotDecide(policy, hold, vote, () => run)) ??
    (isYes ? whyNotApprove(hold, vote) : undefined) ??
    (isEdit ? await whyNotDecide(policy, editedHold(hold, vote), vote, () => run) : undefined);
  if (whyNot !== undefined) {
    throw new DeskError('may-not-decide', `${whyNot} Nothing was written.`);
  }
  if (isYes && grantRequest === undefined && hasVoted(hold, vote)) {
    throw new DeskError(
      'already-voted',
      `You approved hold '${hold.id}' as it is before${vote.onBehalfOf ? ', or the person on whose behalf you decide did' : ''}. ` +
        'Nothing was written. Other approvers must approve it too.',
    );
  }
  if (vote.onBehalfOf !== undefined && (grantRequest ?? (isYes && hold.proposal?.grant))) {
    throw new DeskError(
      'grant-does-not-fit',
      'A delegate cannot create a grant, because it would outlive the delegation. Nothing was written.',
    );
  }
  if (grantRequest !== undefined) requireGrantable(hold, decision, grantRequest);
}

function requireGrantable(hold: HoldRow, decision: Decision, grantRequest: GrantRequest): void {
  const whyNot =
    decision.kind === 'approve' && !isOutcome(hold.proposal?.decision)
      ? whyNotGrant(hold, grantRequest)
      : 'Only the approval of a call can create a grant.';
  if (whyNot === undefined) return;
  throw new DeskError('grant-does-not-fit', `${whyNot} Nothing was written.`);
}

function staleDigest({ id }: HoldRow): DeskError {
  return new DeskError(
    'stale-digest',
    `The decision about hold \`${id}\` names another digest, so the approver was shown something else. Nothing was written. ` +
      'Read the hold again, and use its digest.',
  );
}

function tooLate({ id }: HoldRow): DeskError {
  return new DeskError('hold-settled', `Hold \`${id}\` has expired. Nothing was written.`);
}

const FITTING: Readonly<Record<HoldRow['kind'], readonly Decision['kind'][]>> = {
  approval: ['approve', 'deny', 'retry'],
  question: ['input', 'deny'],
  external: ['result', 'retry', 'fail'],
};

/** Rejects a decision that the hold does not accept. A call in doubt accepts results, too. */
function requireFitting(hold: HoldRow, decision: Decision): void {
  const { kind } = decision;
  const fitting = acceptedKinds(hold);
  const isEditOfResult =
    editedArgs(decision) !== undefined && (hold.kind === 'question' || !fitting.includes('deny'));
  if (fitting.includes(kind) && !isEditOfResult) return;
  throw new DeskError(
    'decision-does-not-fit',
    `Hold \`${hold.id}\` does not accept \`${kind}\`. Nothing was written. Use one of: ${fitting.join(', ')}.`,
  );
}

function acceptedKinds(hold: HoldRow): readonly Decision['kind'][] {
  // An approval of a question or an external call agrees to the value that another approver proposed.
  const mayAgree = hold.kind !== 'approval' && isOutcome(hold.proposal?.decision);
  if (hold.kind === 'question')
    return mayAgree ? ['approve', ...FITTING.question] : FITTING.question;
  if (hold.inDoubt) return [...new Set([...FITTING.approval, ...FITTING.external])];
  return mayAgree ? ['approve', ...FITTING.external] : FITTING[hold.kind];
}

/** Rejects an input that does not fit the schema of the question, before anything is written. */
function requireValidInput({ question }: HoldRow, decision: Decision): void {
  if (question === undefined || decision.kind !== 'input') return;
  const problems = problemsOfInput(question, decision.value);
  if (problems.length > 0) throw new InputDoesNotFitError(problems);
}

/** Removes undefined members, which canonical JSON rejects. */
function plain(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
