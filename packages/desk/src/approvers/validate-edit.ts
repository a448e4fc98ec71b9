import type { OutputUnit } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from 'holdpoint';
import type { HoldRow } from '../model/hold-row.ts';
import { BoundedValidator } from './bounded-validator.ts';

/** A problem of edited arguments, or of an input. */
export interface EditProblem {
  /** A JSON pointer, such as `/lines/0/price`; empty for the arguments as a whole. */
  readonly path: string;
  /** For people. */
  readonly message: string;
}

const MAX_PROBLEMS = 100;

/**
 * Returns the problems that the JSON Schema of a hold finds in arguments; none if it has no schema. The tool validates
 * them again before it executes, also with regular expressions, which are not executed here.
 */
export function problemsOfEdit(
  { schema }: Pick<HoldRow, 'schema'>,
  args: JsonValue,
): readonly EditProblem[] {
  if (schema === undefined) return [];
  const message = 'The schema of the tool cannot be used to check arguments. Approve or deny.';
  return pathsOfProblems(schema, args) ?? [{ path: '', message }];
}

/** Returns the problems of a value with their paths; `undefined` if the schema needs too much work. */
export function pathsOfProblems(
  schema: JsonObject,
  value: JsonValue,
): readonly EditProblem[] | undefined {
  try {
    return readable(new BoundedValidator(schema).errorsOf(value));
  } catch {
    return undefined;
  }
}

/** Returns the errors at the innermost positions. Outer errors only repeat that a member is invalid. */
function readable(errors: readonly OutputUnit[]): readonly EditProblem[] {
  const specific = errors.filter(({ keyword }) => !OUTER.includes(keyword));
  return (specific.length > 0 ? specific : errors)
    .slice(0, MAX_PROBLEMS)
    .map(({ instanceLocation, keyword, error }) => ({
      path: decodeURIComponent(instanceLocation.replace(/^#/, '')),
      message: keyword === 'false' ? 'Unknown member.' : error,
    }));
}

const OUTER: readonly string[] = [
  'properties',
  'additionalProperties',
  'items',
  'prefixItems',
  '$ref',
  'allOf',
];
