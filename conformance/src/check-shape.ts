/** A check that finds the first part of a value that a shape does not describe. */
export type CheckShape = (value: unknown, path: string) => UnknownPart | undefined;

export interface UnknownPart {
  readonly path: string;
  readonly expected: string;
  readonly got: unknown;
}

/** Accepts any value, because it is data of the scenario. */
export const data: CheckShape = () => undefined;

/** Accepts the given words. */
export function word(...words: readonly string[]): CheckShape {
  return (value, path) =>
    words.includes(value as string)
      ? undefined
      : { path, expected: `one of ${words.join(', ')}`, got: value };
}

/** Accepts an object with some of the given fields. A field that is `null` is absent. */
export function object(fields: Readonly<Record<string, CheckShape>>): CheckShape {
  const expected = `a field of ${Object.keys(fields).join(', ')}`;
  return (value, path) => {
    if (!isObject(value)) return { path, expected: 'an object', got: value };
    for (const [key, member] of Object.entries(value)) {
      const at = path === '' ? key : `${path}.${key}`;
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (field === undefined) return { path: at, expected, got: member };
      const unknown = member === null ? undefined : field(member, at);
      if (unknown) return unknown;
    }
    return undefined;
  };
}

/** Accepts an object whose field `tag` determines its other fields. */
export function tagged(
  tag: string,
  kinds: Readonly<Record<string, Readonly<Record<string, CheckShape>>>>,
): CheckShape {
  const name = word(...Object.keys(kinds));
  return (value, path) => {
    if (!isObject(value)) return { path, expected: `an object with \`${tag}\``, got: value };
    const kind = value[tag];
    return (
      name(kind, `${path}.${tag}`) ?? object({ ...kinds[kind as string], [tag]: name })(value, path)
    );
  };
}

/** Accepts an object with any keys, and values that `member` accepts. */
export function recordOf(member: CheckShape): CheckShape {
  return (value, path) => {
    if (!isObject(value)) return { path, expected: 'an object', got: value };
    return firstOf(Object.entries(value), (key) => `${path}.${key}`, member);
  };
}

/** Accepts a list of values that `item` accepts. */
export function listOf(item: CheckShape): CheckShape {
  return (value, path) => {
    if (!Array.isArray(value)) return { path, expected: 'a list', got: value };
    return firstOf(Object.entries(value), (index) => `${path}[${index}]`, item);
  };
}

/** Accepts one value or a list of them. */
export function oneOrMore(item: CheckShape): CheckShape {
  return (value, path) => (Array.isArray(value) ? listOf(item) : item)(value, path);
}

/** Accepts an object that `shape` accepts, and any value that is no object. */
export function plainOr(shape: CheckShape): CheckShape {
  return (value, path) => (isObject(value) ? shape(value, path) : undefined);
}

/** Accepts a text that is one of the words, and other values that `shape` accepts. */
export function wordOr(words: readonly string[], shape: CheckShape): CheckShape {
  return (value, path) => (typeof value === 'string' ? word(...words) : shape)(value, path);
}

function firstOf(
  entries: readonly (readonly [string, unknown])[],
  pathOf: (key: string) => string,
  member: CheckShape,
): UnknownPart | undefined {
  for (const [key, value] of entries) {
    const unknown = member(value, pathOf(key));
    if (unknown) return unknown;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
