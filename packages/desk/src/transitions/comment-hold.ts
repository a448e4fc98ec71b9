import { DeskError } from '../errors/desk-error.ts';
import type { CommentRow } from '../model/comment-row.ts';
import { hashOf } from '../model/hash.ts';
import type { Person } from '../model/person.ts';
import type { Store } from '../store/store.ts';
import { lockedHold } from './decide-hold.ts';

/** The maximum number of comments on a hold. */
const MAX_COMMENTS = 200;

/** Adds a comment to a hold, also to a settled one. */
export function commentHold(
  store: Store,
  tenant: string,
  holdId: string,
  { by, text }: Pick<CommentRow, 'by' | 'text'>,
): Promise<CommentRow> {
  return store.write(async (tx) => {
    const { change } = await lockedHold(tx, tenant, holdId);
    const number = (await tx.comments.ofHold(tenant, holdId)).length + 1;
    if (number > MAX_COMMENTS) throw tooMany(holdId);
    const row: CommentRow = Object.freeze({ tenant, holdId, number, by, text, at: change.now });
    await tx.comments.insert(row);
    const data = { holdId, number, comment: hashOf('holdpoint/comment/1', text) };
    change.record('hold-commented', data, personOf(by));
    await change.emit('hold-commented', { holdId, number });
    await change.save();
    return row;
  });
}

function personOf({ id, name }: Person): Person {
  return { id, ...(name !== undefined && { name }) };
}

function tooMany(holdId: string): DeskError {
  return new DeskError(
    'comment-does-not-fit',
    `Hold \`${holdId}\` has ${MAX_COMMENTS} comments already. Nothing was written. Decide the hold, or discuss it elsewhere.`,
  );
}
