import { fromJsonSchema } from '../../tools/input-schema.ts';
import type { StandardIssue, StandardSchema } from '../../tools/standard-schema.ts';

interface Queries {
  readonly queries: readonly string[];
}

const { '~standard': described } = fromJsonSchema<Queries>({
  type: 'object',
  properties: {
    queries: {
      type: 'array',
      items: { type: 'string' },
      description: 'Words that describe what the tools should do.',
    },
  },
  required: ['queries'],
  additionalProperties: false,
});

/** The schema of the arguments of the search tool. */
export const queriesSchema: StandardSchema<Queries, Queries> = {
  '~standard': {
    ...described,
    validate(value) {
      const { queries, ...others } = value as { queries?: unknown }; // arguments are objects
      const issues = [...problemsOf(queries), ...Object.keys(others).map(unknownParameter)];
      return issues.length > 0 ? { issues } : { value: { queries: queries as readonly string[] } };
    },
  },
};

function problemsOf(queries: unknown): StandardIssue[] {
  if (!Array.isArray(queries))
    return [{ message: 'This must be a list of texts.', path: ['queries'] }];
  return queries.flatMap((query, index) =>
    typeof query === 'string'
      ? []
      : [{ message: 'This must be a text.', path: ['queries', index] }],
  );
}

function unknownParameter(key: string): StandardIssue {
  return { message: 'There is no such parameter.', path: [key] };
}
