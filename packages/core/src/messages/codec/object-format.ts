import { isPlainObject, defineOwn } from '../../internal/json.ts';
import { type Field, type Fields, required } from './field.ts';
import { constant, type Format, same } from './format.ts';
import { jsonFormat } from './json-format.ts';
import type { JsonPath } from './json-path.ts';

/** An object with these members, the same in a document and in the program. Keeps other members. */
export function objectOf<T extends object>(fields: Fields<T>): Format<T> {
  const shape = shapeOf(fields, 'keep');
  return {
    read: (value, path) => convertObject<T>(shape, value, path, 'read'),
    write: (value, path) => convertObject<T>(shape, value, path, 'write'),
  };
}

/**
 * An object with these members and no others, the same in a document and in the program.
 *
 * For decisions and results: an unknown member may be the one that mattered, such as misspelled arguments.
 */
function exactObjectOf<T extends object>(fields: Fields<T>): Format<T> {
  const shape = shapeOf(fields, 'reject');
  return same((value, path) => convertObject<T>(shape, value, path, 'read'));
}

/** An object whose members may look different in a document. Drops other members. */
export function translatedObjectOf<T extends object>(
  fields: Fields<T>,
  nameOf?: (key: string) => string,
): Format<T> {
  const shape = shapeOf(fields, 'drop', nameOf);
  return {
    read: (value, path) => convertObject<T>(shape, value, path, 'read'),
    write: (value, path) => writeObject(shape, value, path),
  };
}

/** An object of one `kind`; see {@link objectOf}. */
export function variantOf<T extends { readonly kind: string }>(
  kind: T['kind'],
  fields: Fields<Omit<T, 'kind'>>,
): Format<T> {
  return objectOf<T>(withKind(kind, fields));
}

/** An object of one `kind`; see {@link exactObjectOf}. */
export function exactVariantOf<T extends { readonly kind: string }>(
  kind: T['kind'],
  fields: Fields<Omit<T, 'kind'>>,
): Format<T> {
  return exactObjectOf<T>(withKind(kind, fields));
}

function withKind<T extends { readonly kind: string }>(
  kind: T['kind'],
  fields: Fields<Omit<T, 'kind'>>,
): Fields<T> {
  // TypeScript cannot see that `kind` and the other members are all members of T.
  return { kind: constant(kind), ...fields } as unknown as Fields<T>;
}

/** The members of an object, by their names in a document. */
interface Shape {
  readonly members: readonly Member[];
  /** Includes the names that older documents use. */
  readonly byName: ReadonlyMap<string, Member>;
  /** The members that have a default, or that must be present. */
  readonly needed: readonly Member[];
  readonly unknownMembers: 'keep' | 'drop' | 'reject';
}

interface Member {
  /** The name in the program. */
  readonly key: string;
  /** The names in a document; the first one that is present counts. */
  readonly names: readonly [string, ...string[]];
  readonly field: Field<unknown>;
}

function shapeOf(
  fields: Readonly<Record<string, Field<unknown> | Format<unknown>>>,
  unknownMembers: Shape['unknownMembers'],
  nameOf: (key: string) => string = (key) => key,
): Shape {
  const members = Object.entries(fields).map(([key, fieldOrFormat]): Member => {
    const field = 'format' in fieldOrFormat ? fieldOrFormat : required(fieldOrFormat);
    return { key, names: [field.name ?? nameOf(key), ...(field.aliases ?? [])], field };
  });
  return {
    members,
    byName: new Map(members.flatMap((member) => member.names.map((name) => [name, member]))),
    needed: members.filter(({ field }) => field.ifMissing !== 'omit'),
    unknownMembers,
  };
}

/**
 * Reads an object, or writes one with the same form in a document. Writing returns a frozen object
 * without a copy.
 */
function convertObject<T>(
  shape: Shape,
  value: unknown,
  path: JsonPath,
  direction: 'read' | 'write',
): T {
  if (!isPlainObject(value)) return path.mismatch('an object', value);
  // Without translation, the result starts as a copy: it has the same members in the same order.
  const isCopy = shape.unknownMembers !== 'drop';
  const isKeptWhole = direction === 'write' && Object.isFrozen(value);
  let result: Record<string, unknown> | undefined;
  if (!isKeptWhole) result = isCopy ? { ...value } : {};
  const source = isCopy ? (result ?? value) : value;
  for (const name of Object.keys(source)) {
    const member = shape.byName.get(name);
    const before = source[name];
    if (isCopy && member !== undefined && isKept(member, before)) continue;
    const converted = member
      ? convertMember(member, source, name, path, direction)
      : readUnknown(shape, before, path.at(name));
    if (isCopy && converted !== undefined && converted === before) continue;
    result ??= { ...value };
    if (converted !== undefined) defineOwn(result, member?.key ?? name, converted);
    else if (isCopy) delete result[name];
  }
  for (const { key, names, field } of shape.needed) {
    if (Object.hasOwn(result ?? value, key)) continue;
    result ??= { ...value };
    result[key] = readMissing(field, path.at(names[0]));
  }
  // Each member was converted by the format of its type.
  return (result === undefined ? value : Object.freeze(result)) as T;
}

/** Returns whether a copy of the object already contains the member in its loaded form. */
function isKept({ names, field }: Member, value: unknown): boolean {
  // The meaning of null depends on the field.
  return value !== null && names.length === 1 && field.format.accepts?.(value) === true;
}

function convertMember(
  { names, field }: Member,
  object: Readonly<Record<string, unknown>>,
  name: string,
  path: JsonPath,
  direction: 'read' | 'write',
): unknown {
  const isReplaced = names.length > 1 && names.find((each) => Object.hasOwn(object, each)) !== name;
  if (isReplaced) return undefined;
  const value = object[name];
  if (value === undefined || (value === null && field.ifNull === 'missing')) return undefined;
  if (value === null && field.ifNull === 'error') {
    path
      .at(name)
      .fail('Expected a value or no such member, found null; leave the member out instead.');
  }
  return field.format[direction](value, path.at(name));
}

function readUnknown({ unknownMembers, members }: Shape, value: unknown, path: JsonPath): unknown {
  if (value === undefined || unknownMembers === 'drop') return undefined;
  if (unknownMembers === 'keep') return jsonFormat.read(value, path);
  const known = members.map(({ names }) => names[0]).join(', ');
  return path.fail(`Expected no member of this name; there can be ${known}.`);
}

function readMissing({ ifMissing, format }: Field<unknown>, path: JsonPath): unknown {
  if (typeof ifMissing === 'function') return ifMissing();
  // The error of the format is more specific.
  return format.read(undefined, path);
}

function writeObject(shape: Shape, value: object, path: JsonPath): object {
  const document: Record<string, unknown> = {};
  for (const { key, names, field } of shape.members) {
    const member: unknown = Reflect.get(value, key);
    const written = member === undefined ? field.blank : field.format.write(member, path.at(key));
    if (written !== undefined) document[names[0]] = written;
  }
  return Object.freeze(document);
}
