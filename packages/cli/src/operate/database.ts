import { UserError } from 'holdpoint';
import type { Pool } from 'pg';

/** A database that a command works on. */
export type DatabaseAddress =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'sqlite'; readonly path: string };

/** Reads the address of a database: a connection string of PostgreSQL, or the path of an SQLite file. */
export function parseDatabase(text: string): DatabaseAddress {
  if (/^postgres(ql)?:\/\//.test(text)) return { kind: 'postgres', url: text };
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(text) ?? [];
  if (scheme === undefined && text !== '') return { kind: 'sqlite', path: text };
  // The text may contain a password, so only its scheme is quoted.
  throw new UserError(
    `The database has the scheme \`${scheme ?? ''}\`. Pass \`postgres://…\` or the path of an SQLite file.`,
  );
}

/** Opens a pool. `pg` is installed beside the application, not by this package. */
export async function openPool(
  connectionString: string,
  options: { readonly max: number },
): Promise<Pool> {
  const pg = await import('pg').catch((cause: unknown) => {
    throw new UserError(
      'PostgreSQL needs the package `pg`, which cannot be loaded. Install it with `npm install pg`.',
      { cause, code: 'missing-package' },
    );
  });
  return new pg.Pool({ connectionString, ...options });
}
