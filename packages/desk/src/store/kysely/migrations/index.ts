import type { Database } from '../kysely-table.ts';
import { tables } from './0001-tables.ts';
import { approvers } from './0002-approvers.ts';
import { peopleComeIn } from './0003-people-come-in.ts';
import { policy } from './0004-policy.ts';
import { promises } from './0005-promises.ts';
import { redaction } from './0006-redaction.ts';

/** The databases that have tables. */
export type Dialect = 'sqlite' | 'postgres';

/** Changes the tables, inside of a transaction. */
type Migration = (db: Database, now: number, dialect: Dialect) => Promise<void>;

/** Changes of the tables, in order. What was released is not changed any more. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = Object.freeze({
  '0001-tables': tables,
  '0002-approvers': approvers,
  '0003-people-come-in': peopleComeIn,
  '0004-policy': policy,
  '0005-promises': promises,
  '0006-redaction': redaction,
});
