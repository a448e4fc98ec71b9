import {
  AUDIT,
  columnOf,
  DECISIONS,
  ENTRIES,
  HOLDS,
  INPUTS,
  MESSAGES,
  RUNS,
  TASKS,
  type TableSpec,
} from '../sql/database.ts';
import { decodeRow } from '../sql/sql-table.ts';
import { type KnownRow, rowAsJson, type RunKnowledge } from './run-knowledge.ts';

/** The entries of the ledger that are read with a run: those that changed last. */
const MAX_ENTRIES = 100;

const IS_HOLD_OF_RUN = `h.tenant = s.tenant and h.run_id = s.run_id and h.state <> 'consumed'`;

/** The columns of a statement that reads a run. `s` has the columns `tenant` and `run_id`. */
const KNOWLEDGE_COLUMNS = `
  (select value from desk_meta where name = 'restored_from_backup_at') as restored_from_backup_at,
  (select ${rowAsJson(RUNS, 'r')} from desk_runs r
    where r.tenant = s.tenant and r.id = s.run_id) as run,
  (select json_agg(${rowAsJson(HOLDS, 'h')} order by h.park, h.call_index) from desk_holds h
    where ${IS_HOLD_OF_RUN}) as holds,
  (select json_agg(${rowAsJson(DECISIONS, 'd')} order by d.hold_id, d.number)
    from desk_holds h join desk_decisions d on d.tenant = h.tenant and d.hold_id = h.id
    where ${IS_HOLD_OF_RUN}) as decisions,
  (select json_agg(${rowAsJson(INPUTS, 'i')} order by i.number) from desk_inputs i
    where i.tenant = s.tenant and i.run_id = s.run_id) as inputs,
  (select json_agg(e.entry) from (
    select ${rowAsJson(ENTRIES, 'e')} as entry from desk_entries e
    where e.tenant = s.tenant and e.run_id = s.run_id
    order by e.changed_at desc limit ${MAX_ENTRIES}) e) as entries,
  (select min(h.audit_from) from desk_holds h where ${IS_HOLD_OF_RUN}) as audit_after,
  (select json_agg(${rowAsJson(AUDIT, 'a')} order by a.number) from desk_audit a
    where a.tenant = s.tenant and a.run_id = s.run_id
      and a.number > (select min(h.audit_from) from desk_holds h where ${IS_HOLD_OF_RUN})) as audit`;

const TASK_COLUMN = `(select ${rowAsJson(TASKS, 't')} from desk_tasks t
  where t.tenant = s.tenant and t.kind = 'run' and t.id = s.run_id) as task`;

const MESSAGE_COUNT = `(select coalesce(max(m.position) + 1, 0) from desk_messages m
  join desk_runs r on r.tenant = m.tenant and r.conversation_id = m.conversation_id
  where r.tenant = s.tenant and r.id = s.run_id) as message_count`;

/** The columns of a claim that read its run, with the messages. */
export const CLAIMED_RUN_COLUMNS: string = `${KNOWLEDGE_COLUMNS},
  (select json_agg(${rowAsJson(MESSAGES, 'm')} order by m.position) from desk_messages m
    join desk_runs r on r.tenant = m.tenant and r.conversation_id = m.conversation_id
    where r.tenant = s.tenant and r.id = s.run_id) as messages`;

/** Reads a run by its id. */
export const LOAD_RUN: string = `select s.run_id, ${KNOWLEDGE_COLUMNS}, ${TASK_COLUMN}, ${MESSAGE_COUNT}
  from (select $1::text as tenant, $2::text as run_id) s`;

/** Reads the run of a hold. */
export const LOAD_RUN_OF_HOLD: string = `select s.run_id, ${KNOWLEDGE_COLUMNS}, ${TASK_COLUMN}, ${MESSAGE_COUNT}
  from desk_holds s where s.tenant = $1 and s.id = $2`;

/** The result of a statement that reads a run: JSON as text, numbers as numbers. */
export interface LoadedRun {
  readonly run_id: string;
  readonly run: string | null;
  readonly task?: string | null;
  readonly holds: string | null;
  readonly decisions: string | null;
  readonly inputs: string | null;
  readonly entries: string | null;
  readonly audit: string | null;
  readonly audit_after: number | null;
  readonly message_count?: number | null;
  readonly messages?: string | null;
  readonly restored_from_backup_at: number;
}

/** Converts the result of a statement that reads a run. */
export function knowledgeOf(loaded: LoadedRun): RunKnowledge {
  const messages =
    loaded.messages === undefined ? undefined : rowsOf(decodeAll(MESSAGES, loaded.messages));
  const audit = rowsOf(decodeAll(AUDIT, loaded.audit));
  return {
    run: decodeOne(RUNS, loaded.run),
    task: decodeOne(TASKS, loaded.task),
    holds: decodeAll(HOLDS, loaded.holds),
    decisions: rowsOf(decodeAll(DECISIONS, loaded.decisions)),
    inputs: decodeAll(INPUTS, loaded.inputs),
    entries: decodeAll(ENTRIES, loaded.entries),
    audit,
    auditAfter: loaded.audit_after ?? Number.POSITIVE_INFINITY,
    messageCount: messages?.length ?? loaded.message_count ?? 0,
    messages,
    restoredFromBackupAt: loaded.restored_from_backup_at,
  };
}

function rowsOf<Row>(known: readonly KnownRow<Row>[]): readonly Row[] {
  return known.map(({ row }) => row);
}

function decodeOne<Row extends object>(
  spec: TableSpec<Row>,
  text: string | null | undefined,
): KnownRow<Row> | undefined {
  return text === null || text === undefined ? undefined : decodeArray(spec, JSON.parse(text));
}

function decodeAll<Row extends object>(
  spec: TableSpec<Row>,
  text: string | null,
): readonly KnownRow<Row>[] {
  if (text === null) return [];
  // `rowAsJson` writes arrays.
  const rows = JSON.parse(text) as readonly (readonly unknown[])[];
  return rows.map((row) => decodeArray(spec, row));
}

/** Converts an array of `rowAsJson`. */
function decodeArray<Row extends object>(
  spec: TableSpec<Row>,
  [version, ...values]: readonly unknown[],
): KnownRow<Row> {
  const columns = Object.keys(spec.columns).map((field, index) => [columnOf(field), values[index]]);
  return { row: decodeRow(spec, Object.fromEntries(columns)), version: String(version) };
}
