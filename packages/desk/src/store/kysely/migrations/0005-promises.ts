import { sql } from 'kysely';
import { personKey } from '../../../approvers/same-person.ts';
import type { Database } from '../kysely-table.ts';

/** Adds the queue of inputs, and an order of events that does not depend on clocks. */
export async function promises(
  db: Database,
  now: number,
  dialect: 'sqlite' | 'postgres',
): Promise<void> {
  await addInputs(db);
  await orderEvents(db, dialect);
  await addForgottenBefore(db);
  await addPersonKeys(db);
  await addQueues(db);
  await addEventConsumer(db, now);
}

async function execute(db: Database, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

async function addInputs(db: Database): Promise<void> {
  await execute(db, [
    `create table desk_inputs (
      tenant text not null, run_id text not null, number bigint not null, state text not null,
      body text, requester_key text not null, idempotency_key text, hash text not null,
      accepted_at bigint not null,
      primary key (tenant, run_id, number))`,
    `create unique index desk_inputs_idempotency_key
      on desk_inputs (tenant, requester_key, idempotency_key) where idempotency_key is not null`,
  ]);
  await moveInputs(db);
  await execute(db, [
    'drop index desk_runs_idempotency_key',
    // A process of an older version must not accept a message that newer workers cannot see.
    'alter table desk_runs drop column input',
  ]);
}

interface OldRun {
  readonly tenant: string;
  readonly id: string;
  readonly requester: string | null;
  readonly input: string | null;
  readonly idempotency_key: string | null;
  readonly start_hash: string;
  readonly created_at: number;
}

/**
 * Moves the prompts that no worker has delivered yet, and the keys. The hash of an old start does not cover
 * its requester, so a retry of it is rejected as a key that was reused. It never starts a second run.
 */
async function moveInputs(db: Database): Promise<void> {
  const { rows } =
    await sql<OldRun>`select tenant, id, requester, input, idempotency_key, start_hash,
    created_at from desk_runs where input is not null or idempotency_key is not null`.execute(db);
  for (const run of rows) {
    const requesterKey = run.requester === null ? '' : personKey(JSON.parse(run.requester));
    const state = run.input === null ? 'delivered' : 'queued';
    await sql`insert into desk_inputs (tenant, run_id, number, state, body, requester_key,
      idempotency_key, hash, accepted_at) values (${run.tenant}, ${run.id}, 1, ${state}, ${run.input},
      ${requesterKey}, ${run.idempotency_key}, ${run.start_hash}, ${run.created_at})`.execute(db);
  }
}

/** Events that are there already stay in the order of their times. */
async function orderEvents(db: Database, dialect: 'sqlite' | 'postgres'): Promise<void> {
  await execute(db, [
    'alter table desk_outbox add column transaction_id bigint not null default 0',
    'alter table desk_outbox add column sequence bigint not null default 0',
    `update desk_outbox set sequence = numbered.number from (
      select tenant, id, row_number() over (order by at, id) as number from desk_outbox) as numbered
      where desk_outbox.tenant = numbered.tenant and desk_outbox.id = numbered.id`,
    'drop index desk_outbox_at',
    'create index desk_outbox_order on desk_outbox (tenant, transaction_id, sequence)',
    'create unique index desk_outbox_sequence_number on desk_outbox (sequence)',
  ]);
  if (dialect === 'sqlite') return;
  await execute(db, [
    'create sequence desk_outbox_sequence',
    `select setval('desk_outbox_sequence', (select coalesce(max(sequence), 0) + 1 from desk_outbox), false)`,
  ]);
}

/** By how much `0001-tables` has set the time of the ledger back. */
const CLOCKS_DIFFER_MS = 30_000;

/** The time of the ledger is later than the tables are old only if `forgetBefore` was called. */
async function addForgottenBefore(db: Database): Promise<void> {
  await sql`insert into desk_meta (name, value)
    select 'forgotten_before', case
      when cast(known.value as bigint) > made.at - ${CLOCKS_DIFFER_MS} then known.value else '0' end
    from desk_meta as known, desk_migrations as made
    where known.name = 'ledger_knows_since' and made.name = '0001-tables'`.execute(db);
}

/** Every token names the person who can use it in its data. */
async function addPersonKeys(db: Database): Promise<void> {
  await execute(db, [
    `alter table desk_tokens add column person_key text not null default ''`,
    'create index desk_tokens_person on desk_tokens (tenant, kind, person_key, created_at, id)',
  ]);
  const { rows } = await sql<{
    id: string;
    data: string;
  }>`select id, data from desk_tokens`.execute(db);
  for (const { id, data } of rows) {
    const key = personKey(JSON.parse(data).person);
    await sql`update desk_tokens set person_key = ${key} where id = ${id}`.execute(db);
  }
}

/** The queue of a run is its agent; that of a webhook is its receiver, which its id ends with. */
async function addQueues(db: Database): Promise<void> {
  await execute(db, [
    'alter table desk_tasks add column queue text',
    `update desk_tasks set queue = (select agent from desk_runs
      where desk_runs.tenant = desk_tasks.tenant and desk_runs.id = desk_tasks.id) where kind = 'run'`,
    `update desk_tasks set queue = substr(id, 34) where kind = 'webhook'`,
  ]);
}

/** Events that no process has ever delivered were never wanted: their tasks would only be delivered late. */
async function addEventConsumer(db: Database, now: number): Promise<void> {
  const { rows } =
    await sql`select 1 from desk_outbox where delivered_at is not null limit 1`.execute(db);
  const seenAt = rows.length > 0 ? now : 0;
  await sql`insert into desk_meta (name, value)
    values ('event_consumer_seen_at', ${String(seenAt)})`.execute(db);
  if (seenAt === 0) await execute(db, [`delete from desk_tasks where kind = 'outbox'`]);
}
