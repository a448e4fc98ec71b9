import type { JsonSchema } from '../models/tool-definition.ts';

/**
 * A schema of any library that implements Standard Schema. It validates values and determines their types.
 *
 * Defined by its shape, so that no library has to be installed.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** A converter to JSON Schema, if the library has one. */
    readonly jsonSchema?: StandardJsonSchemaConverter | undefined;
  };
}

/** Functions that convert a schema to JSON Schema. */
export interface StandardJsonSchemaConverter {
  readonly input: (options: { readonly target: 'draft-07' }) => Record<string, unknown>;
  readonly output: (options: { readonly target: 'draft-07' }) => Record<string, unknown>;
}

/** The value as the schema returns it, or the issues that were found. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One problem that a schema found in a value. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The type of a validated value. */
export type InferOutput<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : never;

/** Converts a schema to JSON Schema, for libraries that have no converter. */
export type JsonSchemaConverter = (schema: StandardSchema) => JsonSchema;
