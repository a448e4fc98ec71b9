import { sql } from 'kysely';
import type { Database } from '../kysely-table.ts';

const STATEMENTS: readonly string[] = [
  // Whoever has a token says nothing else, so the tenant is not in the key.
  `create table desk_tokens (
    id text primary key, kind text not null, tenant text not null, about text not null,
    data text not null, created_at bigint not null, expires_at bigint not null, seen_at bigint,
    "end" text, ended_at bigint)`,
  `create index desk_tokens_about on desk_tokens (tenant, kind, about, created_at, id)`,
  `create index desk_tokens_expires on desk_tokens (expires_at)`,

  `create table desk_deliveries (
    tenant text not null, event_id text not null, receiver text not null, host text not null,
    state text not null, tries bigint not null, problem text, created_at bigint not null,
    changed_at bigint not null,
    primary key (tenant, event_id, receiver))`,
];

/** Adds tokens of people, and deliveries of webhooks. */
export async function peopleComeIn(db: Database): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
