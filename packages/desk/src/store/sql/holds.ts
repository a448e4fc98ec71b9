import { requirementsOf } from '../../approvers/requirements.ts';
import { personKey } from '../../approvers/same-person.ts';
import type { DecisionRow } from '../../model/decision-row.ts';
import type { HoldRow } from '../../model/hold-row.ts';
import {
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
    let found = this.#select.where('tenant', '=', tenant);
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
    if (text !== undefined) {
      const words = searchWords(text);
      if (words.length === 0) return { items: [] };
      found = found.where(this.dialect.hasWords(words));
    }
    if (idPrefix !== undefined) found = found.where(hasIdPrefix(idPrefix));
    if (query.redactionRules !== undefined) {
      found = found.where('redaction_rules', '=', query.redactionRules);
    }
    if (eligible !== undefined) {
      found = found.where('id', 'in', (eb) =>
        eb
          .selectFrom('desk_hold_approvers')
          .select('hold_id')
          .where('desk_hold_approvers.tenant', '=', tenant)
          .where((of) =>
            of.or([
              of('desk_hold_approvers.kind', '=', 'everyone'),
              of.and([
                of('desk_hold_approvers.kind', '=', 'person'),
                of('name', '=', personKey(eligible)),
              ]),
              ...(eligible.roles ?? []).map((role) =>
                of.and([of('desk_hold_approvers.kind', '=', 'role'), of('name', '=', role)]),
              ),
            ]),
          ),
      );
    }
    if (cursor !== undefined) found = found.where(isBeyond(HOLD_ORDER, '>', cursor));
    return pageOf(
      await this.all(
        found
          .orderBy('created_at')
          .orderBy('run_id')
          .orderBy('call_index')
          .orderBy('id')
          .limit(limit + 1),
      ),
      limit,
      HOLD_ORDER,
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

  get #select() {
    return this.db.selectFrom('desk_holds').select(HOLD_COLUMNS);
  }

  /** Only open holds have approvers, so a list of what an approver may decide reads few rows. */
  async #insertApprovers(hold: HoldRow): Promise<void> {
    const approvers = approversOf(hold);
    if (approvers.length === 0) return;
    await this.db.insertInto('desk_hold_approvers').values(approvers).execute();
  }
}

type Approver = Database['desk_hold_approvers'];

/** Returns all approvers that a requirement of an open hold names. A settled hold has none. */
export function approversOf(hold: HoldRow): Approver[] {
  const { tenant, id, state } = hold;
  if (state !== 'open') return [];
  const approver = (kind: Approver['kind'], name: string) => ({ tenant, hold_id: id, kind, name });
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
