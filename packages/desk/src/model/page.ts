import { UserError } from 'holdpoint';
import { shownValue } from './check-keys.ts';
import type { DelegationRow } from './delegation-row.ts';
import type { GrantRow } from './grant-row.ts';
import type { HoldRow } from './hold-row.ts';
import type { OutboxRow } from './outbox-row.ts';
import type { Person } from './person.ts';
import type { RunRow } from './run-row.ts';
import type { HoldState, RunState } from './states.ts';
import type { TaskRow } from './task-row.ts';

/** A part of a list, with the cursor of the next part. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Pass it as `after` to get the next part; `undefined` at the end. */
  readonly next?: string | undefined;
}

/** Selects a part of a list. */
export interface PageQuery {
  /** The `next` of an earlier page. */
  readonly after?: string | undefined;
  /** The maximum number of items; 50 by default, at most 500. */
  readonly limit?: number | undefined;
}

/** Selects items by the beginning of their ids. */
export interface IdPrefixQuery {
  /** The first characters of the id, in lower-case hexadecimal digits. */
  readonly idPrefix?: string | undefined;
}

/** A query for holds, the oldest first. */
export interface HoldQuery extends PageQuery, IdPrefixQuery {
  readonly states?: readonly HoldState[] | undefined;
  readonly runId?: string | undefined;
  readonly conversationId?: string | undefined;
  /** The name of the tool. */
  readonly tool?: string | undefined;
  readonly agent?: string | undefined;
  /** The id of the requester. */
  readonly requester?: string | undefined;
  /** Only holds that were created after this time, in milliseconds since 1970. */
  readonly createdAfter?: number | undefined;
  /** Only holds that were created before this time, in milliseconds since 1970. */
  readonly createdBefore?: number | undefined;
  /** A text in the tool's name, the arguments, the preview or the requester; case does not matter. */
  readonly text?: string | undefined;
  /**
   * Only open holds that a requirement lets this approver decide: by name, by one of the roles, or because
   * everyone may. The approver may still be a requester, or have approved already. `delegators` adds the holds that the
   * people who delegated to this approver may decide.
   */
  readonly eligible?: EligibleApprover | undefined;
}

/** An approver for whom holds are listed. */
export interface EligibleApprover extends Person {
  readonly roles?: readonly string[] | undefined;
  readonly delegators?:
    | readonly (Person & { readonly roles?: readonly string[] | undefined })[]
    | undefined;
}

/** A query for runs, the latest first. */
export interface RunQuery extends PageQuery, IdPrefixQuery {
  readonly states?: readonly RunState[] | undefined;
  readonly agent?: string | undefined;
  readonly conversationId?: string | undefined;
  /** Set to include runs that have only their audit. */
  readonly includeErased?: boolean | undefined;
}

/** A query for delegations, the latest first. */
export interface DelegationQuery extends PageQuery {
  /** Only delegations from or to the person with this id. */
  readonly person?: string | undefined;
  /** `true` for delegations that are valid now, `false` for the others. */
  readonly live?: boolean | undefined;
}

/** A query for grants, the latest first. */
export interface GrantQuery extends PageQuery, IdPrefixQuery {
  /** `true` for grants that can still approve calls, `false` for the others. */
  readonly live?: boolean | undefined;
}

/** The columns that order a list. Their values are unique. */
export type Order<Row> = readonly (keyof Row & string)[];

/** The order of holds: by age, those of one run in the order of its calls. */
export const HOLD_ORDER: Order<HoldRow> = ['createdAt', 'runId', 'callIndex', 'id'];

/** The order of runs, which are listed backwards. */
export const RUN_ORDER: Order<RunRow> = ['createdAt', 'id'];

/** The order of grants, which are listed backwards. */
export const GRANT_ORDER: Order<GrantRow> = ['createdAt', 'id'];

/** The order of delegations, which are listed backwards. */
export const DELEGATION_ORDER: Order<DelegationRow> = ['createdAt', 'id'];

/** The order of dead letters, the oldest first. */
export const DEAD_LETTER_ORDER: Order<TaskRow> = ['givenUpAt', 'kind', 'id'];

/** The order of events. No event is ever added before one that was listed; clocks do not matter. */
export const EVENT_ORDER: Order<OutboxRow> = ['transactionId', 'sequence'];

/** The values of the row after which a page begins. */
export type Cursor = readonly (string | number)[];

/** The values that a row is ordered by. */
export function cursorOf<Row>(row: Row, order: Order<Row>): Cursor {
  // Lists are ordered by texts and numbers.
  return order.map((field) => row[field] as string | number);
}

/** Compares two cursors of one list: below 0 if the first one comes before the other, 0 if they are the same. */
export function compareCursors(one: Cursor, other: Cursor): number {
  const callIndex = one.findIndex((value, index) => value !== other[index]);
  return callIndex < 0 ? 0 : one[callIndex]! < other[callIndex]! ? -1 : 1;
}

/** The cursor of a query; `undefined` for the beginning. */
export function readCursor({ after }: PageQuery, order: Order<never>): Cursor | undefined {
  if (after === undefined) return undefined;
  const values = parseCursor(after);
  if (values?.length === order.length && order.every((field, at) => fits(field, values[at]))) {
    return values;
  }
  throw new UserError(
    '`after` is not the `next` of an earlier page. Pass that `next`, or leave `after` out.',
  );
}

/** The members of orders that are texts; all others are numbers. */
const TEXT_FIELDS: readonly string[] = ['id', 'runId', 'kind'];

/** Rejects values that a database would not accept, because cursors come from outside. */
function fits(field: string, value: string | number | undefined): boolean {
  if (!TEXT_FIELDS.includes(field)) return Number.isSafeInteger(value);
  return typeof value === 'string' && !/[\p{Cc}\p{Cs}]/u.test(value);
}

/** Returns the values of a cursor; `undefined` if the text is none. */
export function parseCursor(text: string): Cursor | undefined {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    const isCursor =
      Array.isArray(values) && values.every((one) => ['string', 'number'].includes(typeof one));
    return isCursor ? values : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the id prefix of a query; `undefined` if it has none. */
export function readIdPrefix({ idPrefix }: IdPrefixQuery): string | undefined {
  if (idPrefix === undefined || /^[0-9a-f]{1,32}$/.test(idPrefix)) return idPrefix;
  throw new UserError(
    `\`idPrefix\` is \`${idPrefix}\`. Pass the first 1 to 32 hexadecimal digits of an id, in lower case.`,
  );
}

/** The cursor of an event: `desk.events({ after })` lists the events that follow it. */
export function eventCursor(event: OutboxRow): string {
  return cursorText(cursorOf(event, EVENT_ORDER));
}

/** Returns the maximum number of items of a query. */
export function limitOf({ limit = 50 }: PageQuery): number {
  if (Number.isInteger(limit) && limit > 0) return Math.min(limit, 500);
  throw new UserError(`\`limit\` is ${shownValue(limit)}. Pass a whole number above 0.`);
}

/** Returns a page of rows, of which one more than the limit was read. */
export function pageOf<Item>(
  found: readonly Item[],
  limit: number,
  order: Order<Item>,
): Page<Item> {
  const items = Object.freeze(found.slice(0, limit));
  const last = items.at(-1);
  if (found.length <= limit || last === undefined) return { items };
  return { items, next: cursorText(cursorOf(last, order)) };
}

/** A cursor as queries take it in `after`. */
export function cursorText(cursor: Cursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}
