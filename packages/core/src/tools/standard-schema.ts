import type { JsonSchema } from '../models/json-schema.ts';

/**
 * A schema of any library that follows Standard Schema: it checks values and knows their types.
 *
 * Described here by its shape, so that no library has to be installed.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Where the schema can say what it is as JSON Schema. */
    readonly jsonSchema?: StandardJsonSchemaConverter | undefined;
  };
}

/** How a schema becomes JSON Schema. */
export interface StandardJsonSchemaConverter {
  readonly input: (options: { readonly target: 'draft-07' }) => Record<string, unknown>;
  readonly output: (options: { readonly target: 'draft-07' }) => Record<string, unknown>;
}

/** What a validator found. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One thing that a validator did not like. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of a value that passed the schema. */
export type InferOutput<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : never;

/** Turns a schema into JSON Schema, where the schema cannot do it itself. */
export type JsonSchemaConverter = (schema: StandardSchema) => JsonSchema;
