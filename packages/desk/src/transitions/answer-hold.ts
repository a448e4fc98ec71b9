import type { JsonObject } from 'holdpoint';
import { DeskError } from '../errors/desk-error.ts';
import { HoldSettledError } from '../errors/hold-settled-error.ts';
import { effectiveCallOf } from '../approvers/effective-call.ts';
import { hasVoted, whyNotApprove } from '../approvers/may-answer.ts';
import { whyNotRemember } from '../approvers/grant-fits.ts';
import {
  type Policy,
  requirementFor,
  whyNotDecide,
  withRequirementNow,
} from '../approvers/policy.ts';
import { requirementsOf, summaryOf } from '../approvers/requirements.ts';
import { type GivenVote, isAgreement, type TakenVote, takeVote } from '../approvers/take-vote.ts';
import type { HoldAnswer } from '../model/answer-row.ts';
import { hashOf } from '../model/hash.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import type { Remember } from '../model/remember.ts';
import { isOutcome } from '../model/settled-answer.ts';
import type { ShownEdit } from '../model/vote.ts';
import type { Store, Tx } from '../store/store.ts';
import { makeGrant } from './make-grant.ts';
import { notFound } from './not-found.ts';
import { RunChange } from './run-change.ts';
import { tamperedHold } from './verify-rows.ts';

/** An answer that is to be written. */
export interface NewAnswer {
  readonly answer: HoldAnswer;
  readonly by: Person;
  /** What the person has looked at. */
  readonly digest: string;
  /** The roles that the person has. */
  readonly roles?: readonly string[] | undefined;
  /** How the approval is to be remembered. */
  readonly remember?: Remember | undefined;
  /** The description of an edit by its tool. */
  readonly shown?: ShownEdit | undefined;
  /** Set to `false` if the author of an edit was not shown the call that would execute. */
  readonly isInformed?: boolean | undefined;
}

/**
 * Records a decision about a hold. The hold is decided when its votes meet every requirement, or when an
 * approver denies it; with the last hold the run is ready to resume.
 *
 * The policy is evaluated here, on the call that would execute. Nothing is written if the hold is settled or
 * expired, if the digest is another one, if the hold takes no such decision, if its row is not as the audit
 * says, if the policy fails, or if this approver may not decide.
 */
export function answerHold(
  store: Store,
  policy: Policy,
  tenant: string,
  holdId: string,
  given: NewAnswer,
): Promise<HoldRow> {
  return store.write((tx) => answerHoldIn(tx, policy, tenant, holdId, given));
}

/** Records a decision about a hold as a part of a transaction. */
export async function answerHoldIn(
  tx: Tx,
  policy: Policy,
  tenant: string,
  holdId: string,
  given: NewAnswer,
): Promise<HoldRow> {
  const { change, hold: stored } = await lockedHold(tx, tenant, holdId);
  if (stored.state !== 'open') throw await settledBefore(tx, stored);
  if (stored.digest !== given.digest) throw staleDigest(stored);
  requireFitting(stored, given.answer);
  if (stored.expiresAt !== undefined && stored.expiresAt <= change.now) throw tooLate(stored);
  // The decision records a hash of the row, so a changed row would be accepted from then on.
  const tampered = await tamperedHold(tx, change.run, [stored]);
  if (tampered !== undefined) throw tampered;
  const hold = withRequirementNow(policy, stored);
  const vote = votedOn(policy, hold, given, change.now);
  await requireMayAnswer(policy, change, hold, vote);
  const voted = await writeAnswer(change, hold, vote);
  if (!voted.isDecided) return keepVoting(change, voted.hold, given);
  const settled = await change.settle(voted.hold, 'decided');
  await noteAnswer(change, 'hold-answered', settled, given);
  if (given.answer.kind !== 'deny') await makeGrant(change, settled);
  if (change.run.openHolds === 0) await change.makeReady();
  await change.save();
  return settled;
}

/** Returns the decision with the requirement of the call that an edit would execute. */
function votedOn(policy: Policy, hold: HoldRow, given: NewAnswer, now: number): GivenVote {
  const { tenant, id: holdId } = hold;
  const vote = { ...given, tenant, holdId, at: now };
  if (given.answer.kind !== 'edit') return vote;
  const requirement = requirementFor(policy, effectiveCallOf(editedHold(hold, vote)));
  return { ...vote, requirement };
}

/** Returns the hold as it would be with an edit. */
function editedHold(hold: HoldRow, vote: GivenVote): HoldRow {
  return takeVote(hold, vote).hold;
}

async function writeAnswer({ tx }: RunChange, hold: HoldRow, vote: GivenVote): Promise<TakenVote> {
  const { tenant, holdId, by, answer, digest, roles, remember, at } = vote;
  const row = { tenant, holdId, by, answer, digest, roles, remember, at };
  const voted = takeVote(hold, vote);
  const isProposal = voted.hold.digest !== digest;
  const number = (await tx.answers.ofHold(tenant, holdId)).length + 1;
  const countsFor = isProposal ? voted.hold.digest : undefined;
  if (await tx.answers.insert({ ...row, number, countsFor })) return voted;
  throw new Error(`Hold '${holdId}' has an answer ${number} already.`);
}

/** Others have to agree as well. */
async function keepVoting(change: RunChange, hold: HoldRow, given: NewAnswer): Promise<HoldRow> {
  await change.tx.holds.put(hold);
  await noteAnswer(change, 'hold-voted', hold, given);
  await change.tell('hold-voted', { holdId: hold.id, digest: hold.digest, ...votesOf(hold) });
  await change.save();
  return Object.freeze({ ...hold });
}

function noteAnswer(
  change: RunChange,
  kind: 'hold-voted' | 'hold-answered',
  hold: HoldRow,
  { answer, by, digest, roles, remember }: NewAnswer,
): Promise<void> {
  const data = {
    digest,
    kind: answer.kind,
    answer: hashOf('holdpoint/answer/1', plain(answer)),
    ...(hold.digest !== digest && { proposed: hold.digest }),
    ...(remember && { remember: hashOf('holdpoint/remember/1', plain(remember)) }),
    ...(roles && { roles }),
    ...votesOf(hold),
  };
  return change.noteHold(kind, hold, data, by);
}

function votesOf(hold: HoldRow): JsonObject {
  return { votes: hold.votes?.length ?? 0, count: summaryOf(requirementsOf(hold)).count };
}

/** Locks the run of a hold, and reads the hold as it is then. */
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
  const answers = await tx.answers.ofHold(hold.tenant, hold.id);
  return new HoldSettledError(hold, hold.outcome === 'decided' ? answers.at(-1) : undefined);
}

/** The approver must be able to decide the hold as it is and, for an edit, the call that it would execute. */
async function requireMayAnswer(
  policy: Policy,
  { run }: RunChange,
  hold: HoldRow,
  vote: GivenVote,
): Promise<void> {
  const { answer, by, remember } = vote;
  const isYes = answer.kind === 'approve' || isAgreement(hold, vote);
  const whyNot =
    (await whyNotDecide(policy, hold, vote, () => run)) ??
    (isYes ? whyNotApprove(hold, by) : undefined) ??
    (answer.kind === 'edit'
      ? await whyNotDecide(policy, editedHold(hold, vote), vote, () => run)
      : undefined);
  if (whyNot !== undefined) {
    throw new DeskError('may-not-answer', `${whyNot} Nothing was written.`);
  }
  if (isYes && remember === undefined && hasVoted(hold, by)) {
    throw new DeskError(
      'already-voted',
      `You approved hold '${hold.id}' as it is before. Nothing was written. Other approvers must approve it too.`,
    );
  }
  if (remember !== undefined) requireRememberable(hold, answer, remember);
}

function requireRememberable(hold: HoldRow, answer: HoldAnswer, remember: Remember): void {
  const whyNot =
    answer.kind === 'approve' && !isOutcome(hold.proposal?.answer)
      ? whyNotRemember(hold, remember)
      : 'Only the approval of a call can be remembered.';
  if (whyNot === undefined) return;
  throw new DeskError('remember-does-not-fit', `${whyNot} Nothing was written.`);
}

function staleDigest({ id }: HoldRow): DeskError {
  return new DeskError(
    'stale-digest',
    `The answer to hold '${id}' is not about what waits there: its digest is another one. Nothing was written. ` +
      'Look at the hold again, and answer with its digest.',
  );
}

function tooLate({ id }: HoldRow): DeskError {
  return new DeskError(
    'hold-settled',
    `The time to answer hold '${id}' is over. Nothing was written.`,
  );
}

const FITTING: Readonly<Record<HoldRow['kind'], readonly HoldAnswer['kind'][]>> = {
  approval: ['approve', 'edit', 'deny'],
  external: ['result', 'retry', 'fail'],
};

/** Of what nobody knows whether it has run, somebody may also say what came of it. */
function requireFitting(hold: HoldRow, { kind }: HoldAnswer): void {
  const fitting = fittingAnswers(hold);
  if (fitting.includes(kind)) return;
  throw new DeskError(
    'answer-does-not-fit',
    `Hold '${hold.id}' does not take '${kind}'. Nothing was written. Answer it with one of: ${fitting.join(', ')}.`,
  );
}

function fittingAnswers(hold: HoldRow): readonly HoldAnswer['kind'][] {
  if (hold.inDoubt) return [...FITTING.approval, ...FITTING.external];
  // To approve an external call is to agree to what somebody has said came of it.
  const mayAgree = hold.kind === 'external' && isOutcome(hold.proposal?.answer);
  return mayAgree ? ['approve', ...FITTING.external] : FITTING[hold.kind];
}

/** Without members that say nothing, which canonical JSON does not take. */
function plain(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
