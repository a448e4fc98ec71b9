import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Db } from './database.ts';

/** The column types of the database, as in `ColumnTypes`. */
interface PeopleColumnTypes {
  readonly integer: string;
  readonly facts: string;
  readonly document: string;
}

/**
 * Adds escalation, delegations and comments. The previous version ignores them. It rejects
 * decisions about escalated holds and holds with a delegated vote, because their hash in the audit
 * differs from the hash that it computes.
 */
export function peopleSchema({ integer, facts, document }: PeopleColumnTypes): Migration {
  const statements = [
    `alter table desk_holds add column escalated_after ${integer}`,
    `alter table desk_holds add column reminded_after ${integer}`,
    `alter table desk_decisions add column on_behalf_of ${facts}`,
    `alter table desk_decisions add column delegator_key text`,
    `create index desk_decisions_delegator on desk_decisions (tenant, delegator_key)
      where delegator_key is not null`,

    `create table desk_delegations (
      tenant text not null,
      id text not null,
      delegator ${facts} not null,
      delegator_key text not null,
      delegate ${facts} not null,
      delegate_key text not null,
      roles ${facts} not null,
      ends_at ${integer} not null,
      created_by ${facts} not null,
      created_at ${integer} not null,
      revoked_at ${integer},
      revoked_by ${facts},
      primary key (tenant, id))`,
    `create index desk_delegations_created on desk_delegations (tenant, created_at, id)`,
    `create index desk_delegations_delegate on desk_delegations (tenant, delegate_key, ends_at)
      where revoked_at is null`,
    `create index desk_delegations_delegator on desk_delegations (tenant, delegator_key)`,

    `create table desk_comments (
      tenant text not null,
      hold_id text not null,
      number ${integer} not null,
      "by" ${facts} not null,
      person_key text not null,
      text ${document} not null,
      at ${integer} not null,
      primary key (tenant, hold_id, number),
      foreign key (tenant, hold_id) references desk_holds (tenant, id) on delete cascade)`,
    `create index desk_comments_person on desk_comments (tenant, person_key)`,
  ];
  return {
    async up(db: Db) {
      for (const statement of statements) await sql.raw(statement).execute(db);
    },
  };
}
