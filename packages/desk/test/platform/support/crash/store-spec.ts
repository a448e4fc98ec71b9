import { DeskError, postgresStore, sqliteStore, type Store } from '@holdpoint/desk';
import { Pool } from 'pg';

/** The address of the store that all processes share. */
export type StoreSpec =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

/** Opens the store, and retries after a lost connection. */
export async function openStore(spec: StoreSpec): Promise<Store> {
  for (;;) {
    try {
      return await open(spec);
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
    }
  }
}

async function open(spec: StoreSpec): Promise<Store> {
  if (spec.kind === 'sqlite') return sqliteStore({ path: spec.path });
  const pool = new Pool({ connectionString: spec.url, max: 6 });
  const store = await postgresStore({ pool });
  const close = async () => {
    await store.close();
    await pool.end();
  };
  return {
    write: (work, options) => store.write(work, options),
    read: (work, options) => store.read(work, options),
    onDue: (listener) => store.onDue(listener),
    markRestoredFromBackup: (time) => store.markRestoredFromBackup(time),
    close,
    [Symbol.asyncDispose]: close,
  };
}
