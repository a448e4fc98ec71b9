import { type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely';
import { requirementsOf } from '../../approvers/requirements.ts';
import { personKey } from '../../approvers/same-person.ts';
import type { DecisionRow } from '../../model/decision-row.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import {
  type Cursor,
  HOLD_ORDER,
  limitOf,
  type Page,
  pageOf,
  readCursor,
  readIdPrefix,
} from '../../model/page.ts';
import { searchWords } from '../../model/search-words.ts';
import type { HoldState } from '../../model/states.ts';
import type {
  ConversationKey,
  DecisionKey,
  IdKey,
  ReadDecisions,
  ReadHolds,
  StoredHoldQuery,
} from '../store.ts';
import { columnNames, type Database, DECISIONS, HOLDS } from './database.ts';
import { hasIdPrefix, isBeyond, type SqlContext, SqlTable } from './sql-table.ts';

const HOLD_COLUMNS = columnNames(HOLDS);

/** Up to so many matches of a search are sorted. */
const MAX_MATCHES = 500;

type SelectedHolds = SelectQueryBuilder<Database, 'desk_holds', object>;

/** Holds, and the index of the approvers who may decide them. */
export class SqlHolds extends SqlTable<HoldRow, IdKey> implements ReadHolds {
  constructor(context: SqlContext) {
    super(context, HOLDS);
  }

  override async insert(row: HoldRow): Promise<boolean> {
    const isInserted = await super.insert(row);
    if (isInserted) await this.#insertApprovers(row);
    return isInserted;
  }

  override async put(row: HoldRow): Promise<void> {
    await super.put(row);
    // A consumed hold was settled before, so it has no approvers any more.
    if (row.state === 'consumed') return;
    await this.db
      .deleteFrom('desk_hold_approvers')
      .where('tenant', '=', row.tenant)
      .where('hold_id', '=', row.id)
      .execute();
    await this.#insertApprovers(row);
  }

  ofRun(tenant: string, runId: string, states: readonly HoldState[]): Promise<readonly HoldRow[]> {
    return this.all(
      this.#select
        .where('tenant', '=', tenant)
        .where('run_id', '=', runId)
        .where('state', 'in', states)
        .orderBy('park')
        .orderBy('call_index'),
    );
  }

  async list(tenant: string, query: StoredHoldQuery): Promise<Page<HoldRow>> {
    const { states, runId, conversationId, tool, agent, requester, text, eligible } = query;
    const limit = limitOf(query);
    const cursor = readCursor(query, HOLD_ORDER);
    const idPrefix = readIdPrefix(query);
    if (states?.length === 0) return { items: [] };
    let from = this.#select;
    if (text !== undefined) {
      const words = searchWords(text);
      const matches = words.length === 0 ? 0 : await this.#countMatches(tenant, words);
      if (matches === 0) return { items: [] };
      // If many holds match, the oldest ones are found soon in the order of the list.
      from =
        matches > MAX_MATCHES
          ? from.where(this.dialect.hasWords(words))
          : this.#selectIds(tenant, this.dialect.idsWithWords(tenant, words, MAX_MATCHES));
    }
    let found = from.where('tenant', '=', tenant);
    if (states !== undefined) found = found.where('state', 'in', states);
    if (runId !== undefined) found = found.where('run_id', '=', runId);
    if (conversationId !== undefined) found = found.where('conversation_id', '=', conversationId);
    if (tool !== undefined) found = found.where('tool_name', '=', tool);
    if (agent !== undefined) found = found.where('agent', '=', agent);
    if (requester !== undefined) {
      found = found.where('requester_key', '=', personKey({ id: requester }));
    }
    if (query.createdAfter !== undefined)
      found = found.where('created_at', '>', query.createdAfter);
    if (query.createdBefore !== undefined) {
      found = found.where('created_at', '<', query.createdBefore);
    }
    if (idPrefix !== undefined) found = found.where(hasIdPrefix(idPrefix));
    if (query.redactionRules !== undefined) {
      found = found.where('redaction_rules', '=', query.redactionRules);
    }
    if (cursor !== undefined) found = found.where(isBeyond(HOLD_ORDER, '>', cursor));
    if (eligible !== undefined) {
      const names = approverNames(eligible);
      // A filter that few holds match is applied first; otherwise the approver is.
      found = hasFewMatches(query)
        ? found.where(mayBeDecidedBy(names))
        : this.#selectIds(tenant, oldestFor(tenant, names, found, { cursor, limit: limit + 1 }));
    }
    const rows = await this.all(
      found
        .orderBy('created_at')
        .orderBy('run_id')
        .orderBy('call_index')
        .orderBy('id')
        .limit(limit + 1),
    );
    return pageOf(rows, limit, HOLD_ORDER);
  }

  async underOtherRules(
    redactionRules: string,
    { after, limit }: { readonly after?: ConversationKey | undefined; readonly limit: number },
  ): Promise<readonly ConversationKey[]> {
    let found = this.db
      .selectFrom('desk_holds')
      .select(['tenant', 'conversation_id'])
      .distinct()
      .where(({ or, eb }) =>
        or([eb('redaction_rules', 'is', null), eb('redaction_rules', '<>', redactionRules)]),
      );
    if (after !== undefined) {
      found = found.where(isBeyond(['tenant', 'conversationId'], '>', after));
    }
    const rows = await found.orderBy('tenant').orderBy('conversation_id').limit(limit).execute();
    return rows.map(({ tenant, conversation_id: conversationId }) => [tenant, conversationId]);
  }

  get #select() {
    return this.db.selectFrom('desk_holds').select(HOLD_COLUMNS);
  }

  /** Selects the holds with few ids. */
  #selectIds(tenant: string, ids: RawBuilder<string>) {
    // The subquery has the columns of the table, whose name it takes.
    const holds = this.dialect.holdsWithIds(tenant, ids) as RawBuilder<Database['desk_holds']>;
    return this.db.selectFrom(holds.as('desk_holds')).select(HOLD_COLUMNS);
  }

  /** Counts the holds with words, up to one more than `MAX_MATCHES`. */
  async #countMatches(tenant: string, words: readonly string[]): Promise<number> {
    const ids = this.dialect.idsWithWords(tenant, words, MAX_MATCHES + 1);
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from (${ids}) as matches`.execute(this.db);
    return Number(rows[0]?.count);
  }

  /** Only open holds have approvers, so a list of what an approver may decide reads few rows. */
  async #insertApprovers(hold: HoldRow): Promise<void> {
    const approvers = approversOf(hold);
    if (approvers.length === 0) return;
    await this.db.insertInto('desk_hold_approvers').values(approvers).execute();
  }
}

type Approver = Database['desk_hold_approvers'];
type ApproverName = readonly [kind: Approver['kind'], name: string];

/** The order of holds in the index of approvers. */
const APPROVER_ORDER = ['createdAt', 'runId', 'callIndex', 'holdId'];

/** Returns everything that requirements may name an approver by. */
function approverNames(
  approver: NonNullable<StoredHoldQuery['eligible']>,
): readonly ApproverName[] {
  const roles = [...new Set(approver.roles)].map((role) => ['role', role] as const);
  return [['everyone', ''], ['person', personKey(approver)], ...roles];
}

/** Returns true if a query has a filter that only few holds match, however many are stored. */
function hasFewMatches({ runId, conversationId, text, idPrefix }: StoredHoldQuery): boolean {
  return [runId, conversationId, text, idPrefix].some((filter) => filter !== undefined);
}

/** Returns the condition that a requirement of a hold names an approver. */
function mayBeDecidedBy(names: readonly ApproverName[]): RawBuilder<SqlBool> {
  const isNamed = names.map(([kind, name]) => sql`(a.kind = ${kind} and a.name = ${name})`);
  return sql`exists (select 1 from desk_hold_approvers as a
    where a.tenant = desk_holds.tenant and a.hold_id = desk_holds.id and (${sql.join(isNamed, sql` or `)}))`;
}

/**
 * Returns a query for the ids of the oldest of some holds that name an approver. For each name the index has them in
 * order, so no part reads more than a page.
 */
function oldestFor(
  tenant: string,
  names: readonly ApproverName[],
  holds: SelectedHolds,
  { cursor, limit }: { readonly cursor: Cursor | undefined; readonly limit: number },
): RawBuilder<string> {
  const isAfter = cursor === undefined ? sql`` : sql`and ${isBeyond(APPROVER_ORDER, '>', cursor)}`;
  const isSelected = holds.clearSelect().select(sql.lit(1).as('one'));
  const hold = isSelected.whereRef('desk_holds.id', '=', sql.ref('a.hold_id'));
  const parts = names.map(
    ([kind, name]) => sql`select * from (
      select created_at, run_id, call_index, hold_id from desk_hold_approvers as a
      where tenant = ${tenant} and kind = ${kind} and name = ${name} ${isAfter} and exists ${hold}
      order by created_at, run_id, call_index, hold_id limit ${limit}) as part`,
  );
  return sql`select hold_id from (${sql.join(parts, sql` union `)}
    order by created_at, run_id, call_index, hold_id limit ${limit}) as oldest`;
}

/** Returns all approvers that a requirement of an open hold names. A settled hold has none. */
export function approversOf(hold: HoldRow): Approver[] {
  const { tenant, id, state, createdAt, runId, callIndex } = hold;
  if (state !== 'open') return [];
  const order = { created_at: createdAt, run_id: runId, call_index: callIndex };
  const approver = (kind: Approver['kind'], name: string) => ({
    tenant,
    hold_id: id,
    kind,
    name,
    ...order,
  });
  const all = requirementsOf(hold).flatMap(({ roles, people }) => {
    if (roles === undefined && people === undefined) return [approver('everyone', '')];
    const byRole = (roles ?? []).map((role) => approver('role', role));
    const byName = (people ?? []).map((one) => approver('person', personKey({ id: one })));
    return [...byRole, ...byName];
  });
  return [...new Map(all.map((one) => [`${one.kind} ${one.name}`, one])).values()];
}

const DECISION_COLUMNS = columnNames(DECISIONS);

/** Decisions on holds. */
export class SqlDecisions extends SqlTable<DecisionRow, DecisionKey> implements ReadDecisions {
  constructor(context: SqlContext) {
    super(context, DECISIONS);
  }

  ofHold(tenant: string, holdId: string): Promise<readonly DecisionRow[]> {
    return this.all(
      this.db
        .selectFrom('desk_decisions')
        .select(DECISION_COLUMNS)
        .where('tenant', '=', tenant)
        .where('hold_id', '=', holdId)
        .orderBy('number'),
    );
  }
}
