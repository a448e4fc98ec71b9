import { InvalidJsonError } from '../../errors/user-errors.ts';
import { type Fields, type OptionalField, optional } from '../../messages/codec/field.ts';
import { constant, type Format } from '../../messages/codec/format.ts';
import { translatedObjectOf } from '../../messages/codec/object-format.ts';
import { isPlainObject } from '../../internal/json.ts';

/** An object of Pydantic AI, whose members are in snake case. */
export function pydanticObjectOf<T extends object>(fields: Fields<T>): Format<T> {
  return translatedObjectOf(fields, snakeCase);
}

/** Creates the formats of objects whose member `tag` contains their kind. */
export function variantsBy(
  tag: string,
): <T extends { readonly kind: string }>(
  kind: T['kind'],
  fields: Fields<Omit<T, 'kind'>>,
  documentKind?: string,
) => Format<T> {
  return <T extends { readonly kind: string }>(
    kind: T['kind'],
    fields: Fields<Omit<T, 'kind'>>,
    documentKind: string = kind,
  ) => {
    const kindFormat = constant(kind, documentKind);
    const members = pydanticObjectOf<Omit<T, 'kind'>>(fields);
    return {
      read(value, path) {
        const found = isPlainObject(value) ? value[tag] : undefined;
        // A document may lack the kind if only one is possible.
        if (found !== undefined) kindFormat.read(found, path.at(tag));
        // The kind and the other members are all members of T.
        return Object.freeze({ kind, ...members.read(value, path) }) as unknown as T;
      },
      // The fields read the members of T other than the kind.
      write: (value, path) =>
        Object.freeze({
          // `T` without its kind has exactly the other members.
          ...(members.write(value as unknown as Omit<T, 'kind'>, path) as object),
          [tag]: documentKind,
        }),
    };
  };
}

/** An optional member that may be null in a document, and is not written if it is missing. */
export function optionalReadingNull<T>(format: Format<T>): OptionalField<T> {
  return { ...optional(format), ifNull: 'missing' };
}

/** Converts a name to snake case. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Creates the formats of message parts. */
export const partOf: ReturnType<typeof variantsBy> = variantsBy('part_kind');

/** Returns the result of `read`, or `undefined` if the value is invalid. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidJsonError) return undefined;
    throw error;
  }
}
