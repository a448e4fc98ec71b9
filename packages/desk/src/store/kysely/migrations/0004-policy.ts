import { sql } from 'kysely';
import { personKey } from '../../../approvers/same-person.ts';
import type { Database } from '../kysely-table.ts';

const STATEMENTS: readonly string[] = [
  'alter table desk_holds add column requirements text',
  'alter table desk_holds add column audit_from bigint',
  'alter table desk_grants add column requester_key text',
  'alter table desk_grants add column audit_entry bigint',
  `create table desk_conversations (
    tenant text not null, id text not null, requesters text not null,
    primary key (tenant, id))`,
  `create index desk_grants_scope on desk_grants (tenant, tool_hash, scope, agent, conversation_id)
    where revoked_at is null`,
];

/** Adds requirements beyond the stored one, the requesters of conversations, and scopes of grants. */
export async function policy(db: Database): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  await fillRequesterKeys(db);
}

async function fillRequesterKeys(db: Database): Promise<void> {
  const { rows } = await sql<{ tenant: string; id: string; requester: string }>`select
    tenant, id, requester from desk_grants where requester is not null`.execute(db);
  for (const { tenant, id, requester } of rows) {
    const key = personKey(JSON.parse(requester));
    await sql`update desk_grants set requester_key = ${key}
      where tenant = ${tenant} and id = ${id}`.execute(db);
  }
}
