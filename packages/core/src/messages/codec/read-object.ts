import { hasOwn, isPlainObject, setOwn } from '../json.ts';
import { oneOf, type Read, takesAnyString } from './read.ts';
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
  readonly takesAnyString: boolean;
}

interface Field {
  readonly name: string;
  readonly read: Read<unknown>;
  readonly required: boolean;
  /** Whether any string will do, or the one that will: then there is nothing to read. */
  readonly string: boolean | string;
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
    takesAnyString: takesAnyString(read),
  };
}

/** Reads a member that may be absent, and that may be null. */
export function optionalOrNull<T>(read: Read<T | null>): OptionalField<T | null> {
  return { optional: read, takesAnyString: takesAnyString(read) };
}

/** Reads an object with these members; members that are not listed are kept as they are. */
export function objectOf<T extends object>(fields: Fields<T>): Read<T> {
  return reader<T>(() => fieldsOf(fields));
}

function reader<T extends object>(fields: () => readonly Field[]): Read<T> {
  // Made with the first object: most programs read few kinds, and all of them import this.
  let known: ReadonlyMap<string, Field> | undefined;
  let requiredCount = 0;
  /** The members of the last object, in their order, which is most often that of the next. */
  const usual: (Field | undefined)[] = [];

  return (value, trail) => {
    if (!isPlainObject(value)) return trail.mismatch('an object', value);
    if (known === undefined) {
      known = new Map(fields().map((field) => [field.name, field]));
      for (const field of known.values()) if (field.required) requiredCount++;
    }
    const members: Record<string, unknown> = trail.copies ? {} : value;
    let missing = requiredCount;
    let place = 0;
    for (const key in value) {
      const member = value[key];
      if (member === undefined || !hasOwn.call(value, key)) continue;
      let field = usual[place];
      if (field?.name !== key) {
        field = known.get(key);
        usual[place] = field;
      }
      place += 1;
      if (field?.required) missing--;
      if (
        field &&
        (field.string === member || (field.string === true && typeof member === 'string'))
      ) {
        if (trail.copies) members[key] = member;
        continue;
      }
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
  return reader<T>(() => [
    { name: 'kind', read: oneOf({ [kind]: true }), required: true, string: kind },
    ...fieldsOf(fields),
  ]);
}

function fieldsOf(
  fields: Readonly<Record<string, Read<unknown> | OptionalField<unknown>>>,
): Field[] {
  return Object.entries(fields).map(([name, field]) =>
    typeof field === 'function'
      ? { name, read: field, required: true, string: takesAnyString(field) }
      : { name, read: field.optional, required: false, string: field.takesAnyString },
  );
}

/** The reader of the member says best what is expected. */
function failForMissing(members: object, known: ReadonlyMap<string, Field>, trail: Trail): void {
  for (const [name, field] of known) {
    if (!field.required || Object.hasOwn(members, name)) continue;
    trail.enter(name);
    field.read(undefined, trail);
  }
}
