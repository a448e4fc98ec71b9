import type { EntryRow } from '../../model/entry-row.ts';
import type { EntryKey, ReadEntries } from '../store.ts';
import { columnNames } from './columns.ts';
import { ENTRIES } from './database.ts';
import { type SqlContext, SqlTable } from './sql-table.ts';

const ENTRY_COLUMNS = columnNames(ENTRIES);

/** Entries of the ledger. */
export class SqlEntries extends SqlTable<EntryRow, EntryKey> implements ReadEntries {
  constructor(context: SqlContext) {
    super(context, ENTRIES);
  }

  ofRun(tenant: string, runId: string): Promise<readonly EntryRow[]> {
    return this.all(
      this.db
        .selectFrom('desk_entries')
        .select(ENTRY_COLUMNS)
        .where('tenant', '=', tenant)
        .where('run_id', '=', runId),
    );
  }
}
