import { sql } from 'kysely';
import type { ColumnTypes, MigrateOptions } from '../sql/migrations.ts';

const COLUMN_TYPES: ColumnTypes = {
  integer: 'integer',
  boolean: 'integer',
  facts: 'text',
  document: 'text',
};

/** Returns the options of the migrations. */
export function schemaOptions(now: number): MigrateOptions {
  return {
    types: COLUMN_TYPES,
    now,
    hasTable: sql`(select count(*) from sqlite_master where name = 'desk_migrations')`,
  };
}
