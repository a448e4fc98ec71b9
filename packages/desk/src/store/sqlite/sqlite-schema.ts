import { sql } from 'kysely';
import type { ColumnTypes, MigrateOptions } from '../sql/migrations.ts';

const COLUMN_TYPES: ColumnTypes = {
  integer: 'integer',
  boolean: 'integer',
  facts: 'text',
  document: 'text',
};

/** The index of words, which follows the table of holds. */
const SEARCH_INDEX: readonly string[] = [
  `create virtual table desk_hold_words using fts5 (
    search_words, content = 'desk_holds', tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N*'")`,
  `create trigger desk_holds_insert_words after insert on desk_holds begin
    insert into desk_hold_words (rowid, search_words) values (new.rowid, new.search_words);
  end`,
  `create trigger desk_holds_delete_words after delete on desk_holds begin
    insert into desk_hold_words (desk_hold_words, rowid, search_words)
      values ('delete', old.rowid, old.search_words);
  end`,
  `create trigger desk_holds_update_words after update of search_words on desk_holds begin
    insert into desk_hold_words (desk_hold_words, rowid, search_words)
      values ('delete', old.rowid, old.search_words);
    insert into desk_hold_words (rowid, search_words) values (new.rowid, new.search_words);
  end`,
];

const APPROVER_TRIGGER: readonly string[] = [
  `create trigger desk_hold_approvers_order after insert on desk_hold_approvers
    when new.created_at is null begin
    update desk_hold_approvers set (created_at, run_id, call_index) = (
      select h.created_at, h.run_id, h.call_index from desk_holds h
      where h.tenant = new.tenant and h.id = new.hold_id)
      where rowid = new.rowid;
  end`,
];

/** Returns the options of the migrations. */
export function schemaOptions(now: number): MigrateOptions {
  return {
    types: COLUMN_TYPES,
    now,
    extra: SEARCH_INDEX,
    approverTrigger: APPROVER_TRIGGER,
    hasTable: sql`(select count(*) from sqlite_master where name = 'desk_migrations')`,
  };
}
