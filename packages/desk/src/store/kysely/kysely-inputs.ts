import { sql } from 'kysely';
import type { InputRow, InputState } from '../../model/input-row.ts';
import type { InputKey, ReadInputs } from '../store.ts';
import { isOneOf } from './conditions.ts';
import { KyselyTable } from './kysely-table.ts';

/** Inputs of runs in a database. */
export class KyselyInputs extends KyselyTable<InputRow, InputKey> implements ReadInputs {
  byIdempotencyKey(
    tenant: string,
    requesterKey: string,
    idempotencyKey: string,
  ): Promise<InputRow | undefined> {
    return this.first(
      sql`tenant = ${tenant} and requester_key = ${requesterKey} and idempotency_key = ${idempotencyKey}`,
    );
  }

  ofRun(
    tenant: string,
    runId: string,
    states: readonly InputState[],
  ): Promise<readonly InputRow[]> {
    return this.all(
      sql`tenant = ${tenant} and run_id = ${runId} and ${isOneOf('state', states)} order by number`,
    );
  }
}
