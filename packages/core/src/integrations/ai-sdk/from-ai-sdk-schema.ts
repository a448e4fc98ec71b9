import { UserError } from '../../errors/user-errors.ts';
import { isPlainObject } from '../../internal/json.ts';
import type { JsonSchema } from '../../models/json-schema.ts';
import { fromJsonSchema } from '../../tools/input-schema.ts';
import type { StandardSchema } from '../../tools/standard-schema.ts';

/** What `jsonSchema()` of the AI SDK makes. */
interface AiSdkSchema {
  readonly jsonSchema: unknown;
  readonly validate?: ((value: unknown) => unknown) | undefined;
}

/** The input schema of a tool of the AI SDK; `label` names the tool in errors. */
export function fromAiSdkSchema(schema: unknown, label: string): StandardSchema {
  // Schemas that are made when they are needed are functions, but so are those of arktype.
  const made: unknown = typeof schema === 'function' && !isStandard(schema) ? schema() : schema;
  if (isStandard(made)) return made;
  if (!isAiSdkSchema(made)) {
    throw new UserError(
      `The input schema of ${label} is neither a Standard Schema nor one of the AI SDK. ` +
        'Give it a schema of zod 4, arktype or valibot, or jsonSchema() of the AI SDK.',
    );
  }
  const { jsonSchema, validate } = made;
  if (!isPlainObject(jsonSchema)) {
    throw new UserError(
      `The JSON Schema of ${label} is not there yet: it is a promise. ` +
        'Await it, and give the tool jsonSchema() of what it came to.',
    );
  }
  // Its maker says that it is one.
  const json = jsonSchema as JsonSchema;
  return validate === undefined
    ? fromJsonSchema(json)
    : fromJsonSchema(json, async (value) => valueOf(await validate(value)));
}

function isStandard(schema: unknown): schema is StandardSchema {
  const isHolder = typeof schema === 'object' || typeof schema === 'function';
  return isHolder && schema !== null && '~standard' in schema;
}

function isAiSdkSchema(schema: unknown): schema is AiSdkSchema {
  return typeof schema === 'object' && schema !== null && 'jsonSchema' in schema;
}

/** The value that a validator of the AI SDK lets pass; throws what it found wrong. */
function valueOf(validated: unknown): unknown {
  const result = validated as { success?: unknown; value?: unknown; error?: unknown }; // read with care
  if (result.success === true) return result.value;
  throw result.error ?? new Error('The value does not fit the schema.');
}
