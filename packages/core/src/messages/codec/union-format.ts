import { isPlainObject } from '../../internal/json.ts';
import type { Format } from './format.ts';
import { type JsonPath, quoteAll } from './json-path.ts';

/** How a document names the kinds of a union. */
interface Tag {
  /** The member that contains the kind. */
  readonly name: string;
  /** The kinds that have another name in the document. */
  readonly kinds?: Readonly<Record<string, string>>;
}

/** An object of one of several kinds. */
export function unionOf<T extends { readonly kind: string }>(
  variants: { readonly [K in T['kind']]: Format<Extract<T, { readonly kind: K }>> },
  { name: tag, kinds = {} }: Tag = { name: 'kind' },
): Format<T> {
  const entries = Object.entries<Format<T>>(variants);
  const byKind = new Map(entries);
  const byTag = new Map(entries.map(([kind, variant]) => [kinds[kind] ?? kind, variant]));
  return {
    read: (value, path) => variantFor(value, tag, byTag, path).read(value, path),
    write: (value, path) => variantFor(value, 'kind', byKind, path).write(value, path),
  };
}

function variantFor<T>(
  value: unknown,
  tag: string,
  variants: ReadonlyMap<unknown, Format<T>>,
  path: JsonPath,
): Format<T> {
  if (!isPlainObject(value)) return path.mismatch('an object', value);
  const kind = Object.hasOwn(value, tag) ? value[tag] : undefined;
  return (
    variants.get(kind) ??
    path.at(tag).mismatchedText(quoteAll([...variants.keys()].map(String)), kind)
  );
}
