import { type RawBuilder, sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import { approverOrderSchema } from './approver-order-schema.ts';
import type { Db } from './database.ts';
import { peopleSchema } from './people-schema.ts';
import { questionSchema } from './question-schema.ts';
import { requestSchema } from './request-schema.ts';
import { retentionSchema } from './retention-schema.ts';
import { readSchemaStatus, requireCompatible } from './schema-status.ts';

/** The column types in which the databases differ. */
export interface ColumnTypes {
  /** A whole number or a time in milliseconds. */
  readonly integer: string;
  readonly boolean: string;
  /** JSON that the desk wrote. */
  readonly facts: string;
  /** JSON that a model, a tool or an approver wrote. It is stored exactly as it was sent. */
  readonly document: string;
}

/** Options of {@link migrate}. */
export interface MigrateOptions {
  readonly types: ColumnTypes;
  /** The time by the clock of the store. */
  readonly now: number;
  /** The schema of the tables, if the database has schemas. */
  readonly schema?: string | undefined;
  /** Finds the table of migrations. */
  readonly hasTable: RawBuilder<unknown>;
  /** Statements that only this database needs. */
  readonly extra?: readonly string[] | undefined;
  /** Statements that create a trigger: see `approverOrderSchema`. */
  readonly approverTrigger: readonly string[];
}

/**
 * Returns the migrations in the order of their names. A migration after the first one that older software works with
 * declares it in its name: see `requireCompatible`.
 */
export function migrationsFor(options: MigrateOptions): Readonly<Record<string, Migration>> {
  return {
    '0001-first-schema': firstSchema(options),
    '0002-retention.since-0001': retentionSchema(options.types),
    '0003-approver-order.since-0001': approverOrderSchema(options),
    '0004-questions.since-0001': questionSchema(options.types),
    '0005-requests.since-0001': requestSchema(options.types),
    '0006-people.since-0001': peopleSchema(options.types),
  };
}

/**
 * Creates or updates the tables. Call it in a transaction that excludes other processes. Without
 * pending migrations it writes nothing, so that a role without the right to change tables can call
 * it.
 */
export async function migrate(db: Db, options: MigrateOptions): Promise<void> {
  const migrations = migrationsFor(options);
  const status = await readSchemaStatus(db, Object.keys(migrations), options.hasTable);
  requireCompatible(status);
  if (status.pending.length === 0) return;
  const provider: MigrationProvider = { getMigrations: async () => ({ ...migrations }) };
  const migrator = new Migrator({
    db,
    provider,
    migrationTableName: 'desk_migrations',
    migrationLockTableName: 'desk_migrations_lock',
    ...(options.schema !== undefined && { migrationTableSchema: options.schema }),
    disableTransactions: true,
  });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** The largest difference between the clocks of processes and the clock of the store. */
const MAX_CLOCK_DIFFERENCE_MS = 30_000;

function firstSchema({ types, now, extra = [] }: MigrateOptions): Migration {
  return {
    async up(db: Db) {
      for (const statement of [...firstStatements(types), ...extra]) {
        await sql.raw(statement).execute(db);
      }
      await db
        .insertInto('desk_meta')
        .values([
          { name: 'ledger_knows_since', value: now - MAX_CLOCK_DIFFERENCE_MS },
          { name: 'restored_from_backup_at', value: 0 },
          { name: 'event_consumer_seen_at', value: 0 },
        ])
        .execute();
    },
  };
}

function firstStatements({ integer, boolean, facts, document }: ColumnTypes): readonly string[] {
  return [
    `create table desk_meta (
      name text primary key,
      value ${integer} not null)`,

    `create table desk_runs (
      tenant text not null,
      id text not null,
      agent text not null,
      conversation_id text not null,
      state text not null check (state in
        ('ready', 'running', 'parked', 'finished', 'failed', 'cancelled', 'stuck')),
      requester ${facts},
      other_requesters ${facts},
      prompt ${document},
      first_position ${integer} not null,
      open_holds ${integer} not null check (open_holds >= 0),
      parks ${integer} not null,
      usage ${facts},
      output ${document},
      error ${document},
      redaction_rules text,
      idempotency_key text,
      start_hash text not null,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      audit_count ${integer} not null,
      audit_hash text not null,
      primary key (tenant, id))`,
    `create unique index desk_runs_live on desk_runs (tenant, conversation_id)
      where state in ('ready', 'running', 'parked', 'stuck')`,
    `create index desk_runs_created on desk_runs (tenant, created_at, id)`,
    `create index desk_runs_state on desk_runs (tenant, state, created_at, id)`,
    // For retention.
    `create index desk_runs_ended on desk_runs (tenant, updated_at)
      where state in ('finished', 'failed', 'cancelled')`,
    // These come last, because SQLite uses the last of the indexes that it considers equal.
    `create index desk_runs_agent on desk_runs (tenant, agent, created_at, id)`,
    `create index desk_runs_conversation on desk_runs (tenant, conversation_id, created_at, id)`,

    `create table desk_inputs (
      tenant text not null,
      run_id text not null,
      number ${integer} not null,
      state text not null check (state in ('queued', 'delivered', 'dropped')),
      body ${document},
      requester_key text not null,
      idempotency_key text,
      hash text not null,
      accepted_at ${integer} not null,
      primary key (tenant, run_id, number),
      foreign key (tenant, run_id) references desk_runs (tenant, id))`,
    `create unique index desk_inputs_idempotency_key
      on desk_inputs (tenant, requester_key, idempotency_key) where idempotency_key is not null`,

    `create table desk_conversations (
      tenant text not null,
      id text not null,
      requesters ${facts} not null,
      primary key (tenant, id))`,

    `create table desk_messages (
      tenant text not null,
      conversation_id text not null,
      position ${integer} not null,
      run_id text not null,
      version ${integer} not null,
      body ${document} not null,
      primary key (tenant, conversation_id, position),
      foreign key (tenant, run_id) references desk_runs (tenant, id))`,
    `create index desk_messages_run on desk_messages (tenant, run_id)`,

    `create table desk_holds (
      tenant text not null,
      id text not null,
      run_id text not null,
      conversation_id text not null,
      agent text not null,
      park ${integer} not null,
      call_index ${integer} not null,
      kind text not null check (kind in ('approval', 'external')),
      key ${document} not null,
      path ${document} not null,
      tool_name text not null,
      title ${document},
      annotations ${document},
      args ${document} not null,
      validated_args ${document},
      metadata ${document},
      preview ${document},
      digest text not null,
      call_digest text,
      revision ${integer},
      proposal ${document},
      votes ${facts},
      approvers ${facts},
      requirements ${facts},
      requester ${facts},
      requester_key text,
      other_requesters ${facts},
      schema ${document},
      tool_hash text,
      decided_by ${facts},
      in_doubt ${document},
      drifted ${boolean},
      denied_before ${boolean},
      state text not null check (state in
        ('open', 'decided', 'expired', 'superseded', 'cancelled', 'consumed')),
      outcome text check (outcome in ('decided', 'expired', 'superseded', 'cancelled')),
      search_text text not null,
      search_words text not null,
      redaction_rules text,
      created_at ${integer} not null,
      expires_at ${integer},
      settled_at ${integer},
      is_started ${boolean},
      audit_from ${integer},
      primary key (tenant, id),
      foreign key (tenant, run_id) references desk_runs (tenant, id))`,
    ...['created', 'state', 'run_id', 'conversation_id', 'tool_name', 'agent', 'requester_key'].map(
      holdIndex,
    ),

    `create table desk_hold_approvers (
      tenant text not null,
      hold_id text not null,
      kind text not null check (kind in ('role', 'person', 'everyone')),
      name text not null,
      primary key (tenant, kind, name, hold_id),
      foreign key (tenant, hold_id) references desk_holds (tenant, id) on delete cascade)`,
    `create index desk_hold_approvers_hold on desk_hold_approvers (tenant, hold_id)`,

    `create table desk_decisions (
      tenant text not null,
      hold_id text not null,
      number ${integer} not null,
      "by" ${facts} not null,
      person_key text not null,
      decision ${document} not null,
      digest text not null,
      counts_for text,
      roles ${facts},
      "grant" ${document},
      at ${integer} not null,
      primary key (tenant, hold_id, number),
      foreign key (tenant, hold_id) references desk_holds (tenant, id))`,
    `create index desk_decisions_person on desk_decisions (tenant, person_key, at)`,

    `create table desk_grants (
      tenant text not null,
      id text not null,
      scope text not null check (scope in ('conversation', 'requester', 'agent', 'tenant')),
      tool_name text not null,
      tool_hash text not null,
      "match" ${document} not null,
      agent text not null,
      path ${document} not null,
      conversation_id text not null,
      requester ${facts},
      requester_key text,
      "by" ${facts} not null,
      hold_id text not null,
      run_id text not null,
      expires_at ${integer},
      uses ${integer},
      used ${integer} not null,
      created_at ${integer} not null,
      revoked_at ${integer},
      revoked_by ${facts},
      audit_entry ${integer},
      primary key (tenant, id),
      foreign key (tenant, hold_id) references desk_holds (tenant, id),
      foreign key (tenant, run_id) references desk_runs (tenant, id))`,
    `create index desk_grants_created on desk_grants (tenant, created_at, id)`,
    `create index desk_grants_hold on desk_grants (tenant, hold_id)`,
    `create index desk_grants_run on desk_grants (tenant, run_id)`,
    `create index desk_grants_scope on desk_grants (tenant, tool_hash, scope, agent, conversation_id)
      where revoked_at is null`,

    `create table desk_tasks (
      tenant text not null,
      kind text not null check (kind in ('run', 'expiry', 'outbox', 'webhook')),
      id text not null,
      queue text,
      due ${integer},
      fence ${integer} not null,
      attempts ${integer} not null,
      claimed_by text,
      claimed_at ${integer},
      primary key (tenant, kind, id))`,
    `create index desk_tasks_due on desk_tasks (kind, due) where due is not null`,

    `create table desk_outbox (
      tenant text not null,
      id text not null,
      run_id text not null,
      kind text not null,
      data ${facts} not null,
      at ${integer} not null,
      delivered_at ${integer},
      transaction_id ${integer} not null,
      sequence ${integer} not null unique,
      primary key (tenant, id),
      foreign key (tenant, run_id) references desk_runs (tenant, id))`,
    `create index desk_outbox_order on desk_outbox (tenant, transaction_id, sequence)`,
    `create index desk_outbox_run on desk_outbox (tenant, run_id)`,

    `create table desk_audit (
      tenant text not null,
      run_id text not null,
      number ${integer} not null,
      at ${integer} not null,
      kind text not null,
      "by" ${facts},
      person_key text,
      data ${facts} not null,
      previous text not null,
      hash text not null,
      primary key (tenant, run_id, number),
      foreign key (tenant, run_id) references desk_runs (tenant, id))`,
    `create index desk_audit_at on desk_audit (tenant, at)`,
    `create index desk_audit_person on desk_audit (tenant, person_key, at)
      where person_key is not null`,

    `create table desk_entries (
      tenant text not null,
      key text not null,
      state text not null check (state in ('claimed', 'in-doubt', 'settled')),
      attempt text,
      run_id text,
      until ${integer},
      since ${integer},
      reason ${document},
      outcome ${document},
      digest text,
      changed_at ${integer} not null,
      primary key (tenant, key),
      foreign key (tenant, run_id) references desk_runs (tenant, id))`,
    `create index desk_entries_run on desk_entries (tenant, run_id) where run_id is not null`,

    // A request with a token names no tenant, so the key is the hash of the token alone.
    `create table desk_tokens (
      id text primary key,
      kind text not null,
      tenant text not null,
      about text not null,
      person_key text not null,
      data ${facts} not null,
      created_at ${integer} not null,
      expires_at ${integer} not null,
      seen_at ${integer},
      "end" text check ("end" in ('used', 'revoked')),
      ended_at ${integer})`,
    `create index desk_tokens_about on desk_tokens (tenant, kind, about, created_at, id)`,
    `create index desk_tokens_person on desk_tokens (tenant, kind, person_key, created_at, id)`,
    `create index desk_tokens_expires on desk_tokens (expires_at)`,

    `create table desk_deliveries (
      tenant text not null,
      event_id text not null,
      receiver text not null,
      host text not null,
      state text not null check (state in ('pending', 'delivered', 'given-up')),
      attempts ${integer} not null,
      problem ${document},
      created_at ${integer} not null,
      changed_at ${integer} not null,
      primary key (tenant, event_id, receiver),
      foreign key (tenant, event_id) references desk_outbox (tenant, id))`,
    `create index desk_deliveries_given_up on desk_deliveries (tenant, changed_at)
      where state = 'given-up'`,

    `create table desk_secrets (
      tenant text not null,
      conversation_id text not null,
      id text not null,
      value ${document} not null,
      primary key (tenant, conversation_id, id))`,
  ];
}

/** Holds are listed by age, all of them or those with one value of a column. */
function holdIndex(column: string): string {
  const filter = { created: '', state: 'state,', run_id: 'run_id,' }[column] ?? `${column}, state,`;
  const order =
    column === 'run_id' ? 'created_at, call_index, id' : 'created_at, run_id, call_index, id';
  return `create index desk_holds_${column.replace(/_.*/, '')} on desk_holds (tenant, ${filter} ${order})`;
}
