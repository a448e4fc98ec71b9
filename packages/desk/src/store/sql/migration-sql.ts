import { type CompiledQuery, type Dialect, DummyDriver, Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { Database } from './database.ts';

/** Returns the statements of migrations without executing them. */
export async function migrationSql(
  migrations: readonly Migration[],
  dialect: Dialect,
): Promise<readonly string[]> {
  const statements: string[] = [];
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (of) => dialect.createIntrospector(of),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => new DummyDriver(),
    },
    log: ({ query }) => void statements.push(withValues(query)),
  });
  for (const { up } of migrations) await up(db);
  return statements;
}

/** Puts the values of a statement in the place of its parameters. */
function withValues({ sql, parameters }: CompiledQuery): string {
  let next = 0;
  return sql.replaceAll(/\$(\d+)|\?/g, (_, number?: string) => {
    const index = number === undefined ? next++ : Number(number) - 1;
    const value = parameters[index];
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  });
}
