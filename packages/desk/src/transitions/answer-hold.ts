import { DeskError } from '../errors/desk-error.ts';
import { HoldSettledError } from '../errors/hold-settled-error.ts';
import type { AnswerRow, HoldAnswer } from '../model/answer-row.ts';
import { hashOf } from '../model/hash.ts';
import type { HoldRow } from '../model/hold-row.ts';
import type { Person } from '../model/person.ts';
import type { Store, Tx } from '../store/store.ts';
import { notFound } from './not-found.ts';
import { RunChange } from './run-change.ts';

/** An answer that is to be written. */
export interface NewAnswer {
  readonly answer: HoldAnswer;
  readonly by: Person;
  /** What the person has looked at. */
  readonly digest: string;
}

/**
 * Writes the answer to a hold, once. With the last one the run is ready to go on.
 *
 * Nothing is written if the hold has its outcome already, if it is about to expire by the clock of the
 * store, if the digest is another one, or if it takes no such answer.
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
    const { answer, by, digest } = given;
    const row: AnswerRow = { tenant, holdId, number: 1, by, answer, digest, at: change.now };
    if (!(await tx.answers.insert(row))) throw await settledBefore(tx, hold);
    const settled = await change.settle(hold, 'decided');
    change.note(
      'hold-answered',
      { holdId, digest, kind: answer.kind, answer: hashOf('holdpoint/answer/1', plain(answer)) },
      by,
    );
    if (change.run.openHolds === 0) await change.makeReady();
    await change.save();
    return settled;
  });
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
  return new HoldSettledError(hold, await tx.answers.get(hold.tenant, hold.id, 1));
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
  const fitting = hold.inDoubt ? [...FITTING.approval, ...FITTING.external] : FITTING[hold.kind];
  if (fitting.includes(kind)) return;
  throw new DeskError(
    'answer-does-not-fit',
    `Hold '${hold.id}' does not take '${kind}'. Nothing was written. Answer it with one of: ${fitting.join(', ')}.`,
  );
}

/** Without members that say nothing, which canonical JSON does not take. */
function plain(answer: HoldAnswer): unknown {
  return JSON.parse(JSON.stringify(answer));
}
