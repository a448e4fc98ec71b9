import type { InputRow, InputState } from '../../model/input-row.ts';
import type { InputKey, ReadInputs } from '../store.ts';
import { INPUTS } from '../tables/specs.ts';
import { MemoryTable } from './memory-table.ts';

/** Inputs of runs in memory. */
export class MemoryInputs extends MemoryTable<InputRow, InputKey> implements ReadInputs {
  constructor() {
    super(INPUTS, [idempotencyKeyOf]);
  }

  async byIdempotencyKey(
    tenant: string,
    requesterKey: string,
    idempotencyKey: string,
  ): Promise<InputRow | undefined> {
    return [...this.rows.values()].find(
      (row) =>
        row.tenant === tenant &&
        row.requesterKey === requesterKey &&
        row.idempotencyKey === idempotencyKey,
    );
  }

  async ofRun(
    tenant: string,
    runId: string,
    states: readonly InputState[],
  ): Promise<readonly InputRow[]> {
    return [...this.rows.values()]
      .filter((row) => row.tenant === tenant && row.runId === runId && states.includes(row.state))
      .toSorted((a, b) => a.number - b.number);
  }
}

function idempotencyKeyOf(row: InputRow): string | undefined {
  const { tenant, requesterKey, idempotencyKey } = row;
  if (idempotencyKey === undefined) return undefined;
  return JSON.stringify([tenant, requesterKey, idempotencyKey]);
}
