import type { JsonObject, JsonValue } from '../../internal/json.ts';

const FORMATS: ReadonlyMap<JsonValue | undefined, string> = new Map([
  ['date', '2026-01-01'],
  ['time', '00:00:00Z'],
  ['date-time', '2026-01-01T00:00:00Z'],
  ['duration', 'PT1S'],
  ['email', 'a@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
]);

/** Text of the format asked for, or as many letters as are needed. */
export function exampleString(schema: JsonObject, seed: number): string {
  const formatted = FORMATS.get(schema['format']);
  if (formatted !== undefined) return formatted;
  const fewest = Number(schema['minLength'] ?? 0);
  const most = Number(schema['maxLength'] ?? Number.POSITIVE_INFINITY);
  const letter = String.fromCharCode('a'.charCodeAt(0) + (seed % 26));
  const text = seed < 26 ? letter : `${letter}${Math.floor(seed / 26)}`;
  return text.padEnd(fewest, letter).slice(0, most);
}

/** The allowed number that is closest to 0, or `seed` steps beyond it where that is allowed too. */
export function exampleNumber(
  schema: JsonObject,
  seed: number,
  { whole }: { readonly whole: boolean },
): number | undefined {
  const bound = (keyword: string) => {
    const value = schema[keyword];
    return typeof value === 'number' ? value : undefined;
  };
  const low = Math.max(bound('minimum') ?? -Infinity, bound('exclusiveMinimum') ?? -Infinity);
  const high = Math.min(bound('maximum') ?? Infinity, bound('exclusiveMaximum') ?? Infinity);
  const fits = (value: number) =>
    value >= low &&
    value <= high &&
    value !== bound('exclusiveMinimum') &&
    value !== bound('exclusiveMaximum');

  const step = bound('multipleOf') ?? 1;
  const nearest = low > 0 ? Math.ceil(low / step) : high < 0 ? Math.floor(high / step) : 0;
  const middle = whole || bound('multipleOf') !== undefined ? [] : [(low + high) / 2];
  const candidates = [nearest, nearest + 1, nearest - 1].map((steps) => steps * step);
  const found = [...candidates, ...middle].find((value) => fits(value));
  if (found === undefined) return undefined;
  const further = found + seed * step * (found < 0 ? -1 : 1);
  return (fits(further) ? further : found) + 0;
}
