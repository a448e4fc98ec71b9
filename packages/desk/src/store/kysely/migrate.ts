import { sql } from 'kysely';
import type { Database } from './kysely-table.ts';
import { type Dialect, MIGRATIONS } from './migrations/index.ts';

/**
 * Brings the tables up to date, inside of a transaction in which nobody else does.
 *
 * A database that a newer version has changed is refused: it may rely on what this one does not know.
 */
export async function migrate(db: Database, now: number, dialect: Dialect): Promise<void> {
  await sql`create table if not exists desk_migrations (name text primary key, at bigint not null)`.execute(
    db,
  );
  const { rows } = await sql<{ name: string }>`select name from desk_migrations`.execute(db);
  const done = new Set(rows.map(({ name }) => name));
  const unknown = [...done].filter((name) => !Object.hasOwn(MIGRATIONS, name));
  if (unknown.length > 0) {
    throw new Error(
      `The database was changed by a newer version of the desk (${unknown.join(', ')}). Use that version.`,
    );
  }
  for (const [name, migration] of Object.entries(MIGRATIONS)) {
    if (done.has(name)) continue;
    await migration(db, now, dialect);
    await sql`insert into desk_migrations (name, at) values (${name}, ${now})`.execute(db);
  }
}
