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
import { columnNames } from './columns.ts';
import { type Database, DECISIONS, HOLDS } from './database.ts';
import {
  hasIdPrefix,
  isBeyond,
  placeholdersFor,
  type SearchedWords,
  type SqlContext,
  SqlTable,
} from './sql-table.ts';

const HOLD_COLUMNS = columnNames(HOLDS);

/** The maximum number of matches of a search that are sorted. */
const MAX_MATCHES = 500;

/** The number of holds that a search reads before it uses the index of words. */
const FIRST_HOLDS = 500;

/** A word is rare if at most this part of the holds have it. */
const RARE = 0.02;

type SelectedHolds = SelectQueryBuilder<Database, 'desk_holds', Partial<Database['desk_holds']>>;

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
    await this.execute(
      'remove approvers',
      () => 'delete from desk_hold_approvers where tenant = ? and hold_id = ?',
      [row.tenant, row.id],
    );
    await this.#insertApprovers(row);
  }

  ofRun(tenant: string, runId: string, states: readonly HoldState[]): Promise<readonly HoldRow[]> {
    return this.where(
      `tenant = ? and run_id = ? and state in (${placeholdersFor(states)}) order by park, call_index`,
      [tenant, runId, ...states],
    );
  }

  async list(tenant: string, query: StoredHoldQuery): Promise<Page<HoldRow>> {
    const { states, text } = query;
    const limit = limitOf(query);
    const cursor = readCursor(query, HOLD_ORDER);
    if (states?.length === 0) return { items: [] };
    const read = async (from: SelectedHolds) => {
      const found = this.#filter(from, tenant, query, { cursor, limit });
      return pageOf(await this.all(inOrder(found, limit + 1)), limit, HOLD_ORDER);
    };
    if (text === undefined) return read(this.#select);
    const words = searchWords(text);
    if (words.length === 0) return { items: [] };
    const first = this.#first(tenant, query, cursor);
    if (first !== undefined) {
      // Holds with common words are found soon in the order of the list. The index would read all of them.
      const page = await read(first.select(HOLD_COLUMNS).where(this.dialect.hasWords(words)));
      if (page.next !== undefined) return page;
      const frequencies = await this.#frequenciesOf(words, first);
      if (frequencies.total < FIRST_HOLDS) return page;
      return this.#search(tenant, splitByFrequency(words, frequencies), read);
    }
    return this.#search(tenant, { indexed: words, verified: [] }, read);
  }

  /** Reads a page of the holds with words, which the index of words finds. */
  async #search(
    tenant: string,
    words: SearchedWords,
    read: (from: SelectedHolds) => Promise<Page<HoldRow>>,
  ): Promise<Page<HoldRow>> {
    const matches = await this.#countMatches(tenant, words);
    if (matches === 0) return { items: [] };
    const all = [...words.indexed, ...words.verified];
    return read(
      matches > MAX_MATCHES
        ? this.#select.where(this.dialect.hasWords(all))
        : this.#selectIds(tenant, this.dialect.idsWithWords(tenant, words, MAX_MATCHES)),
    );
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

  /** Applies all conditions of a query except for its text. */
  #filter(
    from: SelectedHolds,
    tenant: string,
    query: StoredHoldQuery,
    { cursor, limit }: { readonly cursor: Cursor | undefined; readonly limit: number },
  ): SelectedHolds {
    const { states, runId, conversationId, tool, agent, requester, eligible } = query;
    const idPrefix = readIdPrefix(query);
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
    if (eligible === undefined) return found;
    const names = approverNames(eligible);
    // A filter that few holds match is applied first; otherwise the approver is.
    return hasFewMatches(query)
      ? found.where(mayBeDecidedBy(names))
      : this.#selectIds(tenant, oldestFor(tenant, names, found, { cursor, limit: limit + 1 }));
  }

  /** Returns a query for the first holds of a list; `undefined` if no index has them in order. */
  #first(tenant: string, { states }: StoredHoldQuery, cursor: Cursor | undefined) {
    const [state, ...others] = states ?? [];
    if (others.length > 0) return undefined;
    let found = this.db.selectFrom('desk_holds').selectAll().where('tenant', '=', tenant);
    if (state !== undefined) found = found.where('state', '=', state);
    if (cursor !== undefined) found = found.where(isBeyond(HOLD_ORDER, '>', cursor));
    return this.db.selectFrom(inOrder(found, FIRST_HOLDS).as('desk_holds'));
  }

  /** Counts the holds with each word. */
  async #frequenciesOf(
    words: readonly string[],
    holds: SelectQueryBuilder<Database, 'desk_holds', object>,
  ): Promise<Frequencies> {
    const [counted] = await holds
      .select(({ fn }) => fn.countAll().as('total'))
      .select(
        words.map((word, index) =>
          sql<number>`sum(case when ${this.dialect.hasWords([word])} then 1 else 0 end)`.as(
            `count_${index}`,
          ),
        ),
      )
      .execute();
    const row: Readonly<Record<string, unknown>> = { ...counted };
    return {
      total: Number(row['total']),
      counts: words.map((_, index) => Number(row[`count_${index}`])),
    };
  }

  get #select(): SelectedHolds {
    return this.db.selectFrom('desk_holds').select(HOLD_COLUMNS);
  }

  /** Selects the holds with few ids. */
  #selectIds(tenant: string, ids: RawBuilder<string>): SelectedHolds {
    // The subquery has the columns of the table, whose name it takes.
    const holds = this.dialect.holdsWithIds(tenant, ids) as RawBuilder<Database['desk_holds']>;
    return this.db.selectFrom(holds.as('desk_holds')).select(HOLD_COLUMNS);
  }

  /** Counts the holds with words, up to one more than `MAX_MATCHES`. */
  async #countMatches(tenant: string, words: SearchedWords): Promise<number> {
    const ids = this.dialect.idsWithWords(tenant, words, MAX_MATCHES + 1);
    const { rows } = await sql<{
      count: number;
    }>`select count(*) as count from (${ids}) as matches`.execute(this.db);
    return Number(rows[0]?.count);
  }

  /** Only open holds have approvers, so a list of the holds of an approver reads few rows. */
  async #insertApprovers(hold: HoldRow): Promise<void> {
    for (const approver of approversOf(hold)) {
      const columns = Object.keys(approver);
      await this.execute(
        'insert approver',
        () => `insert into desk_hold_approvers (${columns.join(', ')})
          values (${placeholdersFor(columns)})`,
        Object.values(approver),
      );
    }
  }
}

/** The number of some holds, and how many of them have each of some words. */
interface Frequencies {
  readonly total: number;
  readonly counts: readonly number[];
}

/**
 * Selects the words for the index. A search of the index reads every hold with a word that begins
 * like a given word. So common words are verified only in the holds that the other words find.
 */
function splitByFrequency(words: readonly string[], { total, counts }: Frequencies): SearchedWords {
  const least = Math.min(...counts);
  const isRare = (index: number) => (counts[index] ?? 0) <= Math.max(least, total * RARE);
  return {
    indexed: words.filter((_, index) => isRare(index)),
    verified: words.filter((_, index) => !isRare(index)),
  };
}

/** Limits a query to the first holds in the order of lists. */
function inOrder<Row>(
  found: SelectQueryBuilder<Database, 'desk_holds', Row>,
  limit: number,
): SelectQueryBuilder<Database, 'desk_holds', Row> {
  return found
    .orderBy('created_at')
    .orderBy('run_id')
    .orderBy('call_index')
    .orderBy('id')
    .limit(limit);
}

type Approver = Database['desk_hold_approvers'];
type ApproverName = readonly [kind: Approver['kind'], name: string];

/** The order of holds in the index of approvers. */
const APPROVER_ORDER = ['createdAt', 'runId', 'callIndex', 'holdId'];

/** Returns everything that requirements may name an approver by. */
function approverNames(
  approver: NonNullable<StoredHoldQuery['eligible']>,
): readonly ApproverName[] {
  const all = [approver, ...(approver.delegators ?? [])];
  const roles = [...new Set(all.flatMap((one) => one.roles ?? []))];
  const people = [...new Set(all.map(personKey))];
  return [
    ['everyone', ''],
    ...people.map((key) => ['person', key] as const),
    ...roles.map((role) => ['role', role] as const),
  ];
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

/** Decisions on holds. */
export class SqlDecisions extends SqlTable<DecisionRow, DecisionKey> implements ReadDecisions {
  constructor(context: SqlContext) {
    super(context, DECISIONS);
  }

  ofHold(tenant: string, holdId: string): Promise<readonly DecisionRow[]> {
    return this.where('tenant = ? and hold_id = ? order by number', [tenant, holdId]);
  }
}
