import { hasOwn, defineOwn } from '../../internal/json.ts';
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
  readonly takesNull: boolean;
}

const LONGEST_REMEMBERED = 40;

/** A member that is known, and how it is read. */
class Field {
  readonly name: string;
  readonly read: Read<unknown>;
  readonly required: boolean;
  readonly takesNull: boolean;
  readonly #takesAnyString: boolean;
  /** The text that was last read, and was in order: kinds, states and times are most often the same again. */
  #inOrder = '';

  constructor(name: string, field: Read<unknown> | OptionalField<unknown>) {
    this.name = name;
    this.required = typeof field === 'function';
    this.read = typeof field === 'function' ? field : field.optional;
    this.takesNull = typeof field === 'function' || field.takesNull;
    this.#takesAnyString = takesAnyString(this.read);
  }

  /** Whether it is known without reading that a text will do. */
  takes(text: string): boolean {
    return this.#takesAnyString || (text === this.#inOrder && text !== '');
  }

  /** Remembers a text that was in order, unless it is long: nobody else may want to keep it. */
  remember(text: string): void {
    if (text.length <= LONGEST_REMEMBERED) this.#inOrder = text;
  }
}

/** Reads a member that may be absent. */
export function optional<T>(read: Read<T>): OptionalField<T> {
  return { optional: read, takesNull: false };
}

/** Reads a member that may be absent, and that may be null. */
export function optionalOrNull<T>(read: Read<T | null>): OptionalField<T | null> {
  return { optional: read, takesNull: true };
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
    if (!trail.isObject(value)) return trail.mismatch('an object', value);
    if (known === undefined) {
      known = new Map(fields().map((field) => [field.name, field]));
      for (const field of known.values()) if (field.required) requiredCount++;
    }
    const { copies, mayInherit } = trail;
    const members: Record<string, unknown> = copies ? {} : value;
    let missing = requiredCount;
    let place = 0;
    for (const key in value) {
      const member = value[key];
      if (member === undefined || (mayInherit && !hasOwn.call(value, key))) continue;
      let field = usual[place];
      if (field === undefined || field.name !== key) {
        field = known.get(key);
        usual[place] = field;
      }
      place += 1;
      if (field?.required) missing--;
      if (typeof member === 'string' && field?.takes(member)) {
        if (copies) members[key] = member;
        continue;
      }
      trail.enter(key);
      const read = field ? readMember(field, member, trail) : readJson(member, trail);
      if (copies) defineOwn(members, key, read);
      trail.leave();
    }
    if (missing > 0) failForMissing(members, known, trail);
    return trail.take(members) as T;
  };
}

function readMember(field: Field, member: unknown, trail: Trail): unknown {
  if (member === null && !field.takesNull) {
    trail.fail('Expected a value or no such member, found null; leave the member out instead.');
  }
  const read = field.read(member, trail);
  if (typeof member === 'string') field.remember(member);
  return read;
}

/** Reads an object of one `kind`; {@link objectOf} for its other members. */
export function ofKind<T extends { readonly kind: string }>(
  kind: T['kind'],
  fields: Fields<Omit<T, 'kind'>>,
): Read<T> {
  return reader<T>(() => [new Field('kind', oneOf({ [kind]: true })), ...fieldsOf(fields)]);
}

function fieldsOf(
  fields: Readonly<Record<string, Read<unknown> | OptionalField<unknown>>>,
): Field[] {
  return Object.entries(fields).map(([name, field]) => new Field(name, field));
}

/** The reader of the member says best what is expected. */
function failForMissing(members: object, known: ReadonlyMap<string, Field>, trail: Trail): void {
  for (const [name, field] of known) {
    if (!field.required || Object.hasOwn(members, name)) continue;
    trail.enter(name);
    field.read(undefined, trail);
  }
}
