import { quote, type Trail } from '../../../messages/codec/trail.ts';
import { isPlainObject, defineOwn } from '../../../internal/json.ts';
import type { Wire } from './wire.ts';

/** How a member of an object is called in the format, and what its absence means there and here. */
export interface Field<T> {
  readonly wire: Wire<T>;
  /** The name in the format; ours in snake case unless said otherwise. */
  readonly name?: string;
  /** Names that older documents use for it. */
  readonly legacy?: readonly string[];
  /** Whether null stands for a member that is not there. */
  readonly nullable: boolean;
  /** What we have where the format has nothing; without it, nothing either. */
  readonly fill?: (trail: Trail) => T;
  /** What the format has where we have nothing; `undefined` for nothing either. */
  readonly blank: unknown;
}

/** A member that we may lack. */
export interface OptionalField<T> extends Field<T> {
  readonly optional: true;
}

/** A field for each member but the kind; one that we may lack is an optional one. */
export type FieldsOf<T> = {
  readonly [K in Exclude<keyof T, 'kind'>]-?: undefined extends T[K]
    ? OptionalField<Exclude<T[K], undefined>>
    : Field<T[K]>;
};

/** A member that must be there. */
export function required<T>(wire: Wire<T>): Field<T> {
  return { wire, nullable: false, blank: undefined, fill: (trail) => wire.load(undefined, trail) };
}

/** A member that must be there on our side, and has a default in the format. */
export function filled<T>(wire: Wire<T>, fill: (trail: Trail) => T): Field<T> {
  return { wire, nullable: false, blank: undefined, fill };
}

/** A member that may be absent here, and is null there. */
export function nullable<T>(wire: Wire<T>): OptionalField<T> {
  return { wire, nullable: true, blank: null, optional: true };
}

/** A member that may be absent here, and has a default there; null is not it. */
export function defaulted<T>(wire: Wire<T>, blank: unknown): OptionalField<T> {
  return { wire, nullable: false, blank, optional: true };
}

/** A member that may be absent here, and must be there. */
export function demanded<T>(wire: Wire<T>, blank: unknown): OptionalField<T> {
  return { ...required(wire), blank, optional: true };
}

/** A member that may be absent on both sides, where the reference makes up a value; null is not it. */
export function omitted<T>(wire: Wire<T>): OptionalField<T> {
  return { wire, nullable: false, blank: undefined, optional: true };
}

/** The same member under names of its own. */
export function named<F extends { readonly wire: unknown }>(
  field: F,
  name: string,
  ...legacy: string[]
): F {
  return { ...field, name, legacy };
}

interface Member {
  readonly ours: string;
  readonly names: readonly [string, ...string[]];
  readonly field: Field<unknown>;
}

/** An object with these members; members of the format that are not listed are dropped, as there. */
export function objectOf<T extends object>(
  fields: FieldsOf<T>,
  kind?: { readonly ours: string; readonly tag: string; readonly theirs: string },
): Wire<T> {
  const members = Object.entries<Field<unknown>>(fields).map(
    ([ours, field]): Member => ({
      ours,
      names: [field.name ?? snakeCase(ours), ...(field.legacy ?? [])],
      field,
    }),
  );
  return {
    load(value, trail) {
      if (!isPlainObject(value)) return trail.mismatch('an object', value);
      if (kind) checkTag(value, kind, trail);
      const loaded: Record<string, unknown> = kind ? { kind: kind.ours } : {};
      for (const member of members) {
        const found = loadMember(value, member, trail);
        if (found !== undefined) loaded[member.ours] = found;
      }
      // Each member was read by the reader of its type.
      return Object.freeze(loaded) as T;
    },
    dump(value, trail) {
      const dumped: Record<string, unknown> = {};
      for (const { ours, names, field } of members) {
        const member = (value as Record<string, unknown>)[ours];
        trail.enter(ours);
        const found = member === undefined ? field.blank : field.wire.dump(member, trail);
        trail.leave();
        if (found !== undefined) dumped[names[0]] = found;
      }
      if (kind) dumped[kind.tag] = kind.theirs;
      return dumped;
    },
  };
}

function loadMember(value: Record<string, unknown>, member: Member, trail: Trail): unknown {
  const { names, field } = member;
  const name = names.find((each) => Object.hasOwn(value, each)) ?? names[0];
  const found = Object.hasOwn(value, name) ? value[name] : undefined;
  const absent = found === undefined || (found === null && field.nullable);
  if (absent && field.fill === undefined) return undefined;
  trail.enter(name);
  const loaded = absent ? field.fill?.(trail) : field.wire.load(found, trail);
  trail.leave();
  return loaded;
}

/** An object that was chosen by its tag has it; elsewhere it may be left out, but must not be another. */
function checkTag(
  value: Record<string, unknown>,
  kind: { readonly tag: string; readonly theirs: string },
  trail: Trail,
): void {
  const found = value[kind.tag];
  if (found === undefined || found === kind.theirs) return;
  trail.enter(kind.tag);
  trail.mismatchedText(quote(kind.theirs), found);
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A record of one kind of value, by names from outside. */
export function recordOf<T>(item: Wire<T>): Wire<Readonly<Record<string, T>>> {
  return {
    load(value, trail) {
      if (!isPlainObject(value)) return trail.mismatch('an object', value);
      return Object.freeze(eachEntry(value, trail, item.load));
    },
    dump: (value, trail) => eachEntry(value, trail, item.dump),
  };
}

function eachEntry<From, To>(
  entries: Readonly<Record<string, From>>,
  trail: Trail,
  convert: (entry: From, trail: Trail) => To,
): Record<string, To> {
  const converted: Record<string, To> = {};
  for (const [name, entry] of Object.entries(entries)) {
    if (entry === undefined) continue;
    trail.enter(name);
    defineOwn(converted, name, convert(entry, trail));
    trail.leave();
  }
  return converted;
}
