import { sql } from 'kysely';
import type { Database } from '../kysely-table.ts';

const HOLD_COLUMNS: readonly string[] = [
  'call_digest text',
  'revision bigint',
  'proposal text',
  'votes text',
  'approvers text',
  'requester text',
  'also_asked text',
  'schema text',
  'tool_hash text',
  'decided_by text',
  'is_begun bigint',
];

const ANSWER_COLUMNS: readonly string[] = ['counts_for text', 'roles text', 'remember text'];

const STATEMENTS: readonly string[] = [
  'alter table desk_runs add column also_asked text',
  ...HOLD_COLUMNS.map((column) => `alter table desk_holds add column ${column}`),
  ...ANSWER_COLUMNS.map((column) => `alter table desk_answers add column ${column}`),
  `create table desk_grants (
    tenant text not null, id text not null, scope text not null, tool_name text not null,
    tool_hash text not null, "match" text not null, agent text not null, path text not null,
    conversation_id text not null, requester text, "by" text not null, hold_id text not null,
    run_id text not null, expires_at bigint, uses bigint, used bigint not null,
    created_at bigint not null, revoked_at bigint, revoked_by text,
    primary key (tenant, id))`,
  `create index desk_grants_tool on desk_grants (tenant, tool_hash) where revoked_at is null`,
  `create index desk_grants_created on desk_grants (tenant, created_at, id)`,
];

/** Who may answer, votes, and grants. */
export async function approvers(db: Database): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
