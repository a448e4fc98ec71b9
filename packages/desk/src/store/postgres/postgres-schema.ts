import { PostgresAdapter, PostgresDialect, type RawBuilder, sql } from 'kysely';
import type { Db } from '../sql/database.ts';
import type { ColumnTypes, MigrateOptions } from '../sql/migrations.ts';
import { type ColumnTypesByName, REQUIRE_UNCHANGED } from './commit-statement.ts';

/** A number for `pg_advisory_xact_lock` that other programs are unlikely to use. */
const MIGRATION_LOCK = 4_716_501_923;

/** Removes the time limits of the role, because a migration may take long. */
export const NO_STATEMENT_TIMEOUT = 'set local statement_timeout = 0';

/** The clock of the store. A sub-select is evaluated once, so the planner can use an index for the comparison. */
export const POSTGRES_NOW: RawBuilder<number> = sql<number>`(select floor(extract(epoch from clock_timestamp()) * 1000)::bigint)`;

const COLUMN_TYPES: ColumnTypes = {
  integer: 'bigint',
  boolean: 'boolean',
  facts: 'jsonb',
  // `jsonb` would reorder members, and reject texts with a null character.
  document: 'json',
};

/** The index of words. A word of the desk is a lexeme of PostgreSQL in every locale. */
const SEARCH_INDEX: readonly string[] = [
  `alter table desk_holds add column search_vector tsvector
    generated always as (array_to_tsvector(string_to_array(search_words, ' '))) stored`,
  'create index desk_holds_words on desk_holds using gin (search_vector)',
];

/** It follows the statement, because the version before inserts approvers before the hold. */
const APPROVER_TRIGGER: readonly string[] = [
  `create function desk_order_approver() returns trigger language plpgsql as $$
  begin
    update desk_hold_approvers a
      set created_at = h.created_at, run_id = h.run_id, call_index = h.call_index
      from desk_holds h where h.tenant = new.tenant and h.id = new.hold_id
        and a.tenant = new.tenant and a.kind = new.kind and a.name = new.name and a.hold_id = new.hold_id;
    return null;
  end $$`,
  `create trigger desk_hold_approvers_order after insert on desk_hold_approvers
    for each row when (new.created_at is null) execute function desk_order_approver()`,
];

/** The transaction of the migration already holds a lock, which also ends if the migration fails. */
class DeskAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

/** The dialect of the store. */
export class DeskDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new DeskAdapter();
  }
}

/** The options of the migrations, and the settings of the server. */
export interface SchemaOptions extends MigrateOptions {
  readonly synchronousCommit: string;
}

/** Waits until no other process migrates, until the end of the transaction. */
export async function lockMigrations(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(db);
}

/** Reads the types of the columns of the desk's tables, as `table.column`. */
export async function readColumnTypes(db: Db): Promise<ColumnTypesByName> {
  const { rows } = await sql<{ name: string; type: string }>`select
    c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p')
      and c.relname ^@ 'desk_' and a.attnum > 0 and not a.attisdropped`.execute(db);
  return new Map(rows.map(({ name, type }) => [name, type]));
}

/** Reads the options of the migrations from the database. */
export async function schemaOptions(db: Db): Promise<SchemaOptions> {
  const { rows } = await sql<{ schema: string; commit: string; now: number }>`select
    current_schema() as schema, current_setting('synchronous_commit') as commit, ${POSTGRES_NOW} as now`.execute(
    db,
  );
  return {
    types: COLUMN_TYPES,
    now: Number(rows[0]?.now),
    schema: rows[0]?.schema,
    hasTable: sql`(to_regclass(quote_ident(current_schema()) || '.desk_migrations') is not null)`,
    extra: ['create sequence desk_outbox_sequence', REQUIRE_UNCHANGED, ...SEARCH_INDEX],
    approverTrigger: APPROVER_TRIGGER,
    synchronousCommit: String(rows[0]?.commit),
  };
}
