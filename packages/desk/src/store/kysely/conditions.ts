import { type RawBuilder, sql } from 'kysely';
import type { Cursor } from '../../model/page.ts';
import { columnOf } from '../tables/table-spec.ts';

/** The condition that a column has one of these values; of none it never holds. */
export function isOneOf(column: string, values: readonly string[]): RawBuilder<unknown> {
  return values.length === 0 ? sql`1 = 0` : sql`${sql.ref(column)} in (${sql.join(values)})`;
}

/** The condition that an id begins with hexadecimal digits. The range makes it usable by an index. */
export function hasIdPrefix(prefix: string): RawBuilder<unknown> {
  return sql`(id >= ${prefix} and id < ${`${prefix}g`} and substr(id, 1, ${prefix.length}) = ${prefix})`;
}

/** The same for ids. Their number is rounded up, so that the number of different statements is small. */
export function isOneOfIds(column: string, ids: readonly string[]): RawBuilder<unknown> {
  const last = ids.at(-1);
  if (last === undefined) return isOneOf(column, ids);
  const count = 2 ** Math.ceil(Math.log2(ids.length));
  return isOneOf(column, [...ids, ...Array<string>(count - ids.length).fill(last)]);
}

/** The columns of fields, as a list. */
export function columnsOf(
  fields: readonly string[],
  direction: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  return sql.join(fields.map((field) => sql`${sql.ref(columnOf(field))}${direction}`));
}

/** The condition that a row comes before or after a cursor. */
export function isBeyond(
  fields: readonly string[],
  side: 'before' | 'after',
  cursor: Cursor,
): RawBuilder<unknown> {
  const comparison = side === 'before' ? sql`<` : sql`>`;
  return sql`(${columnsOf(fields)}) ${comparison} (${sql.join([...cursor])})`;
}
