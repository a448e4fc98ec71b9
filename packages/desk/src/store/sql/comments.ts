import { personKey } from '../../approvers/same-person.ts';
import type { CommentRow } from '../../model/comment-row.ts';
import type { CommentKey, ReadComments } from '../store.ts';
import { columnNames } from './columns.ts';
import type { TableSpec } from './database.ts';
import { type SqlContext, SqlTable } from './sql-table.ts';

const COMMENTS: TableSpec<CommentRow> = {
  name: 'desk_comments',
  key: ['tenant', 'holdId', 'number'],
  columns: {
    tenant: 'plain',
    holdId: 'plain',
    number: 'plain',
    by: 'json',
    text: 'json',
    at: 'plain',
  },
  derived: ({ by }) => ({ person_key: personKey(by) }),
};

/** Comments on holds. */
export class SqlComments extends SqlTable<CommentRow, CommentKey> implements ReadComments {
  constructor(context: SqlContext) {
    super(context, COMMENTS);
  }

  ofHold(tenant: string, holdId: string): Promise<readonly CommentRow[]> {
    return this.all(
      this.db
        .selectFrom('desk_comments')
        .select(columnNames(COMMENTS))
        .where('tenant', '=', tenant)
        .where('hold_id', '=', holdId)
        .orderBy('number'),
    );
  }
}
