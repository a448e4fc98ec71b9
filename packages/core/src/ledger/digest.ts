import { canonicalJson } from '../internal/canonical-json.ts';
import { defineOwn, isPlainObject, type JsonValue, toFrozenJson } from '../internal/json.ts';
import { sha256 } from '../internal/sha-256.ts';
import {
  hasDefaultsApplied,
  type JsonSchema,
  type ToolDefinition,
} from '../models/tool-definition.ts';

/** Everything that an approval of a call covers. */
export interface DigestedCall {
  /** The step that the call was parked in. */
  readonly step: string;
  /** The position of the call among the calls of its response. */
  readonly index: number;
  /** The ids of the calls that lead to the agent of this call, the outermost first; empty outside of sub-agents. */
  readonly path: readonly string[];
  readonly toolName: string;
  /** The arguments as they were sent: parsed and after hooks, before the schema fills in defaults. */
  readonly args: JsonValue;
  /** The validated arguments in their JSON form; absent if the approver was shown the arguments as sent only. */
  readonly validatedArgs?: JsonValue | undefined;
  /** See `schemaHash`. */
  readonly schemaHash?: string | undefined;
  readonly toolVersion?: string | undefined;
  /** The preview that the approver was shown. `null` is the same as none. */
  readonly preview?: JsonValue | undefined;
  /** The attempt in doubt, if the call may already have executed. */
  readonly inDoubt?: string | undefined;
  /** The number of earlier requests of the call. Absent for the first request. */
  readonly requestedBefore?: number | undefined;
  /** The question and the earlier decisions; absent if the call asks nothing and was not decided before. */
  readonly deferral?: unknown;
}

/**
 * Returns the digest of a call. It is the same in every process, and differs if anything differs that an approval
 * covers.
 *
 * It is the SHA-256, in hexadecimal digits, of the canonical JSON of a list of all fields.
 */
export async function callDigest(call: DigestedCall): Promise<string> {
  const { step, index, path, toolName, args, inDoubt, requestedBefore, deferral } = call;
  return digestOf('holdpoint/call/2', {
    step,
    index,
    path,
    toolName,
    args,
    validatedArgs: call.validatedArgs ?? null,
    schemaHash: call.schemaHash ?? null,
    toolVersion: call.toolVersion ?? null,
    preview: call.preview ?? null,
    ...(inDoubt !== undefined && { inDoubt }),
    // A number and an object, so that they differ from the text of `inDoubt`.
    ...(requestedBefore !== undefined && { requestedBefore }),
    ...(deferral !== undefined && { deferral }),
  });
}

/**
 * Returns the SHA-256 of the canonical JSON of `[domain, ...values]`. The names of the fields do not count.
 *
 * The domain separates digests of different kinds. Fields are serialised one by one, so that each may have the
 * maximum depth and errors contain its name.
 */
function digestOf(domain: string, fields: Readonly<Record<string, unknown>>): Promise<string> {
  let text = `[${canonicalJson(domain)}`;
  for (const name of Object.keys(fields)) text += `,${canonicalJson(fields[name], name)}`;
  return sha256(`${text}]`);
}

/** The computed hashes, by schema object. Tools keep their schema objects, which are frozen. */
const hashes = new WeakMap<JsonSchema, Promise<string>>();

/**
 * Returns the SHA-256 of a tool's JSON Schema without annotations, in hexadecimal digits.
 *
 * `description`, `examples`, `title` and `$comment` are annotations, unless they are names of
 * properties. `default` counts unless validation applies it: a server or the tool's own code may
 * fill it in where no approver sees the result. Unknown keywords count.
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
