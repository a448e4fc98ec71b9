import { toJsonSchema } from '../tools/input-schema.ts';
import type { StandardIssue, StandardResult, StandardSchema } from '../tools/standard-schema.ts';

/** Returns a schema that accepts the values of any of `schemas`. The first one that accepts a value determines the output. */
export function anyOf(schemas: readonly StandardSchema[]): StandardSchema {
  const json = () => ({
    anyOf: schemas.map((schema) => toJsonSchema(schema, 'A schema in a union')),
  });
  return {
    '~standard': {
      version: 1,
      vendor: 'holdpoint',
      jsonSchema: { input: json, output: json },
      async validate(value: unknown): Promise<StandardResult<unknown>> {
        const issues: StandardIssue[] = [];
        for (const schema of schemas) {
          const result = await schema['~standard'].validate(value);
          if (result.issues === undefined) return result;
          issues.push(...result.issues);
        }
        return { issues };
      },
    },
  };
}
