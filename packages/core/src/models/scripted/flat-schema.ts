import { UserError } from '../../errors/user-errors.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../internal/json.ts';

/** A schema without `$ref`, `allOf` and `oneOf` at its top, and the references that led to it. */
export interface FlatSchema {
  readonly schema: JsonObject;
  readonly refs: ReadonlySet<string>;
}

/**
 * Puts what a schema refers to and all parts of its `allOf` into one; `oneOf` becomes `anyOf`.
 *
 * It gives `undefined` where no value fits: under `false`, and where a reference leads back to itself.
 */
export function flatten(
  schema: JsonValue,
  root: JsonObject,
  refs: ReadonlySet<string>,
): FlatSchema | undefined {
  if (schema === false) return undefined;
  if (!isSchemaObject(schema)) return { schema: {}, refs };
  const { $ref, allOf, oneOf, ...own } = schema;
  let flat: FlatSchema | undefined = { schema: own, refs };
  if (Array.isArray(oneOf)) flat = { schema: merge(own, { anyOf: oneOf }), refs };
  if (typeof $ref === 'string') {
    if (refs.has($ref)) return undefined;
    flat = flattenInto(flat, resolve($ref, root), root, new Set([...refs, $ref]));
  }
  for (const part of Array.isArray(allOf) ? allOf : []) {
    flat = flat && flattenInto(flat, part, root, refs);
  }
  return flat;
}

/** Whether a schema says something; `true` and what is no schema at all do not. */
export function isSchemaObject(schema: unknown): schema is JsonObject {
  return isPlainObject(schema);
}

function flattenInto(
  flat: FlatSchema,
  part: JsonValue,
  root: JsonObject,
  refs: ReadonlySet<string>,
): FlatSchema | undefined {
  const other = flatten(part, root, refs);
  if (other === undefined) return undefined;
  return {
    schema: merge(flat.schema, other.schema),
    refs: new Set([...flat.refs, ...other.refs]),
  };
}

function resolve($ref: string, root: JsonObject): JsonValue {
  const [start, ...path] = $ref.split('/');
  let target = start === '#' ? (root as JsonValue) : undefined;
  for (const step of path) {
    target = member(target, decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  if (target !== undefined) return target;
  throw new UserError(
    `The schema has no \`${$ref}\`. References must lead into the schema itself.`,
  );
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
  const allowed = new Set(list(right).map((item) => JSON.stringify(item)));
  return list(left).filter((item) => allowed.has(JSON.stringify(item)));
};

/** What holds when two schemas say the same keyword; of other keywords the right one counts. */
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
  ['required', (left, right) => [...new Set([...list(left), ...list(right)])]],
  ['anyOf', (left, right) => list(left).flatMap((a) => list(right).map((b) => both(a, b)))],
  ['type', (left, right) => sharedTypes(list(left), list(right))],
  ['properties', mergeProperties],
]);

function merge(left: JsonObject, right: JsonObject): JsonObject {
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

function list(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [value];
}
