import { UserError } from 'holdpoint';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';

/** The migrations of a database, compared with those of this version of the software. */
export interface SchemaStatus {
  /** Migrations of this version that the database has, in order. */
  readonly applied: readonly string[];
  /** Migrations of this version that the database lacks, in order. */
  readonly pending: readonly string[];
  /** Migrations that the database has and this version does not know, in order. */
  readonly newer: readonly string[];
}

/** The part of `desk_migrations` that is read. Kysely writes the table. */
type MigrationsTable = Readonly<Record<'desk_migrations', { readonly name: string }>>;

/** Compares the migrations of the database with the known ones. `hasTable` finds the table of migrations. */
export async function readSchemaStatus(
  db: Db,
  known: readonly string[],
  hasTable: RawBuilder<unknown>,
): Promise<SchemaStatus> {
  const { rows } = await sql<{ found: number | boolean }>`select ${hasTable} as found`.execute(db);
  if (!rows[0]?.found) return { applied: [], pending: known, newer: [] };
  const stored = await db
    .withTables<MigrationsTable>()
    .selectFrom('desk_migrations')
    .select('name')
    .orderBy('name')
    .execute();
  const names = stored.map(({ name }) => name);
  return {
    applied: known.filter((name) => names.includes(name)),
    pending: known.filter((name) => !names.includes(name)),
    newer: names.filter((name) => !known.includes(name)),
  };
}

/**
 * The end of the name of a migration that is compatible with older software. It names the migration
 * that the software needs at least.
 */
const SINCE = /\.since-(\d{4})$/;

/**
 * Throws if a newer version has changed the tables in a way that this version does not work with. The name of a
 * migration declares this: `0007-drop-x.since-0005` works with software that has `0005` or a later migration.
 */
export function requireCompatible({ applied, pending, newer }: SchemaStatus): void {
  const latest = Number([...applied, ...pending].at(-1)?.slice(0, 4));
  const incompatible = newer.filter((name) => !(Number(SINCE.exec(name)?.[1]) <= latest));
  if (incompatible.length > 0 || (newer.length > 0 && pending.length > 0)) {
    throw new UserError(
      `A newer version of \`@holdpoint/desk\` has changed the tables (${newer.join(', ')}). Use that version, or a later one.`,
    );
  }
}

/** Throws unless the tables are as this version needs them, or newer and compatible. */
export function requireCurrentSchema(status: SchemaStatus): void {
  requireCompatible(status);
  if (status.pending.length === 0) return;
  throw new UserError(
    `The tables of the database are too old for this version. Missing: ${status.pending.join(', ')}. Run ` +
      '`holdpoint migrate` as the owner of the tables, or open the store without `migrate: false`.',
  );
}
