import type { Database } from '../kysely-table.ts';
import { tables } from './0001-tables.ts';
import { approvers } from './0002-approvers.ts';
import { peopleComeIn } from './0003-people-come-in.ts';
import { policy } from './0004-policy.ts';
import { redaction } from './0006-redaction.ts';

/** Changes of the tables, in order. What was released is not changed any more. */
export const MIGRATIONS: Readonly<Record<string, (db: Database, now: number) => Promise<void>>> =
  Object.freeze({
    '0001-tables': tables,
    '0002-approvers': approvers,
    '0003-people-come-in': peopleComeIn,
    '0004-policy': policy,
    '0006-redaction': redaction,
  });
