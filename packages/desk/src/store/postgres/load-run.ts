import type { HoldRow } from '../../model/hold-row.ts';
import {
  AUDIT,
  DECISIONS,
  ENTRIES,
  HOLDS,
  INPUTS,
  MESSAGES,
  RUNS,
  TASKS,
  type TableSpec,
} from '../sql/database.ts';
import { decodeValues } from '../sql/sql-table.ts';
import type { KnownRow, RunKnowledge } from '../known/run-knowledge.ts';
import { rowAsJson } from './row-as-json.ts';

/** The number of ledger entries that are read with a run, the latest ones. */
const MAX_ENTRIES = 100;

/**
 * The part of a statement that finds the holds that runs have not consumed.
 *
 * Part `s` has a row for each run, with the columns `tenant`, `run_id` and `conversation_id`. The
 * order is that of an index, so that the planner uses this index. While the planner estimates a
 * small table, it could otherwise choose another index with the tenant, and read all holds of the
 * tenant until the next analysis.
 */
export const HELD_PART: string = `held as materialized (select h.* from s cross join lateral (
  select h.tenant, h.run_id, h.id, h.audit_from, ${rowAsJson(HOLDS, 'h')} as hold
  from desk_holds h where h.tenant = s.tenant and h.run_id = s.run_id and h.state <> 'consumed'
  order by h.created_at, h.call_index) h)`;

/** Selects the holds of a run in `s`. */
const HELD_OF_RUN = 'held h where h.tenant = s.tenant and h.run_id = s.run_id';

/** The columns of a statement that reads a run, from `s`. */
const KNOWLEDGE_COLUMNS = `
  (select value from desk_meta where name = 'restored_from_backup_at') as restored_from_backup_at,
  (select json_agg(h.hold) from ${HELD_OF_RUN}) as holds,
  (select json_agg(${rowAsJson(DECISIONS, 'd')} order by d.hold_id, d.number)
    from desk_decisions d join held h on d.tenant = h.tenant and d.hold_id = h.id
    where h.tenant = s.tenant and h.run_id = s.run_id) as decisions,
  (select json_agg(${rowAsJson(INPUTS, 'i')} order by i.number) from desk_inputs i
    where i.tenant = s.tenant and i.run_id = s.run_id) as inputs,
  (select json_agg(e.entry) from (
    select ${rowAsJson(ENTRIES, 'e')} as entry from desk_entries e
    where e.tenant = s.tenant and e.run_id = s.run_id
    order by e.changed_at desc limit ${MAX_ENTRIES}) e) as entries,
  (select json_agg(${rowAsJson(AUDIT, 'a')} order by a.number) from desk_audit a
    where a.tenant = s.tenant and a.run_id = s.run_id
      and a.number > (select min(h.audit_from) from ${HELD_OF_RUN})) as audit`;

/** The columns of a claim that read its run, with the messages. */
export const CLAIMED_RUN_COLUMNS: string = `${KNOWLEDGE_COLUMNS},
  (select json_agg(${rowAsJson(MESSAGES, 'm')} order by m.position) from desk_messages m
    where m.tenant = s.tenant and m.conversation_id = s.conversation_id) as messages`;

/** Returns a statement that reads the run that the conditions select. */
function loadRun(conditions: string): string {
  return `with s as materialized (
      select r.tenant, r.id as run_id, r.conversation_id, ${rowAsJson(RUNS, 'r')} as run
      from desk_runs r where ${conditions}),
    ${HELD_PART}
    select s.run_id, s.run, ${KNOWLEDGE_COLUMNS},
      (select ${rowAsJson(TASKS, 't')} from desk_tasks t
        where t.tenant = s.tenant and t.kind = 'run' and t.id = s.run_id) as task,
      (select coalesce(max(m.position) + 1, 0) from desk_messages m
        where m.tenant = s.tenant and m.conversation_id = s.conversation_id) as message_count
    from s`;
}

/** Reads a run by its id. */
export const LOAD_RUN: string = loadRun('r.tenant = $1 and r.id = $2');

/** Reads the run of a hold. */
export const LOAD_RUN_OF_HOLD: string = loadRun(
  'r.tenant = $1 and r.id = (select run_id from desk_holds where tenant = $1 and id = $2)',
);

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
  readonly message_count?: number | null;
  readonly messages?: string | null;
  readonly restored_from_backup_at: number;
}

/** Converts the result of a statement that reads a run. */
export function knowledgeOf(loaded: LoadedRun): RunKnowledge {
  const messages =
    loaded.messages === undefined ? undefined : rowsOf(decodeAll(MESSAGES, loaded.messages));
  const holds = decodeAll(HOLDS, loaded.holds).toSorted(byCall);
  return {
    run: decodeOne(RUNS, loaded.run),
    task: decodeOne(TASKS, loaded.task),
    holds,
    decisions: rowsOf(decodeAll(DECISIONS, loaded.decisions)),
    inputs: decodeAll(INPUTS, loaded.inputs),
    entries: decodeAll(ENTRIES, loaded.entries),
    audit: rowsOf(decodeAll(AUDIT, loaded.audit)),
    // Infinity without holds.
    auditAfter: Math.min(...holds.flatMap(({ row }) => row.auditFrom ?? [])),
    messageCount: messages?.length ?? loaded.message_count ?? 0,
    messages,
    restoredFromBackupAt: loaded.restored_from_backup_at,
  };
}

/** Orders holds as their calls. */
function byCall({ row: one }: KnownRow<HoldRow>, { row: other }: KnownRow<HoldRow>): number {
  return one.park - other.park || one.callIndex - other.callIndex;
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
  return { row: decodeValues(spec, values), version: String(version) };
}
