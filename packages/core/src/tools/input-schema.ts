import { showValue } from '../errors/show-value.ts';
import { UserError } from '../errors/user-errors.ts';
import { messageOf } from '../errors/thrown.ts';
import { isPlainObject, type JsonValue, toFrozenJson } from '../internal/json.ts';
import type { ValidationIssue } from '../messages/request-part.ts';
import type { JsonSchema } from '../models/tool-definition.ts';
import type {
  JsonSchemaConverter,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from './standard-schema.ts';

/** The result of a validation: the value that the schema returned, or the issues that it found. */
export type SchemaValidation<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly ValidationIssue[] };

/**
 * Makes a schema from JSON Schema.
 *
 * The model receives the schema. Values are validated only by `validate`, if it is passed.
 *
 * @example
 * const inputSchema = fromJsonSchema<{ path: string }>({ type: 'object', properties: { path: { type: 'string' } } })
 */
export function fromJsonSchema<Value = unknown>(
  schema: JsonSchema,
  validate?: (value: unknown) => Value | Promise<Value>,
): StandardSchema<Value, Value> {
  const json = () => schema as Record<string, unknown>;
  return Object.freeze({
    '~standard': Object.freeze({
      version: 1 as const,
      vendor: 'holdpoint',
      jsonSchema: { input: json, output: json },
      validate: (value: unknown) =>
        validate === undefined ? { value: value as Value } : runValidate(validate, value),
    }),
  });
}

async function runValidate<Value>(
  validate: (value: unknown) => Value | Promise<Value>,
  value: unknown,
): Promise<{ value: Value } | { issues: StandardIssue[] }> {
  try {
    return { value: await validate(value) };
  } catch (error) {
    return { issues: [{ message: messageOf(error) }] };
  }
}

/** Converts a schema to JSON Schema. `what` names it in error messages. */
export function toJsonSchema(
  schema: StandardSchema,
  what: string,
  direction: 'input' | 'output' = 'input',
  converter?: JsonSchemaConverter | undefined,
): JsonSchema {
  // Untyped callers may pass any value.
  const standard = (schema as StandardSchema | null | undefined)?.['~standard'];
  if (standard === undefined) {
    throw new UserError(
      `${what} is ${showValue(schema)}, which is not a schema. Pass one of zod, arktype or valibot, such as ` +
        'z.object({ … }), or fromJsonSchema({ … }) for plain JSON Schema.',
    );
  }
  if (converter === undefined && standard.jsonSchema === undefined) {
    throw new UserError(
      `${what} cannot be turned into JSON Schema: ${standard.vendor} does not offer it. ` +
        'Wrap the schema (for valibot: toStandardJsonSchema of @valibot/to-json-schema), ' +
        'give the tool a jsonSchema converter, or use fromJsonSchema.',
    );
  }
  let json: unknown;
  try {
    json = converter ? converter(schema) : standard.jsonSchema?.[direction]({ target: 'draft-07' });
  } catch (error) {
    const reason = messageOf(error);
    throw new UserError(
      `${what} cannot be turned into JSON Schema: ${reason} ` +
        'Use types that JSON can express, or give a jsonSchema converter.',
      { cause: error },
    );
  }
  if (!isPlainObject(json)) {
    throw new UserError(
      `${what} cannot be turned into JSON Schema: its converter gave no object. ` +
        "Let it return one, such as { type: 'object' }.",
    );
  }
  const { $schema: _, ...rest } = toFrozenJson(json, what) as JsonSchema;
  return Object.freeze(rest);
}

/** Validates a value with a schema. Returns a promise only if the schema is asynchronous. */
export function checkValue<Value>(
  schema: StandardSchema<unknown, Value>,
  value: unknown,
): SchemaValidation<Value> | Promise<SchemaValidation<Value>> {
  const result = schema['~standard'].validate(value);
  return 'then' in result ? checkAsync(result, value) : toChecked(result, value);
}

async function checkAsync<Value>(
  result: Promise<StandardResult<Value>>,
  value: unknown,
): Promise<SchemaValidation<Value>> {
  return toChecked(await result, value);
}

function toChecked<Value>(
  result: { value: Value; issues?: undefined } | { issues: readonly StandardIssue[] },
  input: unknown,
): SchemaValidation<Value> {
  return result.issues === undefined
    ? { ok: true, value: result.value }
    : { ok: false, issues: Object.freeze(result.issues.map((issue) => toIssue(issue, input))) };
}

function toIssue(issue: StandardIssue, input: unknown): ValidationIssue {
  const path: (string | number)[] = [];
  let found = input;
  let isMissing = false;
  for (const step of issue.path ?? []) {
    const key = typeof step === 'object' ? step.key : step;
    path.push(typeof key === 'number' ? key : String(key));
    const member: unknown = isMissing ? undefined : memberOf(found, key);
    isMissing = member === undefined;
    // If the member is missing, the input is the object that lacks it.
    if (!isMissing) found = member;
  }
  return Object.freeze({ path: Object.freeze(path), message: issue.message, ...inputOf(found) });
}

/** Returns the invalid value as JSON, or nothing if a history cannot contain it. */
function inputOf(found: unknown): { input?: JsonValue } {
  try {
    return found === undefined ? {} : { input: toFrozenJson(found, 'input') };
  } catch {
    return {};
  }
}

function memberOf(value: unknown, key: PropertyKey): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<PropertyKey, unknown>)[key]
    : undefined;
}
