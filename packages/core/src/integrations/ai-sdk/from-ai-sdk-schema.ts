import { UserError } from '../../errors/user-errors.ts';
import { isPlainObject } from '../../internal/json.ts';
import type { JsonSchema } from '../../models/json-schema.ts';
import { fromJsonSchema } from '../../tools/input-schema.ts';
import type { StandardSchema } from '../../tools/standard-schema.ts';

/** A schema that `jsonSchema()` of the AI SDK creates. */
interface AiSdkSchema {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => unknown) | undefined;
}

/** Converts the input schema of an AI SDK tool. Errors refer to the tool as `label`. */
export function fromAiSdkSchema(schema: unknown, label: string): StandardSchema {
  // Lazy schemas of the AI SDK are functions, and so are the schemas of arktype.
  const resolved: unknown = typeof schema === 'function' && !isStandard(schema) ? schema() : schema;
  if (isStandard(resolved)) return resolved;
  if (!isAiSdkSchema(resolved)) {
    throw new UserError(
      `The input schema of ${label} is neither a Standard Schema nor a schema of the AI SDK. ` +
        'Pass a schema of zod 4, arktype or valibot, or use `jsonSchema()` of the AI SDK.',
    );
  }
  const { jsonSchema, validate } = resolved;
  if (!isPlainObject(jsonSchema)) {
    throw new UserError(
      `The JSON Schema of ${label} is a promise, but tools need it when they are created. ` +
        'Await the promise, and pass its value to `jsonSchema()`.',
    );
  }
  // `jsonSchema()` accepts only JSON Schemas.
  const json = jsonSchema as JsonSchema;
  return validate === undefined
    ? fromJsonSchema(json)
    : fromJsonSchema(json, async (value) => unwrapValidation(await validate(value)));
}

function isStandard(schema: unknown): schema is StandardSchema {
  const canHaveMembers = typeof schema === 'object' || typeof schema === 'function';
  return canHaveMembers && schema !== null && '~standard' in schema;
}

function isAiSdkSchema(schema: unknown): schema is AiSdkSchema {
  return typeof schema === 'object' && schema !== null && 'jsonSchema' in schema;
}

/** Returns the value of a successful validation of the AI SDK. Throws the error of a failed one. */
function unwrapValidation(validation: unknown): unknown {
  // The members are unknown, so nothing is assumed about them.
  const result = validation as { success?: unknown; value?: unknown; error?: unknown };
  if (result.success === true) return result.value;
  throw result.error ?? new Error('The value does not fit the schema.');
}
