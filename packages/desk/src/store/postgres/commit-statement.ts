import { type CommitPart, ENQUEUED, type InputRow, partsOf, quoted } from './commit-parts.ts';
import type { CommitConditions } from '../known/buffered-tx.ts';
import type { WriteBuffer } from '../known/write-buffer.ts';

/** The time of the database in milliseconds. */
export const NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** The age that the time of a transaction may have when it is committed. */
const MAX_TIME_AGE_MS = 1_000;

/** A statement with its values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The types of columns, by the name of the table and the column. */
export type ColumnTypesByName = ReadonlyMap<string, string>;

/** The function that makes a commit fail if a row changed since it was read. */
export const REQUIRE_UNCHANGED = `create function desk_require_unchanged(is_unchanged boolean) returns boolean
  language plpgsql as $$
  begin
    if is_unchanged is not true then
      raise exception 'A row has changed since it was read.' using errcode = '40001';
    end if;
    return true;
  end $$`;

/** A transaction that is to be committed. One statement commits any number with the same shape. */
export interface PreparedCommit {
  /** The parts of the statement and the facts that all transactions of the statement share. */
  readonly shape: string;
  readonly parts: readonly CommitPart[];
  readonly rows: readonly (readonly InputRow[])[];
  readonly conditions: CommitConditions;
}

/** Prepares the commit of a transaction. */
export function prepareCommit(buffer: WriteBuffer, conditions: CommitConditions): PreparedCommit {
  const filled = partsOf(buffer);
  const shapes = filled.map(({ part }) => part.shape).join('\n');
  return {
    shape: `${shapes}\n${conditions.restoredFromBackupAt}`,
    parts: filled.map(({ part }) => part),
    rows: filled.map(({ rows }) => rows),
    conditions,
  };
}

/**
 * Returns one statement with all writes of transactions of the same shape. It writes nothing if a
 * row that one of them relies on has changed. A row with another `xmin` has changed.
 */
export function commitStatement(
  commits: readonly [PreparedCommit, ...PreparedCommit[]],
  lockTimeout: number,
  types: ColumnTypesByName,
): Statement {
  const [{ shape, parts, conditions }] = commits;
  // Every process locks the runs of a statement in the same order.
  const ordered = commits.length === 1 ? commits : commits.toSorted(byFirstKey);
  const values: unknown[] = [String(lockTimeout)];
  for (const [index, part] of parts.entries()) {
    const rows = ordered.flatMap((commit) => commit.rows[index] ?? []);
    values.push(asJson(rows));
    if (part.isRequired) values.push(rows.length);
  }
  const { restoredFromBackupAt } = conditions;
  if (restoredFromBackupAt !== undefined) values.push(restoredFromBackupAt);
  const times = commits.map(({ conditions: { now } }) => now);
  values.push(Math.min(...times), Math.max(...times));
  const text = texts.get(shape) ?? textOf(parts, restoredFromBackupAt !== undefined, types);
  texts.set(shape, text);
  return { text, values };
}

/** The texts of statements by their shapes. The number of different shapes is small. */
const texts = new Map<string, string>();

function textOf(
  parts: readonly CommitPart[],
  isRestoredKnown: boolean,
  types: ColumnTypesByName,
): string {
  let count = 0;
  const placeholder = () => `$${++count}`;
  // A pooler may change the connection with every transaction, so the setting belongs to the statement.
  const withs = [
    `limits as materialized (select set_config('lock_timeout', ${placeholder()}, true) as lock_timeout)`,
  ];
  const required: string[] = [];
  for (const [index, part] of parts.entries()) {
    const name = `p${index}`;
    const { input, value } = inputOf(part, placeholder(), types);
    withs.push(`${name} as (${part.text(input, value)})`);
    if (part.isRequired) required.push(`(select count(*) from ${name}) = ${placeholder()}::bigint`);
  }
  if (isRestoredKnown) {
    const restored = `(select value from desk_meta where name = 'restored_from_backup_at')`;
    required.push(`${restored} = ${placeholder()}::bigint`);
  }
  // A time in the future would make tasks due later than their events.
  required.push(`${NOW} - ${placeholder()}::bigint <= ${MAX_TIME_AGE_MS}`);
  required.push(`${NOW} >= ${placeholder()}::bigint`);
  const enqueued = parts.indexOf(ENQUEUED);
  return `with ${withs.join(',\n')}
    select desk_require_unchanged(${required.join(' and ')}), ${NOW} as now,
      pg_current_xact_id()::xid::text as version,
      ${enqueued < 0 ? '0' : `(select count(*) from p${enqueued})`} as enqueued`;
}

/** Returns the rows of a part as an item of `from`, and a function for the values of their columns. */
function inputOf(
  { input: { table, columns, others = {} } }: CommitPart,
  placeholder: string,
  types: ColumnTypesByName,
): { readonly input: string; readonly value: (column: string) => string } {
  const typeOf = (column: string) => {
    const type = types.get(`${table}.${column}`);
    if (type === undefined) throw new Error(`${table} has no column ${column}.`);
    return type;
  };
  // Documents are texts in the parameter, so that they are stored unchanged.
  const isJson = (column: string) => typeOf(column).startsWith('json');
  const declared = [
    ...columns.map((column) => `${quoted(column)} ${isJson(column) ? 'text' : typeOf(column)}`),
    ...Object.entries(others).map(([column, type]) => `${quoted(column)} ${type}`),
  ];
  return {
    input: `json_to_recordset(${placeholder}::json) x (${declared.join(', ')})`,
    value: (column) =>
      isJson(column) ? `x.${quoted(column)}::${typeOf(column)}` : `x.${quoted(column)}`,
  };
}

/** Returns rows as JSON. */
function asJson(rows: readonly InputRow[]): string {
  const json = JSON.stringify(rows);
  if (!json.includes('\\ud')) return json;
  // PostgreSQL rejects halves of characters, which the driver would replace in other parameters, too.
  return JSON.stringify(rows, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/\p{Surrogate}/gu, '\ufffd') : value,
  );
}

/** Orders transactions by the first row of their first part, which is their run. */
function byFirstKey(one: PreparedCommit, other: PreparedCommit): number {
  const [a, b] = [one, other].map(({ rows }) => JSON.stringify(rows[0]?.[0]));
  return a === b ? 0 : (a ?? '') < (b ?? '') ? -1 : 1;
}
