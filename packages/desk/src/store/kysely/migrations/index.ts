import type { Database } from '../kysely-table.ts';
import { tables } from './0001-tables.ts';

/** Changes of the tables, in order. What was released is not changed any more. */
export const MIGRATIONS: Readonly<Record<string, (db: Database, now: number) => Promise<void>>> =
  Object.freeze({ '0001-tables': tables });
