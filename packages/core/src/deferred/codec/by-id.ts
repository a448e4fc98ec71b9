import type { Trail } from '../../messages/codec/index.ts';
import { quote } from '../../messages/codec/trail.ts';
import { isPlainObject } from '../../messages/json.ts';
import type { RecordByKey } from '../results.ts';

/** Which record to read, and how. */
interface ReadRecord<Value> {
  readonly member: string;
  /** Reads one entry; the trail leads to it. */
  readonly read: (value: unknown, trail: Trail, id: string) => Value;
  readonly trail: Trail;
}

/**
 * Reads a member that is a record by tool call id, into a frozen record without a prototype.
 *
 * Without the member there are no entries.
 */
export function readById<Value>(
  holder: object,
  { member, read, trail }: ReadRecord<Value>,
): Readonly<RecordByKey<Value>> {
  const entries: RecordByKey<Value> = Object.create(null);
  const record: unknown = Reflect.get(holder, member);
  trail.enter(member);
  if (record !== undefined) {
    if (!isPlainObject(record)) return trail.mismatch('an object', record);
    for (const id of Object.keys(record)) {
      trail.enter(id);
      entries[id] = read(record[id], trail, id);
      trail.leave();
    }
  }
  trail.leave();
  return Object.freeze(entries);
}

/** The place of an entry in a record, as a trail writes it. */
export function placeOf(member: string, id: string): string {
  return /^[\w$]+$/.test(id) ? `${member}.${quote(id).slice(1, -1)}` : `${member}[${quote(id)}]`;
}
