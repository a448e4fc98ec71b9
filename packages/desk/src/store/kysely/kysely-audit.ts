import { sql } from 'kysely';
import type { AuditRow } from '../../model/audit-row.ts';
import type { Audit } from '../store.ts';
import { AUDIT } from '../tables/specs.ts';
import { type Database, type Flavour, KyselyTable } from './kysely-table.ts';

/** Audits in a database. */
export class KyselyAudit implements Audit {
  readonly #rows: Rows;

  constructor(db: Database, flavour: Flavour) {
    this.#rows = new Rows(db, AUDIT, flavour);
  }

  ofRun(tenant: string, runId: string, after: number, limit: number): Promise<readonly AuditRow[]> {
    return this.#rows.after(tenant, runId, after, limit);
  }

  async append(row: AuditRow): Promise<void> {
    if (await this.#rows.insert(row)) return;
    throw new Error(`The audit of run '${row.runId}' has an entry ${row.number} already.`);
  }
}

class Rows extends KyselyTable<AuditRow, readonly [string, string, number]> {
  after(tenant: string, runId: string, after: number, limit: number): Promise<AuditRow[]> {
    return this.all(
      sql`tenant = ${tenant} and run_id = ${runId} and number > ${after} order by number limit ${limit}`,
    );
  }
}
