import { UserError } from '../../errors/user-errors.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';

/** A schema without `$ref`, `allOf` and `oneOf` at its top level, and the references that led to it. */
export interface FlatSchema {
  readonly schema: JsonObject;
  readonly refs: ReadonlySet<string>;
}

/**
 * Merges a schema with its reference and the schemas of its `allOf`. `oneOf` becomes `anyOf`.
 *
 * Returns `undefined` if no value fits: for `false`, and for a reference that leads back to itself.
 */
export function flattenSchema(
  schema: JsonValue,
  root: JsonObject,
  refs: ReadonlySet<string>,
): FlatSchema | undefined {
  if (schema === false) return undefined;
  if (!isSchemaObject(schema)) return { schema: {}, refs };
  const { $ref, allOf, oneOf, ...others } = schema;
  let flat: FlatSchema | undefined = { schema: others, refs };
  if (Array.isArray(oneOf)) flat = { schema: mergeSchemas(others, { anyOf: oneOf }), refs };
  if (typeof $ref === 'string') {
    if (refs.has($ref)) return undefined;
    flat = flattenInto(flat, resolveReference($ref, root), root, new Set([...refs, $ref]));
  }
  for (const part of Array.isArray(allOf) ? allOf : []) {
    flat = flat && flattenInto(flat, part, root, refs);
  }
  return flat;
}

/** Returns true if a schema is an object. `true` and other values have no keywords. */
export function isSchemaObject(schema: unknown): schema is JsonObject {
  return isPlainObject(schema);
}

function flattenInto(
  flat: FlatSchema,
  part: JsonValue,
  root: JsonObject,
  refs: ReadonlySet<string>,
): FlatSchema | undefined {
  const other = flattenSchema(part, root, refs);
  if (other === undefined) return undefined;
  return {
    schema: mergeSchemas(flat.schema, other.schema),
    refs: new Set([...flat.refs, ...other.refs]),
  };
}

function resolveReference($ref: string, root: JsonObject): JsonValue {
  const [start, ...path] = $ref.split('/');
  let target = start === '#' ? (root as JsonValue) : undefined;
  for (const step of path) {
    target = member(target, decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  if (target !== undefined) return target;
  throw new UserError(`The schema has no \`${$ref}\`. Use only references into the schema itself.`);
}

function member(parent: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key))
    return undefined;
  return (parent as JsonObject)[key];
}

type Combine = (left: JsonValue, right: JsonValue) => JsonValue;

const larger: Combine = (left, right) => Math.max(Number(left), Number(right));
const smaller: Combine = (left, right) => Math.min(Number(left), Number(right));
const both: Combine = (left, right) => ({ allOf: [left, right] });
const shared: Combine = (left, right) => {
  const allowed = new Set(toList(right).map((item) => JSON.stringify(item)));
  return toList(left).filter((item) => allowed.has(JSON.stringify(item)));
};

/** Combines the values of a keyword of two schemas. For other keywords the right value applies. */
const COMBINE: ReadonlyMap<string, Combine> = new Map<string, Combine>([
  ['minimum', larger],
  ['exclusiveMinimum', larger],
  ['minLength', larger],
  ['minItems', larger],
  ['minProperties', larger],
  ['maximum', smaller],
  ['exclusiveMaximum', smaller],
  ['maxLength', smaller],
  ['maxItems', smaller],
  ['enum', shared],
  ['items', both],
  ['additionalProperties', both],
  ['required', (left, right) => [...new Set([...toList(left), ...toList(right)])]],
  ['anyOf', (left, right) => toList(left).flatMap((a) => toList(right).map((b) => both(a, b)))],
  ['type', (left, right) => sharedTypes(toList(left), toList(right))],
  ['properties', mergeProperties],
]);

function mergeSchemas(left: JsonObject, right: JsonObject): JsonObject {
  const merged = new Map(Object.entries(left));
  for (const [keyword, value] of Object.entries(right)) {
    const known = merged.get(keyword);
    const combine = COMBINE.get(keyword);
    merged.set(keyword, known === undefined || !combine ? value : combine(known, value));
  }
  return Object.fromEntries(merged);
}

function mergeProperties(left: JsonValue, right: JsonValue): JsonValue {
  const merged = new Map(isSchemaObject(left) ? Object.entries(left) : []);
  for (const [name, schema] of isSchemaObject(right) ? Object.entries(right) : []) {
    const known = merged.get(name);
    merged.set(name, known === undefined ? schema : both(known, schema));
  }
  return Object.fromEntries(merged);
}

function sharedTypes(left: readonly JsonValue[], right: readonly JsonValue[]): JsonValue {
  const allows = (types: readonly JsonValue[], type: JsonValue) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return [
    ...left.filter((type) => allows(right, type)),
    ...right.filter((type) => allows(left, type) && !left.includes(type)),
  ];
}

function toList(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}
