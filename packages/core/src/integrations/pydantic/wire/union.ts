import { quote } from '../../../messages/codec/trail.ts';
import { isPlainObject } from '../../../internal/json.ts';
import { type FieldsOf, objectOf } from './object.ts';
import type { Wire } from './wire.ts';

/** One kind of object of a union. */
export interface Variant<T> extends Wire<T> {
  /** What we call the kind. */
  readonly kind: string;
  /** What the format calls it. */
  readonly theirs: string;
}

/** Makes the variants of a union whose objects say in the member `tag` what they are. */
export function variantsBy(
  tag: string,
): <T extends { readonly kind: string }>(
  kind: T['kind'],
  fields: FieldsOf<T>,
  theirs?: string,
) => Variant<T> {
  return (kind, fields, theirs = kind) => ({
    kind,
    theirs,
    ...objectOf(fields, { ours: kind, tag, theirs }),
  });
}

/** One of several kinds of objects, by the member `tag` of the format and by our `kind`. */
export function unionOf<T extends { readonly kind: string }>(
  tag: string,
  variants: { readonly [K in T['kind']]: Variant<Extract<T, { readonly kind: K }>> },
): Wire<T> {
  const all = Object.values<Variant<T>>(variants);
  const byTag = new Map<unknown, Variant<T>>(all.map((variant) => [variant.theirs, variant]));
  const byKind = new Map<unknown, Variant<T>>(all.map((variant) => [variant.kind, variant]));
  const expected = all.map(({ theirs }) => quote(theirs)).join(', ');
  const expectedHere = all.map(({ kind }) => quote(kind)).join(', ');
  return {
    load(value, trail) {
      if (!isPlainObject(value)) return trail.mismatch('an object', value);
      const variant = byTag.get(value[tag]);
      if (variant) return variant.load(value, trail);
      trail.enter(tag);
      return trail.mismatchedText(`one of ${expected}`, value[tag]);
    },
    dump(value, trail) {
      const variant = byKind.get(value?.kind);
      if (variant) return variant.dump(value, trail);
      trail.enter('kind');
      return trail.mismatchedText(`one of ${expectedHere}`, value?.kind);
    },
  };
}
