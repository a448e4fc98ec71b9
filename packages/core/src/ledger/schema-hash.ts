import { isPlainObject, type JsonValue, setOwn, toFrozenJson } from '../messages/json.ts';
import type { JsonSchema } from '../models/json-schema.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import { digestOf } from './digest.ts';

/** Hashes that were computed, by the schema object: tools keep theirs, and nobody changes it. */
const known = new WeakMap<JsonSchema, Promise<string>>();

/**
 * The SHA-256 of what a tool's JSON Schema accepts, in hexadecimal digits.
 *
 * What only describes is left out (`default`, `description`, `examples`, `title`, `$comment`), wherever
 * it is a keyword and not the name of a property. Unknown keywords count.
 */
export function schemaHash({
  parametersJsonSchema: schema,
}: Pick<ToolDefinition, 'parametersJsonSchema'>): Promise<string> {
  const hash = known.get(schema) ?? hashSchema(schema);
  known.set(schema, hash);
  return hash;
}

async function hashSchema(schema: JsonSchema): Promise<string> {
  // As it is sent; what a server sends may be too deep to walk.
  const sent = toFrozenJson(schema, 'parametersJsonSchema');
  return digestOf('holdpoint/schema/1', { parametersJsonSchema: withoutAnnotations(sent) });
}

const ANNOTATIONS: ReadonlySet<string> = new Set([
  'default',
  'description',
  'examples',
  'title',
  '$comment',
]);

/** Keywords whose value is a schema or a list of schemas. */
const WITH_SCHEMAS: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

/** Keywords whose value has schemas under names that mean nothing. */
const WITH_NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** A copy of a schema, or of a list of them; what is no schema is taken as it is. */
function withoutAnnotations(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map((one: JsonValue) => withoutAnnotations(one));
  if (!isPlainObject(schema)) return schema;
  const kept: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!ANNOTATIONS.has(keyword)) setOwn(kept, keyword, keywordValue(keyword, value));
  }
  return kept;
}

function keywordValue(keyword: string, value: JsonValue): JsonValue {
  if (WITH_SCHEMAS.has(keyword)) return withoutAnnotations(value);
  if (!WITH_NAMED_SCHEMAS.has(keyword) || !isPlainObject(value)) return value;
  const named: Record<string, JsonValue> = {};
  for (const [name, schema] of Object.entries(value)) {
    setOwn(named, name, withoutAnnotations(schema));
  }
  return named;
}
