import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Db } from './database.ts';

/**
 * Adds the questions of holds.
 *
 * A hold with a question has the kind `approval` in its row, because SQLite cannot change the
 * constraint of the column `kind`. The previous version reads such a row as an approval whose hash
 * differs from the audit. So it rejects decisions about it and does not execute its run.
 */
export function questionSchema({ document }: { readonly document: string }): Migration {
  return {
    async up(db: Db) {
      await sql.raw(`alter table desk_holds add column question ${document}`).execute(db);
    },
  };
}
