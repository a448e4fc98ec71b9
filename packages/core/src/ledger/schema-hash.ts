import { isPlainObject, type JsonValue, defineOwn, toFrozenJson } from '../internal/json.ts';
import { hasDefaultsApplied, type JsonSchema } from '../models/json-schema.ts';
import type { ToolDefinition } from '../models/tool-definition.ts';
import { digestOf } from './digest.ts';

/** The computed hashes, by schema object. Tools keep their schema objects, which are frozen. */
const hashes = new WeakMap<JsonSchema, Promise<string>>();

/**
 * Returns the SHA-256 of what a tool's JSON Schema accepts, in hexadecimal digits.
 *
 * Annotations are left out (`description`, `examples`, `title`, `$comment`), wherever they are keywords and not
 * names of properties. `default` counts unless validation applies it: a server or the tool's own code may fill
 * it in where no approver sees the result. Unknown keywords count.
 */
export function schemaHash({
  parametersJsonSchema: schema,
}: Pick<ToolDefinition, 'parametersJsonSchema'>): Promise<string> {
  const hash = hashes.get(schema) ?? hashSchema(schema);
  hashes.set(schema, hash);
  return hash;
}

async function hashSchema(schema: JsonSchema): Promise<string> {
  // Converted first, which rejects a schema of a server that is too deep.
  const sent = toFrozenJson(schema, 'parametersJsonSchema');
  const ignored = hasDefaultsApplied(schema) ? ANNOTATIONS_AND_DEFAULT : ANNOTATIONS;
  return digestOf('holdpoint/schema/2', { parametersJsonSchema: withoutKeywords(sent, ignored) });
}

const ANNOTATIONS: ReadonlySet<string> = new Set(['description', 'examples', 'title', '$comment']);

const ANNOTATIONS_AND_DEFAULT: ReadonlySet<string> = new Set([...ANNOTATIONS, 'default']);

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

/** Keywords whose value contains schemas by arbitrary names. */
const WITH_NAMED_SCHEMAS: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** Returns a copy of a schema, or of a list of them, without some keywords. */
function withoutKeywords(schema: JsonValue, ignored: ReadonlySet<string>): JsonValue {
  if (Array.isArray(schema)) return schema.map((one: JsonValue) => withoutKeywords(one, ignored));
  if (!isPlainObject(schema)) return schema;
  const kept: Record<string, JsonValue> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!ignored.has(keyword)) defineOwn(kept, keyword, keywordValue(keyword, value, ignored));
  }
  return kept;
}

function keywordValue(keyword: string, value: JsonValue, ignored: ReadonlySet<string>): JsonValue {
  if (WITH_SCHEMAS.has(keyword)) return withoutKeywords(value, ignored);
  if (!WITH_NAMED_SCHEMAS.has(keyword) || !isPlainObject(value)) return value;
  const named: Record<string, JsonValue> = {};
  for (const [name, schema] of Object.entries(value)) {
    defineOwn(named, name, withoutKeywords(schema, ignored));
  }
  return named;
}
