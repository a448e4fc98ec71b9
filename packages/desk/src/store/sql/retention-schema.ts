import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Db } from './database.ts';

/** The column types of the database, as in `ColumnTypes`. */
interface RetentionColumnTypes {
  readonly integer: string;
  readonly facts: string;
  readonly document: string;
}

/** Adds the columns and indexes for retention, erasure, dead letters and fairness between tenants. */
export function retentionSchema({ integer, facts, document }: RetentionColumnTypes): Migration {
  const statements = [
    `alter table desk_runs add column history_erased_at ${integer}`,
    `alter table desk_runs add column holds_erased_at ${integer}`,
    `alter table desk_runs add column erased_at ${integer}`,
    // One index for each part that is deleted. A run leaves an index when its part is gone.
    `create index desk_runs_with_history on desk_runs (updated_at, tenant, id)
      where state in ('finished', 'failed', 'cancelled') and history_erased_at is null`,
    `create index desk_runs_with_holds on desk_runs (updated_at, tenant, id)
      where state in ('finished', 'failed', 'cancelled') and holds_erased_at is null`,
    `create index desk_runs_with_content on desk_runs (updated_at, tenant, id)
      where state in ('finished', 'failed', 'cancelled') and erased_at is null`,
    `create index desk_runs_erased on desk_runs (updated_at, tenant, id)
      where state in ('finished', 'failed', 'cancelled') and erased_at is not null`,
    `create index desk_deliveries_delivered on desk_deliveries (changed_at) where state = 'delivered'`,
    // `by` is empty in entries with a commitment, so that the version before computes the same hashes.
    `alter table desk_audit add column person ${facts}`,
    `alter table desk_audit add column salt text`,
    `alter table desk_tasks add column problem ${document}`,
    `alter table desk_tasks add column given_up_at ${integer}`,
    `create index desk_tasks_given_up on desk_tasks (tenant, given_up_at, kind, id)
      where given_up_at is not null`,
    `create index desk_tasks_tenant on desk_tasks (kind, tenant, due) where due is not null`,
    `insert into desk_meta (name, value) values ('retention_due_at', 0)`,
  ];
  return {
    async up(db: Db) {
      for (const statement of statements) await sql.raw(statement).execute(db);
    },
  };
}
