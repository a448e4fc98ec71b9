import type { TableSpec } from '../sql/database.ts';
import type { SqlTx } from '../sql/sql-tx.ts';
import type { BufferedWrite, WriteBuffer } from './write-buffer.ts';

/** The operations that make buffered writes to a table. */
interface WritableTable {
  insert(row: object): Promise<boolean>;
  remember(row: object): void;
  put(row: object): Promise<void>;
  remove(...key: readonly (string | number)[]): Promise<void>;
}

/** Makes the writes of a transaction whose rows have not changed since they were read. */
export async function applyWrites({ writes, events }: WriteBuffer, tx: SqlTx): Promise<void> {
  for (const write of writes) await applyWrite(write, tableOf(tx, write.spec));
  for (const event of events) await tx.outbox.insert(event);
}

async function applyWrite(write: BufferedWrite, table: WritableTable): Promise<void> {
  switch (write.kind) {
    case 'insert':
      if (await table.insert(write.row)) return;
      throw new Error(`${write.spec.name} has a row that this process did not know.`);
    case 'update':
      table.remember(write.before.row);
      return table.put(write.row);
    case 'delete':
      return table.remove(...write.key);
  }
}

function tableOf(tx: SqlTx, { name }: TableSpec<object>): WritableTable {
  switch (name) {
    case 'desk_runs':
      return tx.runs;
    case 'desk_tasks':
      return tx.tasks;
    case 'desk_inputs':
      return tx.inputs;
    case 'desk_conversations':
      return tx.conversations;
    case 'desk_messages':
      return tx.messages;
    case 'desk_holds':
      return tx.holds;
    case 'desk_decisions':
      return tx.decisions;
    case 'desk_audit':
      return tx.audit;
    case 'desk_entries':
      return tx.entries;
    default:
      throw new Error(`A transaction about a run does not write to ${name}.`);
  }
}
