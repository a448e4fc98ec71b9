import { sql } from 'kysely';
import type { Database } from '../kysely-table.ts';

const STATEMENTS: readonly string[] = [
  `create table desk_secrets (
    tenant text not null, conversation_id text not null, id text not null, value text not null,
    primary key (tenant, conversation_id, id))`,
  'alter table desk_runs add column redaction_rules text',
  'alter table desk_holds add column redaction_rules text',
  // No rule was applied to what is stored so far.
  `update desk_runs set redaction_rules = ''`,
  `update desk_holds set redaction_rules = ''`,
];

/** Adds the values that people must not see, and the rules under which rows were written. */
export async function redaction(db: Database): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
