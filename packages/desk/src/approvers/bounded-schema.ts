import type { JsonObject, JsonValue } from 'holdpoint';

/** Keywords whose value is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required']);

/** Keywords whose value maps names to schemas. */
const MAPS: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** Formats whose check takes linear time. The validator has others that do not, such as `url`. */
const FORMATS: ReadonlySet<string> = new Set([
  'date',
  'date-time',
  'duration',
  'email',
  'ipv4',
  'ipv6',
  'time',
  'uri',
  'uuid',
]);

/**
 * Returns a copy of a schema without the parts that can take exponential time: regular expressions,
 * and formats that are not known to be safe. A schema may come from an MCP server, so its
 * expressions must not be executed on a thread that serves others. The tool validates the arguments
 * again before it executes.
 *
 * The copy accepts every value that the schema accepts. For this, keywords that reject more when a
 * part is missing, such as `not`, are left out with it.
 */
export function boundedSchema(
  schema: JsonObject,
  {
    uniqueItems,
  }: { /** Keeps `uniqueItems`, which compares all items. */ readonly uniqueItems: boolean },
): JsonObject {
  const isLeftOut: IsLeftOut = (keyword, value) =>
    isUnsafe(keyword, value) || (keyword === 'uniqueItems' && !uniqueItems);
  const rest = hasPart(schema, isLeftOut)
    ? (keyword: string, value: JsonValue) => isLeftOut(keyword, value) || NOT_MONOTONE.has(keyword)
    : undefined;
  // The copy of an object is an object.
  return (rest === undefined ? structuredClone(schema) : copyOf(schema, rest)) as JsonObject;
}

type IsLeftOut = (keyword: string, value: JsonValue) => boolean;

function hasPart(schema: JsonValue, isPart: IsLeftOut): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (Array.isArray(schema)) return schema.some((one) => hasPart(one, isPart));
  return Object.entries(schema).some(([keyword, value]) => {
    if (DATA.has(keyword)) return false;
    if (isPart(keyword, value)) return true;
    const isMap = MAPS.has(keyword) && typeof value === 'object' && value !== null;
    return isMap
      ? Object.values(value).some((one) => hasPart(one, isPart))
      : hasPart(value, isPart);
  });
}

function isUnsafe(keyword: string, value: JsonValue): boolean {
  if (keyword === 'pattern' || keyword === 'patternProperties') return true;
  return keyword === 'format' && !FORMATS.has(String(value));
}

/** Keywords that may reject more if a part of the schema is missing. */
const NOT_MONOTONE: ReadonlySet<string> = new Set([
  'else',
  'if',
  'maxContains',
  'not',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

function copyOf(schema: JsonValue, isLeftOut: IsLeftOut): JsonValue {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((one) => copyOf(one, isLeftOut));
  const entries: [string, JsonValue][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (isLeftOut(keyword, value)) continue;
    // Members that match one of the patterns are not additional.
    if (keyword === 'additionalProperties' && 'patternProperties' in schema) continue;
    if (DATA.has(keyword)) entries.push([keyword, structuredClone(value)]);
    else if (MAPS.has(keyword)) entries.push([keyword, copyOfMap(value, isLeftOut)]);
    else entries.push([keyword, copyOf(value, isLeftOut)]);
  }
  const copy = Object.fromEntries(entries);
  return copy['oneOf'] === undefined ? copy : withAnyOf(copy);
}

function copyOfMap(value: JsonValue, isLeftOut: IsLeftOut): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, copyOf(one, isLeftOut)]),
  );
}

/** Without their patterns, several of the alternatives may fit. */
function withAnyOf(schema: JsonObject): JsonObject {
  const { oneOf = [], ...rest } = schema;
  const { allOf = [] } = rest;
  return { ...rest, allOf: [...(Array.isArray(allOf) ? allOf : []), { anyOf: oneOf }] };
}
