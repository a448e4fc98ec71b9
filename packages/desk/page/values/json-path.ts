import type { JsonValue } from 'holdpoint';

/** Where in a value something is: names of members and places in lists, from the outside in. */
export type JsonPath = readonly (string | number)[];

/** A path as one text, as JSON pointers are written; empty for the value as a whole. */
export function pointerOf(path: JsonPath): string {
  return path
    .map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

/** What is at a path; `undefined` if nothing is. */
export function valueAt(value: JsonValue | undefined, path: JsonPath): JsonValue | undefined {
  let found = value;
  for (const step of path) found = memberOf(found, step);
  return found;
}

/** A copy of a value in which something else is at a path; without it, if that is `undefined`. */
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
    const place = Number(step);
    return inside === undefined
      ? value.filter((_, at) => at !== place)
      : value.with(Math.min(place, value.length - 1), inside);
  }
  // Entries, so that no name of a member is taken for something else.
  const others = Object.entries(isObject(value) ? value : {});
  const isThere = others.some(([name]) => name === step);
  const changed = others.flatMap(([name, one]) =>
    name !== step ? [[name, one] as const] : inside === undefined ? [] : [[name, inside] as const],
  );
  if (!isThere && inside !== undefined) changed.push([String(step), inside]);
  return Object.fromEntries(changed);
}

/** Whether a value is a JSON object. */
export function isObject(
  value: JsonValue | undefined,
): value is { readonly [name: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function memberOf(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  // It is a member of its own, and members of JSON are JSON.
  return (value as Record<string, JsonValue>)[step];
}
