import type { JsonValue } from 'holdpoint';

/** The position of a value inside another: names of members and indexes of items, outermost first. */
export type JsonPath = readonly (string | number)[];

/** Returns a path as a JSON pointer; empty for the whole value. */
export function pointerOf(path: JsonPath): string {
  return path
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** Returns the value at a path; `undefined` if it is missing. */
export function valueAt(value: JsonValue | undefined, path: JsonPath): JsonValue | undefined {
  let found = value;
  for (const step of path) found = memberOf(found, step);
  return found;
}

/** Returns a copy with another value at a path, or without one if `replacement` is `undefined`. */
export function withValueAt(
  value: JsonValue,
  path: JsonPath,
  replacement: JsonValue | undefined,
): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return replacement ?? null;
  const member = memberOf(value, step) ?? {};
  const inside = rest.length === 0 ? replacement : withValueAt(member, rest, replacement);
  if (Array.isArray(value)) {
    const index = Number(step);
    return inside === undefined
      ? value.filter((_, other) => other !== index)
      : value.with(Math.min(index, value.length - 1), inside);
  }
  // Entries, because a member may be called `__proto__`.
  const others = Object.entries(isObject(value) ? value : {});
  const isThere = others.some(([name]) => name === step);
  const changed = others.flatMap(([name, one]) =>
    name !== step ? [[name, one] as const] : inside === undefined ? [] : [[name, inside] as const],
  );
  if (!isThere && inside !== undefined) changed.push([String(step), inside]);
  return Object.fromEntries(changed);
}

export function isObject(
  value: JsonValue | undefined,
): value is { readonly [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function memberOf(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  // An own member, and members of JSON are JSON.
  return (value as Record<string, JsonValue>)[step];
}
