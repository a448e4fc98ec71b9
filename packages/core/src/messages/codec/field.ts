import type { Format } from './format.ts';

/** How a document stores one member of an object. */
export interface Field<T> {
  readonly format: Format<T>;
  /** The member's name in the document, if it does not follow from the program's name. */
  readonly name?: string;
  /** Names that older documents use. */
  readonly aliases?: readonly string[];
  /** The meaning of null in the document: left to the format, a missing member, or an error. */
  readonly ifNull: 'read' | 'missing' | 'error';
  /** The meaning of a missing member in the document: an error, a missing member, or a default. */
  readonly ifMissing: 'error' | 'omit' | (() => T);
  /** The value in a document if the program's object lacks the member; `undefined` to omit it. */
  readonly blank?: unknown;
}

/** A field for a member that the program's object may lack. */
export interface OptionalField<T> extends Field<T> {
  readonly isOptional: true;
}

/** One field per member. A plain format describes a required member. */
export type Fields<T> = {
  readonly [K in keyof T]-?: undefined extends T[K]
    ? OptionalField<Exclude<T[K], undefined>>
    : Field<T[K]> | Format<T[K]>;
};

/** A member that must be present. */
export function required<T>(format: Format<T>): Field<T> {
  return { format, ifNull: 'read', ifMissing: 'error' };
}

/** A member that may be missing. */
export function optional<T>(format: Format<T>): OptionalField<T> {
  return { format, ifNull: 'error', ifMissing: 'omit', isOptional: true };
}

/** A member that may be missing, and may be null. */
export function optionalOrNull<T>(format: Format<T | null>): OptionalField<T | null> {
  return { format, ifNull: 'read', ifMissing: 'omit', isOptional: true };
}

/** A member that may be missing in the program, and is null in the document then. */
export function nullable<T>(format: Format<T>): OptionalField<T> {
  return { ...optional(format), ifNull: 'missing', blank: null };
}

/** A member that may be missing in the program; the document contains `blank` then. */
export function optionalAs<T>(format: Format<T>, blank: unknown): OptionalField<T> {
  return { ...optional(format), blank };
}

/** A member that may be missing in the program, but not in the document, which contains `blank` then. */
export function requiredAs<T>(format: Format<T>, blank: unknown): OptionalField<T> {
  return { ...required(format), blank, isOptional: true };
}

/** A member that may be missing in the document; the program has `value` then. */
export function withDefault<T>(format: Format<T>, value: T): Field<T> {
  return { format, ifNull: 'read', ifMissing: () => value };
}

/** The same field under another name in the document. Older documents may use `aliases`. */
export function named<F extends { readonly format: unknown }>(
  field: F,
  name: string,
  ...aliases: readonly string[]
): F {
  return { ...field, name, aliases };
}
