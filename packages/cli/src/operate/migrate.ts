import {
  postgresMigrator,
  type SchemaMigrator,
  type SchemaStatus,
  sqliteMigrator,
} from '@holdpoint/desk';
import { UsageError } from '../errors.ts';
import { Screen } from '../terminal/screen.ts';
import { openPool, parseDatabase } from './database.ts';

/** Options of `holdpoint migrate`. */
export interface MigrateOptions {
  readonly database?: string | undefined;
  readonly dryRun?: true | undefined;
  /** In milliseconds. */
  readonly lockTimeout?: number | undefined;
  readonly appRole?: string | undefined;
  readonly json?: true | undefined;
}

/** Applies the pending migrations, or prints their statements. */
export async function migrateDatabase(options: MigrateOptions): Promise<void> {
  await withMigrator(options, async (migrator) => {
    const screen = new Screen(process.stdout);
    if (options.dryRun) {
      for (const statement of await migrator.pendingSql()) screen.write(`${statement};\n\n`);
      return;
    }
    const applied = await migrator.migrate();
    if (options.json) return screen.write(`${JSON.stringify({ applied })}\n`);
    const lines = applied.map((name) => `Applied ${name}.`);
    for (const text of lines.length === 0 ? ['The tables are current.'] : lines)
      screen.plain({ text });
  });
}

/** Prints the migrations of a database. Returns 0 if none are pending, and 3 otherwise. */
export async function showSchemaStatus(options: MigrateOptions): Promise<number> {
  return withMigrator(options, async (migrator) => {
    const status = await migrator.status();
    const screen = new Screen(process.stdout);
    if (options.json) screen.write(`${JSON.stringify(status)}\n`);
    else screen.plain(...statusLines(status).map((text) => ({ text })));
    return status.pending.length === 0 ? 0 : PENDING;
  });
}

const PENDING = 3;

function statusLines({ applied, pending, newer }: SchemaStatus): readonly string[] {
  return [
    ...applied.map((name) => `applied  ${name}`),
    ...pending.map((name) => `pending  ${name}`),
    ...newer.map((name) => `newer    ${name} (of a later version of the software)`),
  ];
}

async function withMigrator<Result>(
  { database, lockTimeout, appRole }: MigrateOptions,
  work: (migrator: SchemaMigrator) => Promise<Result>,
): Promise<Result> {
  const text = database || process.env['HOLDPOINT_DATABASE'] || process.env['DATABASE_URL'];
  if (!text) throw new UsageError('Missing option: --database <address>, or HOLDPOINT_DATABASE.');
  const address = parseDatabase(text);
  if (address.kind === 'sqlite') {
    if (appRole !== undefined) {
      throw new UsageError('SQLite has no roles. Leave out --app-role.');
    }
    return work(sqliteMigrator({ path: address.path, lockTimeout }));
  }
  const pool = await openPool(address.url, { max: 2 });
  try {
    return await work(postgresMigrator({ pool, lockTimeout, appRole }));
  } finally {
    await pool.end();
  }
}
