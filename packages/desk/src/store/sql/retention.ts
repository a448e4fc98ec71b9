import { type RawBuilder, sql } from 'kysely';
import type {
  AgedRows,
  CandidatePage,
  EndedRun,
  EventRange,
  PendingParts,
  Retention,
  RowCounts,
  RunPart,
  RunScope,
} from '../retention.ts';
import type { Db } from './database.ts';
import type { SqlContext } from './sql-table.ts';

/** The runs that have a part, as the condition of a partial index. */
const HAS_PART: Readonly<Record<RunPart, RawBuilder<unknown>>> = {
  history: sql`history_erased_at is null`,
  holds: sql`holds_erased_at is null`,
  content: sql`erased_at is null`,
  audit: sql`erased_at is not null`,
};

/** Rows that are deleted by age: the table, its key, and the condition. */
const AGED: Readonly<
  Record<AgedRows, { readonly table: string; readonly key: string; readonly older: string }>
> = {
  deliveries: {
    table: 'desk_deliveries',
    key: 'tenant, event_id, receiver',
    older: `state = 'delivered' and changed_at`,
  },
  tokens: { table: 'desk_tokens', key: 'id', older: 'expires_at' },
};

/** An event that no worker has to deliver, and that no delivery needs any more. */
const IS_FREE = sql`not exists (select 1 from desk_tasks t
    where t.tenant = o.tenant and t.kind = 'outbox' and t.id = o.id)
  and not exists (select 1 from desk_deliveries d
    where d.tenant = o.tenant and d.event_id = o.id and d.state <> 'delivered')
  and o.sequence < (select max(sequence) from desk_outbox)`;

/** Statements for retention and erasure. */
export class SqlRetention implements Retention {
  readonly #db: Db;
  readonly #now: () => Promise<number>;

  constructor({ db }: SqlContext, now: () => Promise<number>) {
    this.#db = db;
    this.#now = now;
  }

  async endedRuns(part: RunPart, page: CandidatePage<EndedRun>): Promise<readonly EndedRun[]> {
    const { before, after, limit } = page;
    const isBeyond =
      after === undefined
        ? sql``
        : sql`and (updated_at, tenant, id) > (${after.updatedAt}, ${after.tenant}, ${after.id})`;
    const { rows } = await sql<EndedRun>`select tenant, id, conversation_id as "conversationId",
        updated_at as "updatedAt" from desk_runs
      where state in ('finished', 'failed', 'cancelled') and ${HAS_PART[part]}
        and updated_at < ${before} ${isBeyond}
      order by updated_at, tenant, id limit ${limit}`.execute(this.#db);
    return rows;
  }

  async pendingIn(scope: RunScope, before: number): Promise<PendingParts> {
    const runs = sql`desk_runs where ${isIn(scope)}`;
    const owned = ownedBy(scope);
    const now = await this.#now();
    const { rows } = await sql<PendingParts>`select
      exists (select 1 from ${runs} and state in ('ready', 'running', 'parked', 'stuck')) as "hasLiveRun",
      exists (select 1 from ${runs} and updated_at >= ${before}) as "hasRecentRun",
      exists (select 1 from desk_holds where ${owned}
        and state in ('open', 'decided', 'expired', 'superseded')) as "hasPendingHold",
      exists (select 1 from desk_entries where ${owned} and state <> 'settled') as "hasUnsettledEntry",
      exists (select 1 from desk_entries where ${owned} and state = 'claimed'
        and until > ${now}) as "hasExecutingCall",
      exists (select 1 from desk_grants where ${owned} and revoked_at is null
        and (expires_at is null or expires_at > ${now})
        and (uses is null or used < uses)) as "hasLiveGrant",
      exists (select 1 from desk_outbox where ${owned}) as "hasEvent"`.execute(this.#db);
    // SQLite returns numbers.
    const flags = Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Boolean(value)]);
    return Object.fromEntries(flags) as PendingParts;
  }

  async countIn(scope: RunScope): Promise<RowCounts> {
    const owned = ownedBy(scope);
    const { rows } = await sql<RowCounts>`select
      (select count(*) from desk_runs where ${isIn(scope)} and erased_at is null) as runs,
      (select count(*) from desk_messages where ${owned}) as messages,
      (select count(*) from desk_holds where ${owned}) as holds`.execute(this.#db);
    const { runs = 0, messages = 0, holds = 0 } = rows[0] ?? {};
    return { runs, messages, holds };
  }

  async grantsIn(scope: RunScope): Promise<readonly string[]> {
    const { rows } = await sql<{ id: string }>`select id from desk_grants
      where ${ownedBy(scope)} order by id`.execute(this.#db);
    return rows.map(({ id }) => id);
  }

  async runsOfPerson(
    tenant: string,
    personKey: string,
    { after = '', limit }: { readonly after?: string | undefined; readonly limit: number },
  ): Promise<readonly string[]> {
    const { rows } = await sql<{ run_id: string }>`select run_id from desk_audit
      where tenant = ${tenant} and person_key = ${personKey} and run_id > ${after}
      union select h.run_id from desk_decisions d
      join desk_holds h on h.tenant = d.tenant and h.id = d.hold_id
      where d.tenant = ${tenant} and d.delegator_key = ${personKey} and h.run_id > ${after}
      order by run_id limit ${limit}`.execute(this.#db);
    return rows.map((row) => row.run_id);
  }

  async removePersonFromAudit(tenant: string, runId: string, personKey: string): Promise<number> {
    // An entry without a commitment has the person in its hash, and cannot be changed.
    const { numAffectedRows } = await sql`update desk_audit
      set person = null, salt = null, person_key = null
      where tenant = ${tenant} and run_id = ${runId} and person_key = ${personKey}
        and salt is not null`.execute(this.#db);
    return Number(numAffectedRows ?? 0);
  }

  async removeTokensOf(tenant: string, personKey: string): Promise<number> {
    const { numAffectedRows } = await sql`delete from desk_tokens where tenant = ${tenant}
      and kind in ('session', 'decision-link', 'entry-link')
      and person_key = ${personKey}`.execute(this.#db);
    return Number(numAffectedRows ?? 0);
  }

  async eventsBefore(page: CandidatePage<number>): Promise<readonly number[]> {
    const { before, after = -1, limit } = page;
    const { rows } = await sql<{
      sequence: number;
      at: number;
    }>`select sequence, at from desk_outbox
      where sequence > ${after} order by sequence limit ${limit}`.execute(this.#db);
    const end = rows.findIndex(({ at }) => at >= before);
    return (end < 0 ? rows : rows.slice(0, end)).map(({ sequence }) => sequence);
  }

  async countEvents(range: EventRange): Promise<number> {
    const { rows } = await sql<{ count: number }>`select count(*) as count from desk_outbox o
      where ${isInRange(range)} and ${IS_FREE}`.execute(this.#db);
    return rows[0]?.count ?? 0;
  }

  async countOlder(rows: AgedRows, before: number): Promise<number> {
    const { table, older } = AGED[rows];
    const counted = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}
      where ${sql.raw(older)} < ${before}`.execute(this.#db);
    return counted.rows[0]?.count ?? 0;
  }

  async jobDueAt(): Promise<number> {
    const { value } = await this.#db
      .selectFrom('desk_meta')
      .select('value')
      .where('name', '=', 'retention_due_at')
      .executeTakeFirstOrThrow();
    return value;
  }

  async claimJob(lease: number): Promise<boolean> {
    const now = await this.#now();
    const { numUpdatedRows } = await this.#db
      .updateTable('desk_meta')
      .set({ value: now + lease })
      .where('name', '=', 'retention_due_at')
      .where('value', '<=', now)
      .executeTakeFirstOrThrow();
    return numUpdatedRows === 1n;
  }

  async postponeJob(delay: number): Promise<void> {
    await this.#db
      .updateTable('desk_meta')
      .set({ value: (await this.#now()) + delay })
      .where('name', '=', 'retention_due_at')
      .execute();
  }

  async removeHistory(tenant: string, conversationId: string): Promise<void> {
    const scope = { tenant, conversationId };
    const now = await this.#now();
    await this.#execute(
      sql`delete from desk_messages where tenant = ${tenant} and conversation_id = ${conversationId}`,
      sql`delete from desk_entries where ${ownedBy(scope)} and state = 'settled'`,
      sql`update desk_entries set reason = null where ${ownedBy(scope)}`,
      sql`update desk_inputs set body = null where ${ownedBy(scope)} and body is not null`,
      sql`delete from desk_conversations where tenant = ${tenant} and id = ${conversationId}`,
      sql`update desk_runs set history_erased_at = ${now}
        where ${isIn(scope)} and history_erased_at is null`,
    );
  }

  async removeHolds(scope: RunScope): Promise<void> {
    const now = await this.#now();
    await this.#execute(
      sql`delete from desk_grants where ${ownedBy(scope)}`,
      sql`delete from desk_decisions where tenant = ${scope.tenant}
        and hold_id in (select id from desk_holds where ${ownedBy(scope)})`,
      sql`delete from desk_holds where ${ownedBy(scope)}`,
      sql`update desk_runs set holds_erased_at = ${now}
        where ${isIn(scope)} and holds_erased_at is null`,
    );
  }

  async removeInputs(scope: RunScope): Promise<void> {
    await this.#execute(sql`delete from desk_inputs where ${ownedBy(scope)}`);
  }

  async removeSecrets(tenant: string, conversationId: string): Promise<void> {
    await this.#execute(
      sql`delete from desk_secrets where tenant = ${tenant} and conversation_id = ${conversationId}`,
    );
  }

  async removeRun(tenant: string, runId: string): Promise<void> {
    await this.#execute(
      sql`delete from desk_audit where tenant = ${tenant} and run_id = ${runId}`,
      sql`delete from desk_runs where tenant = ${tenant} and id = ${runId}`,
    );
  }

  async removeEvents(range: EventRange): Promise<number> {
    await this.#execute(sql`delete from desk_deliveries where (tenant, event_id) in
      (select tenant, id from desk_outbox o where ${isInRange(range)} and ${IS_FREE})`);
    const { numAffectedRows } = await sql`delete from desk_outbox where sequence in
      (select sequence from desk_outbox o where ${isInRange(range)} and ${IS_FREE})`.execute(
      this.#db,
    );
    return Number(numAffectedRows ?? 0);
  }

  async removeOlder(rows: AgedRows, before: number, max: number): Promise<number> {
    const { table, key, older } = AGED[rows];
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${sql.raw(key)}) in
      (select ${sql.raw(key)} from ${sql.table(table)} where ${sql.raw(older)} < ${before}
        limit ${max})`.execute(this.#db);
    return Number(numAffectedRows ?? 0);
  }

  async #execute(...statements: readonly RawBuilder<unknown>[]): Promise<void> {
    for (const statement of statements) await statement.execute(this.#db);
  }
}

/** Returns the condition that a run is in a scope. */
function isIn(scope: RunScope): RawBuilder<unknown> {
  return 'runId' in scope
    ? sql`tenant = ${scope.tenant} and id = ${scope.runId}`
    : sql`tenant = ${scope.tenant} and conversation_id = ${scope.conversationId}`;
}

/** Returns the condition that a row belongs to a run in a scope. */
function ownedBy(scope: RunScope): RawBuilder<unknown> {
  return 'runId' in scope
    ? sql`tenant = ${scope.tenant} and run_id = ${scope.runId}`
    : sql`tenant = ${scope.tenant} and run_id in (select id from desk_runs where ${isIn(scope)})`;
}

function isInRange({ first, last, before }: EventRange): RawBuilder<unknown> {
  return sql`o.sequence between ${first} and ${last} and o.at < ${before}`;
}
