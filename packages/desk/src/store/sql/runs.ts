import { sql } from 'kysely';
import type { AuditRow } from '../../model/audit-row.ts';
import type { InputRow, InputState } from '../../model/input-row.ts';
import type { MessageRow } from '../../model/message-row.ts';
import {
  limitOf,
  type Page,
  pageOf,
  readCursor,
  readIdPrefix,
  RUN_ORDER,
  type RunQuery,
} from '../../model/page.ts';
import type { RunRow } from '../../model/run-row.ts';
import type { Audit, IdKey, InputKey, Messages, ReadInputs, ReadRuns } from '../store.ts';
import { columnNames } from './columns.ts';
import { AUDIT, INPUTS, MESSAGES, RUNS } from './database.ts';
import {
  hasIdPrefix,
  isBeyond,
  paddedIds,
  placeholdersFor,
  type SqlContext,
  SqlTable,
} from './sql-table.ts';

const RUN_COLUMNS = columnNames(RUNS);
const INPUT_COLUMNS = columnNames(INPUTS);

/** Runs. */
export class SqlRuns extends SqlTable<RunRow, IdKey> implements ReadRuns {
  constructor(context: SqlContext) {
    super(context, RUNS);
  }

  liveIn(tenant: string, conversationId: string): Promise<RunRow | undefined> {
    return this.first(
      this.#ofConversation(tenant, conversationId)
        // Literals, because SQLite uses a partial index only if it can prove its condition.
        .where(sql<boolean>`state in ('ready', 'running', 'parked', 'stuck')`),
    );
  }

  latestIn(tenant: string, conversationId: string): Promise<RunRow | undefined> {
    return this.first(
      this.#ofConversation(tenant, conversationId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1),
    );
  }

  async list(tenant: string, query: RunQuery): Promise<Page<RunRow>> {
    const { states, agent, conversationId } = query;
    const limit = limitOf(query);
    const cursor = readCursor(query, RUN_ORDER);
    const idPrefix = readIdPrefix(query);
    if (states?.length === 0) return { items: [] };
    let found = this.#select.where('tenant', '=', tenant);
    if (!query.includeErased) found = found.where('erased_at', 'is', null);
    if (states !== undefined) found = found.where('state', 'in', states);
    if (agent !== undefined) found = found.where('agent', '=', agent);
    if (conversationId !== undefined) found = found.where('conversation_id', '=', conversationId);
    if (idPrefix !== undefined) found = found.where(hasIdPrefix(idPrefix));
    if (cursor !== undefined) found = found.where(isBeyond(RUN_ORDER, '<', cursor));
    return pageOf(
      await this.all(
        found
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit + 1),
      ),
      limit,
      RUN_ORDER,
    );
  }

  async withIds(tenant: string, ids: readonly string[]): Promise<readonly RunRow[]> {
    if (ids.length === 0) return [];
    return this.all(this.#select.where('tenant', '=', tenant).where('id', 'in', paddedIds(ids)));
  }

  async underOtherRules(
    tenant: string,
    conversationIds: readonly string[],
    redactionRules: string,
  ): Promise<readonly string[]> {
    if (conversationIds.length === 0) return [];
    const rows = await this.db
      .selectFrom('desk_runs')
      .select('conversation_id')
      .distinct()
      .where('tenant', '=', tenant)
      .where('conversation_id', 'in', paddedIds(conversationIds))
      .where('redaction_rules', '<>', redactionRules)
      .execute();
    return rows.map((row) => row.conversation_id);
  }

  get #select() {
    return this.db.selectFrom('desk_runs').select(RUN_COLUMNS);
  }

  #ofConversation(tenant: string, conversationId: string) {
    return this.#select.where('tenant', '=', tenant).where('conversation_id', '=', conversationId);
  }
}

/** Inputs of runs. */
export class SqlInputs extends SqlTable<InputRow, InputKey> implements ReadInputs {
  constructor(context: SqlContext) {
    super(context, INPUTS);
  }

  byIdempotencyKey(
    tenant: string,
    requesterKey: string,
    idempotencyKey: string,
  ): Promise<InputRow | undefined> {
    return this.first(
      this.db
        .selectFrom('desk_inputs')
        .select(INPUT_COLUMNS)
        .where('tenant', '=', tenant)
        .where('requester_key', '=', requesterKey)
        .where('idempotency_key', '=', idempotencyKey),
    );
  }

  ofRun(
    tenant: string,
    runId: string,
    states: readonly InputState[],
  ): Promise<readonly InputRow[]> {
    return this.where(
      `tenant = ? and run_id = ? and state in (${placeholdersFor(states)}) order by number`,
      [tenant, runId, ...states],
    );
  }
}

/** A checkpoint may replace the last messages of a conversation. Only the worker that claimed its run writes them. */
export const REPLACE_MESSAGE = `on conflict (tenant, conversation_id, position) do update
  set run_id = excluded.run_id, version = excluded.version, body = excluded.body`;

/** Messages of conversations. */
export class SqlMessages
  extends SqlTable<MessageRow, readonly [tenant: string, conversationId: string, position: number]>
  implements Messages
{
  constructor(context: SqlContext) {
    super(context, MESSAGES);
  }

  from(tenant: string, conversationId: string, position: number): Promise<readonly MessageRow[]> {
    return this.where('tenant = ? and conversation_id = ? and position >= ? order by position', [
      tenant,
      conversationId,
      position,
    ]);
  }

  async count(tenant: string, conversationId: string): Promise<number> {
    const { last } = await this.db
      .selectFrom('desk_messages')
      .select(({ fn }) => fn.max<number | null>('position').as('last'))
      .where('tenant', '=', tenant)
      .where('conversation_id', '=', conversationId)
      .executeTakeFirstOrThrow();
    return last === null ? 0 : last + 1;
  }

  async replaceFrom(
    tenant: string,
    conversationId: string,
    position: number,
    rows: readonly MessageRow[],
  ): Promise<void> {
    await this.execute(
      'remove from',
      () => 'delete from desk_messages where tenant = ? and conversation_id = ? and position >= ?',
      [tenant, conversationId, position],
    );
    for (const row of rows) await this.insert(row);
  }

  protected override get onConflict(): string {
    return REPLACE_MESSAGE;
  }
}

/** Audits of runs. */
export class SqlAudit
  extends SqlTable<AuditRow, readonly [tenant: string, runId: string, number: number]>
  implements Audit
{
  constructor(context: SqlContext) {
    super(context, AUDIT);
  }

  ofRun(tenant: string, runId: string, after: number, limit: number): Promise<readonly AuditRow[]> {
    return this.where('tenant = ? and run_id = ? and number > ? order by number limit ?', [
      tenant,
      runId,
      after,
      limit,
    ]);
  }

  async append(row: AuditRow): Promise<void> {
    if (await this.insert(row)) return;
    throw new Error(`The audit of run \`${row.runId}\` already has an entry ${row.number}.`);
  }
}
