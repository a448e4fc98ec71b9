import type { JsonObject } from 'holdpoint';
import { DeskError } from '../errors/desk-error.ts';
import { HoldSettledError } from '../errors/hold-settled-error.ts';
import { hasVoted, whyNotAnswer } from '../approvers/may-answer.ts';
import { whyNotRemember } from '../approvers/grant-fits.ts';
import { type TakenVote, takeVote } from '../approvers/take-vote.ts';
import type { HoldAnswer } from '../model/answer-row.ts';
import { ANYBODY } from '../model/approver-rule.ts';
import { hashOf } from '../model/hash.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import type { Remember } from '../model/remember.ts';
import { approvedArgs, isOutcome } from '../model/settled-answer.ts';
import type { Store, Tx } from '../store/store.ts';
import { makeGrant } from './make-grant.ts';
import { notFound } from './not-found.ts';
import { RunChange } from './run-change.ts';

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
}

/**
 * Writes an answer to a hold. When as many agree as its rule asks for, or somebody denies it, it is decided;
 * with the last one the run is ready to go on.
 *
 * Nothing is written if the hold has its outcome already, if it is about to expire by the clock of the
 * store, if the digest is another one, if it takes no such answer, or not from this person.
 */
export function answerHold(
  store: Store,
  tenant: string,
  holdId: string,
  given: NewAnswer,
): Promise<HoldRow> {
  return store.write(async (tx) => {
    const { change, hold } = await lockedHold(tx, tenant, holdId);
    if (hold.state !== 'open') throw await settledBefore(tx, hold);
    if (hold.digest !== given.digest) throw staleDigest(hold);
    requireFitting(hold, given.answer);
    if (hold.expiresAt !== undefined && hold.expiresAt <= change.now) throw tooLate(hold);
    requireMayAnswer(hold, given);
    const voted = await writeAnswer(change, hold, given);
    if (!voted.isDecided) return keepVoting(change, voted.hold, given);
    const settled = await change.settle(voted.hold, 'decided');
    noteAnswer(change, 'hold-answered', settled, given);
    if (given.answer.kind !== 'deny') await makeGrant(change, settled);
    if (change.run.openHolds === 0) await change.makeReady();
    await change.save();
    return settled;
  });
}

async function writeAnswer(
  { tx, now }: RunChange,
  hold: HoldRow,
  { answer, by, digest, roles, remember }: NewAnswer,
): Promise<TakenVote> {
  const { tenant, id: holdId } = hold;
  const row = { tenant, holdId, by, answer, digest, roles, remember, at: now };
  const voted = takeVote(hold, row);
  const isProposal = voted.hold.digest !== digest;
  const number = (await tx.answers.ofHold(tenant, holdId)).length + 1;
  const countsFor = isProposal ? voted.hold.digest : undefined;
  if (await tx.answers.insert({ ...row, number, countsFor })) return voted;
  throw new Error(`Hold '${holdId}' has an answer ${number} already.`);
}

/** Others have to agree as well. */
async function keepVoting(change: RunChange, hold: HoldRow, given: NewAnswer): Promise<HoldRow> {
  await change.tx.holds.put(hold);
  noteAnswer(change, 'hold-voted', hold, given);
  await change.tell('hold-voted', { holdId: hold.id, digest: hold.digest, ...votesOf(hold) });
  await change.save();
  return Object.freeze({ ...hold });
}

function noteAnswer(
  change: RunChange,
  kind: 'hold-voted' | 'hold-answered',
  hold: HoldRow,
  { answer, by, digest, roles, remember }: NewAnswer,
): void {
  const data = {
    holdId: hold.id,
    digest,
    kind: answer.kind,
    answer: hashOf('holdpoint/answer/1', plain(answer)),
    ...(hold.digest !== digest && { proposed: hold.digest }),
    ...(remember && { remember: hashOf('holdpoint/remember/1', plain(remember)) }),
    ...(roles && { roles }),
    ...votesOf(hold),
  };
  change.note(kind, data, by);
}

function votesOf({ votes = [], approvers = ANYBODY }: HoldRow): JsonObject {
  return { votes: votes.length, count: approvers.count };
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

/** The rule that is stored in the hold decides, whatever the policy says by now. */
function requireMayAnswer(hold: HoldRow, given: NewAnswer): void {
  const whyNot = whyNotAnswer(hold, given);
  if (whyNot !== undefined) {
    throw new DeskError('may-not-answer', `${whyNot} Nothing was written.`);
  }
  const { answer, by, remember } = given;
  if (answer.kind === 'approve' && remember === undefined && hasVoted(hold, by)) {
    throw new DeskError(
      'already-voted',
      `You have approved hold '${hold.id}' as it is. Nothing was written. Others have to agree as well.`,
    );
  }
  if (remember !== undefined) requireRememberable(hold, answer, remember);
}

function requireRememberable(hold: HoldRow, answer: HoldAnswer, remember: Remember): void {
  const whyNot =
    answer.kind === 'approve' && !isOutcome(hold.proposal?.answer)
      ? whyNotRemember(hold, remember, approvedArgs(hold))
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
