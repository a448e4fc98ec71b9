import type { Read } from '../../messages/codec/read.ts';
import { type Fields, ofKind } from '../../messages/codec/read-object.ts';

/**
 * Reads an object of one `kind` with these members and no others.
 *
 * An answer that says more than is understood is refused: what was not understood may have been what
 * mattered, such as misspelt arguments to run a call with.
 */
export function exactly<T extends { readonly kind: string }>(
  kind: T['kind'],
  fields: Fields<Omit<T, 'kind'>>,
): Read<T> {
  const read = ofKind<T>(kind, fields);
  return (value, trail) => {
    const object = read(value, trail);
    for (const name of Object.keys(object)) {
      if (name === 'kind' || Object.hasOwn(fields, name)) continue;
      const known = ['kind', ...Object.keys(fields)].join(', ');
      trail.enter(name);
      trail.fail(`Expected no member of this name; there can be ${known}.`);
    }
    return object;
  };
}
