import { isPlainObject, setOwn } from '../json.ts';
import { oneOf, type Read } from './read.ts';
import { readJson } from './read-json.ts';
import type { Trail } from './trail.ts';

/** A reader for each member of an object; a member that may be absent is marked as `optional`. */
export type Fields<T> = {
  readonly [K in keyof T]-?: undefined extends T[K]
    ? OptionalField<Exclude<T[K], undefined>>
    : Read<T[K]>;
};

interface OptionalField<T> {
  readonly optional: Read<T>;
}

interface Field {
  readonly read: Read<unknown>;
  readonly required: boolean;
}

/** Reads a member that may be absent. */
export function optional<T>(read: Read<T>): OptionalField<T> {
  return {
    optional: (value, trail) =>
      value === null
        ? trail.fail(
            'Expected a value or no such member, found null; leave the member out instead.',
          )
        : read(value, trail),
  };
}

/** Reads a member that may be absent, and that may be null. */
export function optionalOrNull<T>(read: Read<T | null>): OptionalField<T | null> {
  return { optional: read };
}

/** Reads an object with these members; members that are not listed are kept as they are. */
export function objectOf<T extends object>(fields: Fields<T>): Read<T> {
  return reader<T>(() => Object.entries(fields));
}

function reader<T extends object>(fields: () => readonly NamedField[]): Read<T> {
  // Made with the first object: most programs read few kinds, and all of them import this.
  let known: ReadonlyMap<string, Field> | undefined;
  let requiredCount = 0;

  return (value, trail) => {
    if (!isPlainObject(value)) return trail.mismatch('an object', value);
    if (known === undefined) {
      known = new Map(fields().map(toField));
      for (const field of known.values()) if (field.required) requiredCount++;
    }
    const members: Record<string, unknown> = trail.copies ? {} : value;
    let missing = requiredCount;
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (member === undefined) continue;
      const field = known.get(key);
      if (field?.required) missing--;
      trail.enter(key);
      const read = field ? field.read(member, trail) : readJson(member, trail);
      if (trail.copies) setOwn(members, key, read);
      trail.leave();
    }
    if (missing > 0) failForMissing(members, known, trail);
    return trail.take(members) as T;
  };
}

/** Reads an object of one `kind`; {@link objectOf} for its other members. */
export function ofKind<T extends { readonly kind: string }>(
  kind: T['kind'],
  fields: Fields<Omit<T, 'kind'>>,
): Read<T> {
  return reader<T>(() => [['kind', oneOf({ [kind]: true })], ...Object.entries<AnyField>(fields)]);
}

type AnyField = Read<unknown> | OptionalField<unknown>;
type NamedField = readonly [name: string, field: AnyField];

function toField([name, field]: NamedField): [string, Field] {
  const required = typeof field === 'function';
  return [name, { read: required ? field : field.optional, required }];
}

/** The reader of the member says best what is expected. */
function failForMissing(members: object, known: ReadonlyMap<string, Field>, trail: Trail): void {
  for (const [name, field] of known) {
    if (!field.required || Object.hasOwn(members, name)) continue;
    trail.enter(name);
    field.read(undefined, trail);
  }
}
