import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Db } from './database.ts';

/** Adds the facts about requests from outside. Their runs are otherwise like those of agents. */
export function requestSchema({ facts }: { readonly facts: string }): Migration {
  return {
    async up(db: Db) {
      await sql.raw(`alter table desk_runs add column request ${facts}`).execute(db);
    },
  };
}
