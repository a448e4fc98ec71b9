import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Db } from './database.ts';

/** Options of {@link approverOrderSchema}. */
interface ApproverOrderOptions {
  readonly types: { readonly integer: string };
  /** Statements that create a trigger, which fills the order of approvers that the version before inserts. */
  readonly approverTrigger: readonly string[];
}

/** Adds the order of holds to the index of their approvers, so that the oldest holds of an approver come first. */
export function approverOrderSchema({ types, approverTrigger }: ApproverOrderOptions): Migration {
  const ofHold = (column: string) => `${column} = (select h.${column} from desk_holds h
    where h.tenant = desk_hold_approvers.tenant and h.id = desk_hold_approvers.hold_id)`;
  const statements = [
    `alter table desk_hold_approvers add column created_at ${types.integer}`,
    `alter table desk_hold_approvers add column run_id text`,
    `alter table desk_hold_approvers add column call_index ${types.integer}`,
    ...approverTrigger,
    `update desk_hold_approvers set ${['created_at', 'run_id', 'call_index'].map(ofHold).join(', ')}`,
    `create index desk_hold_approvers_order on desk_hold_approvers
      (tenant, kind, name, created_at, run_id, call_index, hold_id)`,
  ];
  return {
    async up(db: Db) {
      for (const statement of statements) await sql.raw(statement).execute(db);
    },
  };
}
