import { checkOptions } from '../../errors/check-options.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { JsonObject, JsonValue } from '../../internal/json.ts';
import type { JsonSchema } from '../json-schema.ts';
import { exampleNumber, exampleString } from './example-scalar.ts';
import { flatten, isSchemaObject } from './flat-schema.ts';

/** Which of the possible values {@link exampleValue} gives. */
export interface ExampleValueOptions {
  /** Another seed gives other letters, numbers, members of enums and branches; 0 unless said otherwise. */
  readonly seed?: number | undefined;
}

/**
 * A small value that fits a JSON Schema, always the same for the same seed.
 *
 * Text is `a`, a number is 0 or the closest to it that is allowed, a list is as short and an object as
 * empty as they may be; of an enum, of `examples` and of alternatives it takes the first that works.
 * `pattern`, `not`, `if` and `contains` are not looked at: give such a schema `examples`.
 */
export function exampleValue(schema: JsonSchema, options: ExampleValueOptions = {}): JsonValue {
  checkOptions('`exampleValue`', options, { seed: 'number' });
  const seed = Math.abs(Math.trunc(options.seed ?? 0));
  const value = example(schema, { root: schema, refs: new Set(), seed });
  if (value !== undefined) return value;
  throw new UserError(
    'No value fits the schema: it contradicts itself or needs a value without end. Give it `examples`.',
  );
}

interface Place {
  readonly root: JsonObject;
  /** The references on the way down: a value that needs one of them again would have no end. */
  readonly refs: ReadonlySet<string>;
  readonly seed: number;
}

/** A value for a schema inside the root; `undefined` where there is none. */
function example(unresolved: JsonValue, above: Place): JsonValue | undefined {
  const flat = flatten(unresolved, above.root, above.refs);
  if (flat === undefined) return undefined;
  const { schema } = flat;
  const place = { ...above, refs: flat.refs };

  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return pick(schema['enum'], place.seed);
  if (Array.isArray(schema['examples'])) return pick(schema['examples'], place.seed);
  if (Array.isArray(schema['anyOf'])) return exampleOfAny(schema, schema['anyOf'], place);
  return exampleOfType(schema, place);
}

function exampleOfAny(
  schema: JsonObject,
  branches: readonly JsonValue[],
  place: Place,
): JsonValue | undefined {
  const { anyOf: _, ...common } = schema;
  for (let turn = 0; turn < branches.length; turn++) {
    const branch = pick(branches, place.seed + turn);
    if (branch === undefined) continue;
    const value = example({ allOf: [common, branch] }, place);
    if (value !== undefined) return value;
  }
  return undefined;
}

function exampleOfType(schema: JsonObject, place: Place): JsonValue | undefined {
  switch (typeOf(schema, place.seed)) {
    case 'object':
      return exampleObject(schema, place);
    case 'array':
      return exampleArray(schema, place);
    case 'integer':
      return exampleNumber(schema, place.seed, { whole: true });
    case 'number':
      return exampleNumber(schema, place.seed, { whole: false });
    case 'boolean':
      return place.seed % 2 === 1;
    case 'null':
      return null;
    case 'string':
      return exampleString(schema, place.seed);
    default:
      return undefined;
  }
}

/** The type of a schema; where it is not said, the one that its other keywords speak of. */
function typeOf(schema: JsonObject, seed: number): JsonValue | undefined {
  const { type } = schema;
  if (Array.isArray(type)) return pick(type, seed);
  if (type !== undefined) return type;
  const speaksOf = (...keywords: readonly string[]) => keywords.some((name) => name in schema);
  if (speaksOf('properties', 'required', 'additionalProperties', 'minProperties')) return 'object';
  if (speaksOf('items', 'prefixItems', 'minItems')) return 'array';
  if (speaksOf('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) {
    return 'number';
  }
  return 'string';
}

function exampleObject(schema: JsonObject, place: Place): JsonValue | undefined {
  const properties = isSchemaObject(schema['properties']) ? schema['properties'] : {};
  const names = new Set(namesIn(schema['required']));
  const fewest = Number(schema['minProperties'] ?? 0);
  for (const name of Object.keys(properties)) if (names.size < fewest) names.add(name);
  for (let extra = 1; names.size < fewest; extra++) names.add(`property${extra}`);

  const members: [string, JsonValue][] = [];
  for (const name of names) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const value = example(known ?? schema['additionalProperties'] ?? true, place);
    if (value === undefined) return undefined;
    members.push([name, value]);
  }
  return Object.fromEntries(members);
}

function exampleArray(schema: JsonObject, place: Place): JsonValue | undefined {
  const leading = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
  const fewest = Number(schema['minItems'] ?? leading.length);
  const items: JsonValue[] = [];
  for (let index = 0; index < fewest; index++) {
    const seed = place.seed + (schema['uniqueItems'] === true ? index : 0);
    const item = example(leading[index] ?? schema['items'] ?? true, { ...place, seed });
    if (item === undefined) return undefined;
    items.push(item);
  }
  return items;
}

function namesIn(required: JsonValue | undefined): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function pick(values: readonly JsonValue[], seed: number): JsonValue | undefined {
  return values[seed % values.length];
}
