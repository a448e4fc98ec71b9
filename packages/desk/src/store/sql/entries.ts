import type { EntryRow } from '../../model/entry-row.ts';
import type { EntryKey, ReadEntries } from '../store.ts';
import { ENTRIES } from './database.ts';
import { type SqlContext, SqlTable } from './sql-table.ts';

/** Entries of the ledger. */
export class SqlEntries extends SqlTable<EntryRow, EntryKey> implements ReadEntries {
  constructor(context: SqlContext) {
    super(context, ENTRIES);
  }

  ofRun(tenant: string, runId: string): Promise<readonly EntryRow[]> {
    return this.where('tenant = ? and run_id = ?', [tenant, runId]);
  }
}
