import type { AnswerRow } from '../../model/answer-row.ts';
import type { GrantRow } from '../../model/grant-row.ts';
import {
  compareCursors as compare,
  type Cursor,
  cursorOf,
  GRANT_ORDER,
  type GrantQuery,
  limitOf,
  type Page,
  pageOf,
  readCursor,
  readIdPrefix,
} from '../../model/page.ts';
import type { GrantedCall, HoldAnswerKey, IdKey, ReadAnswers, ReadGrants } from '../store.ts';
import { ANSWERS, GRANTS } from '../tables/specs.ts';
import { MemoryTable } from './memory-table.ts';

/** Answers in memory. */
export class MemoryAnswers extends MemoryTable<AnswerRow, HoldAnswerKey> implements ReadAnswers {
  constructor() {
    super(ANSWERS);
  }

  async ofHold(tenant: string, holdId: string): Promise<readonly AnswerRow[]> {
    return [...this.rows.values()]
      .filter((row) => row.tenant === tenant && row.holdId === holdId)
      .toSorted((a, b) => a.number - b.number);
  }
}

/** Grants in memory. */
export class MemoryGrants extends MemoryTable<GrantRow, IdKey> implements ReadGrants {
  constructor() {
    super(GRANTS);
  }

  async liveFor(tenant: string, call: GrantedCall, now: number): Promise<readonly GrantRow[]> {
    return this.#of(tenant)
      .filter((grant) => grant.toolHash === call.toolHash && isInScope(grant, call))
      .filter((grant) => isLive(grant, now))
      .toSorted((a, b) => compare(grantCursor(a), grantCursor(b)));
  }

  async list(tenant: string, query: GrantQuery, now: number): Promise<Page<GrantRow>> {
    const limit = limitOf(query);
    const cursor = readCursor(query, GRANT_ORDER);
    const idPrefix = readIdPrefix(query) ?? '';
    const found = this.#of(tenant).filter(
      (grant) =>
        (query.live === undefined || query.live === isLive(grant, now)) &&
        grant.id.startsWith(idPrefix) &&
        (cursor === undefined || compare(grantCursor(grant), cursor) < 0),
    );
    const sorted = found.toSorted((a, b) => compare(grantCursor(b), grantCursor(a)));
    return pageOf(sorted.slice(0, limit + 1), limit, GRANT_ORDER);
  }

  #of(tenant: string): GrantRow[] {
    return [...this.rows.values()].filter((grant) => grant.tenant === tenant);
  }
}

const grantCursor = (grant: GrantRow): Cursor => cursorOf(grant, GRANT_ORDER);

function isInScope(grant: GrantRow, { agent, conversationId, requesterKey }: GrantedCall): boolean {
  if (grant.scope === 'tenant') return true;
  if (grant.agent !== agent) return false;
  if (grant.scope === 'agent') return true;
  if (grant.scope === 'conversation') return grant.conversationId === conversationId;
  return requesterKey !== undefined && grant.requesterKey === requesterKey;
}

function isLive({ revokedAt, expiresAt, uses, used }: GrantRow, now: number): boolean {
  if (revokedAt !== undefined) return false;
  return (expiresAt === undefined || expiresAt > now) && (uses === undefined || used < uses);
}
