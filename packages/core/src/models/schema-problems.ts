import { type JsonObject, type JsonValue, isPlainObject, isSameJson } from '../internal/json.ts';

const MAX_SCHEMA_DEPTH = 64;

/** The maximum number of schemas that one validation applies: a small one that refers to itself can cause any amount of work. */
const MAX_APPLIED = 200_000;

/**
 * Validates a value against JSON Schema, and returns a sentence per problem; an empty list if the value is valid.
 *
 * It supports the keywords that forms use: types, members, items, `enum`, `const`, bounds, combinations and local
 * references. Patterns and formats are not validated, because a schema may come from outside and a pattern may take
 * exponential time.
 */
export function schemaProblems(schema: JsonObject, value: JsonValue): readonly string[] {
  const budget = { left: MAX_APPLIED };
  const problems = problemsAt({ root: schema, path: '', depth: 0, budget }, schema, value);
  // A part that was not validated may have counted as one that fits or does not.
  return budget.left < 0 ? ['The value needs too much work to be validated.'] : problems;
}

interface SchemaPosition {
  readonly root: JsonObject;
  /** The path of the value, such as `address.city`; empty for the whole value. */
  readonly path: string;
  readonly depth: number;
  /** The number of schemas that may still be applied; shared by all positions. */
  readonly budget: { left: number };
}

function problemsAt(at: SchemaPosition, schema: JsonValue, value: JsonValue): readonly string[] {
  if (schema === true) return [];
  if (!isPlainObject(schema)) return [problem(at, 'is not allowed.')];
  at.budget.left -= 1;
  if (at.budget.left < 0) return [problem(at, 'was not validated.')];
  if (at.depth > MAX_SCHEMA_DEPTH) return [problem(at, 'is nested too deeply.')];
  // A plain object that is JSON is a JSON object.
  const known = schema as JsonObject;
  const next = { ...at, depth: at.depth + 1 };
  if (typeof known['$ref'] === 'string') {
    return problemsAt(next, referenced(at.root, known['$ref']), value);
  }
  const typed = typeProblem(at, known, value);
  if (typed !== undefined) return [typed];
  return [
    ...valueProblems(at, known, value),
    ...memberProblems(next, known, value),
    ...itemProblems(next, known, value),
    ...combinationProblems(next, known, value),
  ];
}

/** Returns the schema that a local reference names; `false`, which allows nothing, if there is none. */
function referenced(root: JsonObject, reference: string): JsonValue {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return false;
  let found: JsonValue | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const members: JsonObject | undefined = isPlainObject(found)
      ? (found as JsonObject)
      : undefined;
    found = members !== undefined && Object.hasOwn(members, name) ? members[name] : undefined;
  }
  return found ?? false;
}

function typeProblem(
  at: SchemaPosition,
  { type }: JsonObject,
  value: JsonValue,
): string | undefined {
  if (type === undefined) return undefined;
  const types = Array.isArray(type) ? type : [type];
  if (types.some((one) => hasType(one, value))) return undefined;
  return problem(
    at,
    `must be ${types.map((one) => NAMES[String(one)] ?? String(one)).join(' or ')}.`,
  );
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
  null: 'null',
};

function hasType(type: JsonValue, value: JsonValue): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isPlainObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function valueProblems(at: SchemaPosition, schema: JsonObject, value: JsonValue): string[] {
  const problems: string[] = [];
  const { enum: options, const: only } = schema;
  if (Array.isArray(options) && !options.some((one) => isSameJson(one, value))) {
    problems.push(problem(at, `must be one of ${options.map(quoted).join(', ')}.`));
  }
  if (only !== undefined && !isSameJson(only, value)) {
    problems.push(problem(at, `must be ${quoted(only)}.`));
  }
  if (typeof value === 'number') problems.push(...boundProblems(at, schema, NUMBER_BOUNDS, value));
  if (typeof value === 'string') {
    problems.push(...boundProblems(at, schema, TEXT_BOUNDS, [...value].length));
  }
  if (Array.isArray(value)) problems.push(...boundProblems(at, schema, LIST_BOUNDS, value.length));
  return problems;
}

interface Bound {
  readonly allows: (size: number, bound: number) => boolean;
  readonly text: (bound: number) => string;
}

type Bounds = Readonly<Record<string, Bound>>;

const atLeast = (text: Bound['text']): Bound => ({ allows: (size, bound) => size >= bound, text });
const atMost = (text: Bound['text']): Bound => ({ allows: (size, bound) => size <= bound, text });

const NUMBER_BOUNDS: Bounds = {
  minimum: atLeast((bound) => `must be at least ${bound}.`),
  maximum: atMost((bound) => `must be at most ${bound}.`),
  exclusiveMinimum: {
    allows: (size, bound) => size > bound,
    text: (bound) => `must be more than ${bound}.`,
  },
  exclusiveMaximum: {
    allows: (size, bound) => size < bound,
    text: (bound) => `must be less than ${bound}.`,
  },
};
const TEXT_BOUNDS: Bounds = {
  minLength: atLeast((bound) => `must have at least ${bound} characters.`),
  maxLength: atMost((bound) => `must have at most ${bound} characters.`),
};
const LIST_BOUNDS: Bounds = {
  minItems: atLeast((bound) => `must have at least ${bound} items.`),
  maxItems: atMost((bound) => `must have at most ${bound} items.`),
};

function boundProblems(
  at: SchemaPosition,
  schema: JsonObject,
  bounds: Bounds,
  size: number,
): string[] {
  return Object.entries(bounds).flatMap(([name, { allows, text }]) => {
    const bound = schema[name];
    return typeof bound !== 'number' || allows(size, bound) ? [] : [problem(at, text(bound))];
  });
}

function memberProblems(at: SchemaPosition, schema: JsonObject, value: JsonValue): string[] {
  if (!isPlainObject(value)) return [];
  const members = value as JsonObject;
  const { properties, required, additionalProperties = true } = schema;
  const known = isPlainObject(properties) ? (properties as JsonObject) : {};
  const problems = (Array.isArray(required) ? required : [])
    .filter((name) => typeof name === 'string' && !Object.hasOwn(members, name))
    .map((name) => problem(inside(at, String(name)), 'is missing.'));
  for (const [name, member] of Object.entries(members)) {
    const expected = Object.hasOwn(known, name) ? known[name] : additionalProperties;
    problems.push(...problemsAt(inside(at, name), expected ?? true, member));
  }
  return problems;
}

function itemProblems(at: SchemaPosition, { items }: JsonObject, value: JsonValue): string[] {
  if (!Array.isArray(value) || items === undefined || Array.isArray(items)) return [];
  return value.flatMap((item, index) => problemsAt(inside(at, String(index)), items, item));
}

function combinationProblems(at: SchemaPosition, schema: JsonObject, value: JsonValue): string[] {
  const { allOf, anyOf, oneOf } = schema;
  const problems = problemList(allOf).flatMap((one) => problemsAt(at, one, value));
  const fits = (one: JsonValue) => problemsAt(at, one, value).length === 0;
  if (Array.isArray(anyOf) && !anyOf.some(fits)) {
    problems.push(problem(at, 'fits none of the allowed forms.'));
  }
  if (Array.isArray(oneOf) && oneOf.filter(fits).length !== 1) {
    problems.push(problem(at, 'must fit exactly one of the allowed forms.'));
  }
  return problems;
}

function problemList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function inside(at: SchemaPosition, name: string): SchemaPosition {
  return { ...at, path: at.path === '' ? name : `${at.path}.${name}` };
}

function problem({ path }: SchemaPosition, text: string): string {
  return path === '' ? `The value ${text}` : `\`${path}\` ${text}`;
}

function quoted(value: JsonValue): string {
  return `\`${JSON.stringify(value)}\``;
}
