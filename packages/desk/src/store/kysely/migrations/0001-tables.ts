import { sql } from 'kysely';
import type { Database } from '../kysely-table.ts';

/** The tables as they were first. JSON is text, so that it comes back as it was written. */
const STATEMENTS: readonly string[] = [
  `create table desk_meta (name text primary key, value text not null)`,

  `create table desk_runs (
    tenant text not null, id text not null, agent text not null, conversation_id text not null,
    state text not null, requester text, input text, first_position bigint not null,
    open_holds bigint not null, parks bigint not null, usage text, output text, error text,
    idempotency_key text, start_hash text not null, created_at bigint not null,
    updated_at bigint not null, audit_count bigint not null, audit_hash text not null,
    primary key (tenant, id))`,
  `create unique index desk_runs_idempotency_key on desk_runs (tenant, idempotency_key)
    where idempotency_key is not null`,
  `create unique index desk_runs_live on desk_runs (tenant, conversation_id)
    where state in ('ready', 'running', 'parked', 'stuck')`,
  `create index desk_runs_created on desk_runs (tenant, created_at, id)`,
  `create index desk_runs_state on desk_runs (tenant, state, created_at, id)`,
  // After the others: of indexes that seem equally good SQLite takes the last one.
  `create index desk_runs_agent on desk_runs (tenant, agent, created_at, id)`,
  `create index desk_runs_conversation on desk_runs (tenant, conversation_id, created_at, id)`,

  `create table desk_messages (
    tenant text not null, conversation_id text not null, position bigint not null,
    run_id text not null, version bigint not null, body text not null,
    primary key (tenant, conversation_id, position))`,

  `create table desk_holds (
    tenant text not null, id text not null, run_id text not null, conversation_id text not null,
    agent text not null, park bigint not null, place bigint not null, kind text not null,
    key text not null, path text not null, tool_name text not null, args text not null,
    checked_args text, metadata text, preview text, digest text not null, in_doubt text,
    drifted bigint, denied_before bigint, state text not null, outcome text,
    search_text text not null, created_at bigint not null, expires_at bigint, settled_at bigint,
    primary key (tenant, id))`,
  `create index desk_holds_state on desk_holds (tenant, state, created_at, run_id, place, id)`,
  `create index desk_holds_created on desk_holds (tenant, created_at, run_id, place, id)`,
  `create index desk_holds_run on desk_holds (tenant, run_id, created_at, place, id)`,
  `create index desk_holds_conversation on desk_holds (tenant, conversation_id, created_at, run_id, place, id)`,

  `create table desk_answers (
    tenant text not null, hold_id text not null, number bigint not null, "by" text not null,
    answer text not null, digest text not null, at bigint not null,
    primary key (tenant, hold_id, number))`,

  `create table desk_tasks (
    tenant text not null, kind text not null, id text not null, due bigint,
    fence bigint not null, tries bigint not null,
    primary key (tenant, kind, id))`,
  `create index desk_tasks_due on desk_tasks (kind, due) where due is not null`,

  `create table desk_outbox (
    tenant text not null, id text not null, run_id text not null, kind text not null,
    data text not null, at bigint not null, delivered_at bigint,
    primary key (tenant, id))`,
  `create index desk_outbox_at on desk_outbox (tenant, at, id)`,

  `create table desk_audit (
    tenant text not null, run_id text not null, number bigint not null, at bigint not null,
    kind text not null, "by" text, data text not null, previous text not null, hash text not null,
    primary key (tenant, run_id, number))`,

  `create table desk_entries (
    tenant text not null, key text not null, state text not null, attempt text, run_id text,
    until bigint, since bigint, reason text, outcome text, digest text, changed_at bigint not null,
    primary key (tenant, key))`,
];

/** By how much the clocks of processes may be behind that of the store. */
const CLOCKS_DIFFER_MS = 30_000;

/** Makes the tables. Of what happens from now on the ledger will know; there is nothing from before. */
export async function tables(db: Database, now: number): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  const since = String(now - CLOCKS_DIFFER_MS);
  await sql`insert into desk_meta (name, value) values ('ledger_knows_since', ${since})`.execute(
    db,
  );
}
