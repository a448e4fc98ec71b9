import { personKey } from '../../approvers/same-person.ts';
import type { DelegationRow } from '../../model/delegation-row.ts';
import {
  DELEGATION_ORDER,
  type DelegationQuery,
  limitOf,
  type Page,
  pageOf,
  readCursor,
} from '../../model/page.ts';
import type { Person } from '../../model/person.ts';
import type { IdKey, ReadDelegations } from '../store.ts';
import { columnNames } from './columns.ts';
import type { TableSpec } from './database.ts';
import { isBeyond, type SqlContext, SqlTable } from './sql-table.ts';

const DELEGATIONS: TableSpec<DelegationRow> = {
  name: 'desk_delegations',
  key: ['tenant', 'id'],
  columns: {
    tenant: 'plain',
    id: 'plain',
    delegator: 'json',
    delegate: 'json',
    roles: 'json',
    endsAt: 'plain',
    createdBy: 'json',
    createdAt: 'plain',
    revokedAt: 'plain',
    revokedBy: 'json',
  },
  derived: ({ delegator, delegate }) => ({
    delegator_key: personKey(delegator),
    delegate_key: personKey(delegate),
  }),
};

const COLUMNS = columnNames(DELEGATIONS);

/** The maximum number of live delegations to one person that are read. */
const MAX_LIVE = 100;

/** Delegations. */
export class SqlDelegations extends SqlTable<DelegationRow, IdKey> implements ReadDelegations {
  constructor(context: SqlContext) {
    super(context, DELEGATIONS);
  }

  liveTo(tenant: string, delegate: Person, now: number): Promise<readonly DelegationRow[]> {
    return this.all(
      this.#select
        .where('tenant', '=', tenant)
        .where('delegate_key', '=', personKey(delegate))
        .where('revoked_at', 'is', null)
        .where('ends_at', '>', now)
        .orderBy('created_at')
        .orderBy('id')
        .limit(MAX_LIVE),
    );
  }

  async list(tenant: string, query: DelegationQuery, now: number): Promise<Page<DelegationRow>> {
    const limit = limitOf(query);
    const cursor = readCursor(query, DELEGATION_ORDER);
    let found = this.#select.where('tenant', '=', tenant);
    if (query.person !== undefined) {
      const key = personKey({ id: query.person });
      found = found.where(({ or, eb }) =>
        or([eb('delegator_key', '=', key), eb('delegate_key', '=', key)]),
      );
    }
    if (query.live === true) {
      found = found.where('revoked_at', 'is', null).where('ends_at', '>', now);
    }
    if (query.live === false) {
      found = found.where(({ or, eb }) =>
        or([eb('revoked_at', 'is not', null), eb('ends_at', '<=', now)]),
      );
    }
    if (cursor !== undefined) found = found.where(isBeyond(DELEGATION_ORDER, '<', cursor));
    const rows = await this.all(
      found
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1),
    );
    return pageOf(rows, limit, DELEGATION_ORDER);
  }

  async removeOf(tenant: string, key: string): Promise<void> {
    await this.db
      .deleteFrom('desk_delegations')
      .where('tenant', '=', tenant)
      .where(({ or, eb }) => or([eb('delegator_key', '=', key), eb('delegate_key', '=', key)]))
      .execute();
  }

  get #select() {
    return this.db.selectFrom('desk_delegations').select(COLUMNS);
  }
}
