import { postgresStore, sqliteStore, type Store } from '@holdpoint/desk';

/** The store of the desk, and a function that ends its connections. */
export interface OpenedStore {
  readonly store: Store;
  close(): Promise<void>;
}

/** Opens PostgreSQL if there is a connection string, and otherwise a SQLite file. */
export async function openStore(databaseUrl: string | undefined): Promise<OpenedStore> {
  if (databaseUrl === undefined || databaseUrl === '') {
    return { store: await sqliteStore({ path: 'desk.db' }), close: async () => {} };
  }
  const { Pool } = await import('pg');
  const pool = new Pool({ connectionString: databaseUrl, max: 10 });
  // Without a listener, a lost connection ends the process.
  pool.on('error', (error) => console.error(`A database connection failed: ${error.message}`));
  return { store: await postgresStore({ pool }), close: () => pool.end() };
}
