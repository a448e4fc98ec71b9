import { checkOptions } from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { JsonObject, JsonValue } from '../../internal/json.ts';
import type { JsonSchema } from '../tool-definition.ts';
import { flattenSchema, isSchemaObject } from './flat-schema.ts';

/** Options of {@link exampleValue}. */
export interface ExampleValueOptions {
  /** Selects other letters, numbers, members of enums and branches. Defaults to 0. */
  readonly seed?: number | undefined;
}

/**
 * Returns a small value that fits a JSON Schema. The same seed returns the same value.
 *
 * Text is `a`, and a number is 0 or the closest allowed one. Lists and objects have as few members as
 * possible. Of an enum, `examples` and alternatives, the first that fits is used. `pattern`, `not`, `if` and
 * `contains` are ignored: add `examples` to such a schema.
 */
export function exampleValue(schema: JsonSchema, options: ExampleValueOptions = {}): JsonValue {
  checkOptions('`exampleValue`', options, { seed: 'number' });
  const seed = Math.abs(Math.trunc(options.seed ?? 0));
  const value = example(schema, { root: schema, refs: new Set(), seed });
  if (value !== undefined) return value;
  throw new UserError(
    'No value fits the schema: it contradicts itself, or requires infinite nesting. Add `examples` to it.',
  );
}

/** The context of a schema inside the root. */
interface SchemaContext {
  readonly root: JsonObject;
  /** The references that led here. A value that needs one of them again would nest infinitely. */
  readonly refs: ReadonlySet<string>;
  readonly seed: number;
}

/** Returns a value for a schema inside the root, or `undefined` if none fits. */
function example(unresolved: JsonValue, parent: SchemaContext): JsonValue | undefined {
  const flat = flattenSchema(unresolved, parent.root, parent.refs);
  if (flat === undefined) return undefined;
  const { schema } = flat;
  const context = { ...parent, refs: flat.refs };

  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return pickBySeed(schema['enum'], context.seed);
  if (Array.isArray(schema['examples'])) return pickBySeed(schema['examples'], context.seed);
  if (Array.isArray(schema['anyOf'])) return exampleOfAny(schema, schema['anyOf'], context);
  return exampleOfType(schema, context);
}

function exampleOfAny(
  schema: JsonObject,
  branches: readonly JsonValue[],
  context: SchemaContext,
): JsonValue | undefined {
  const { anyOf: _, ...common } = schema;
  for (let offset = 0; offset < branches.length; offset++) {
    const branch = pickBySeed(branches, context.seed + offset);
    if (branch === undefined) continue;
    const value = example({ allOf: [common, branch] }, context);
    if (value !== undefined) return value;
  }
  return undefined;
}

function exampleOfType(schema: JsonObject, context: SchemaContext): JsonValue | undefined {
  switch (typeOf(schema, context.seed)) {
    case 'object':
      return exampleObject(schema, context);
    case 'array':
      return exampleArray(schema, context);
    case 'integer':
      return exampleNumber(schema, context.seed, { whole: true });
    case 'number':
      return exampleNumber(schema, context.seed, { whole: false });
    case 'boolean':
      return context.seed % 2 === 1;
    case 'null':
      return null;
    case 'string':
      return exampleString(schema, context.seed);
    default:
      return undefined;
  }
}

/** Returns the type of a schema. Without one, infers it from the other keywords. */
function typeOf(schema: JsonObject, seed: number): JsonValue | undefined {
  const { type } = schema;
  if (Array.isArray(type)) return pickBySeed(type, seed);
  if (type !== undefined) return type;
  const hasAny = (...keywords: readonly string[]) => keywords.some((name) => name in schema);
  if (hasAny('properties', 'required', 'additionalProperties', 'minProperties')) return 'object';
  if (hasAny('items', 'prefixItems', 'minItems')) return 'array';
  if (hasAny('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) {
    return 'number';
  }
  return 'string';
}

function exampleObject(schema: JsonObject, context: SchemaContext): JsonValue | undefined {
  const properties = isSchemaObject(schema['properties']) ? schema['properties'] : {};
  const names = new Set(namesIn(schema['required']));
  const minProperties = Number(schema['minProperties'] ?? 0);
  for (const name of Object.keys(properties)) if (names.size < minProperties) names.add(name);
  for (let extra = 1; names.size < minProperties; extra++) names.add(`property${extra}`);

  const members: [string, JsonValue][] = [];
  for (const name of names) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const value = example(known ?? schema['additionalProperties'] ?? true, context);
    if (value === undefined) return undefined;
    members.push([name, value]);
  }
  return Object.fromEntries(members);
}

function exampleArray(schema: JsonObject, context: SchemaContext): JsonValue | undefined {
  const leading = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
  const minItems = Number(schema['minItems'] ?? leading.length);
  const items: JsonValue[] = [];
  for (let index = 0; index < minItems; index++) {
    const seed = context.seed + (schema['uniqueItems'] === true ? index : 0);
    const item = example(leading[index] ?? schema['items'] ?? true, { ...context, seed });
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

function namesIn(required: JsonValue | undefined): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function pickBySeed(values: readonly JsonValue[], seed: number): JsonValue | undefined {
  return values[seed % values.length];
}

/** Example texts by format. */
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

/** Returns text of the required format, or letters of the required length. */
function exampleString(schema: JsonObject, seed: number): string {
  const formatted = FORMATS.get(schema['format']);
  if (formatted !== undefined) return formatted;
  const minLength = Number(schema['minLength'] ?? 0);
  const maxLength = Number(schema['maxLength'] ?? Number.POSITIVE_INFINITY);
  const letter = String.fromCharCode('a'.charCodeAt(0) + (seed % 26));
  const text = seed < 26 ? letter : `${letter}${Math.floor(seed / 26)}`;
  return text.padEnd(minLength, letter).slice(0, maxLength);
}

/** Returns the allowed number that is closest to 0, or `seed` steps beyond it if that is allowed too. */
function exampleNumber(
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
