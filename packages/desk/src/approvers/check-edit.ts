import type { OutputUnit } from '@cfworker/json-schema';
import type { JsonValue } from 'holdpoint';
import type { HoldRow } from '../model/hold-row.ts';
import { BoundedValidator } from './bounded-validator.ts';

/** What is wrong with arguments that somebody wants to put in place of those of a call. */
export interface EditProblem {
  /** Where, as a JSON pointer: `/lines/0/price`; empty for the arguments as a whole. */
  readonly path: string;
  /** For people. */
  readonly message: string;
}

const MOST = 100;

/**
 * What the JSON Schema of a hold says against arguments; nothing where it has none. The tool checks them
 * again before it runs, also against regular expressions, which are not executed here.
 */
export function problemsOfEdit(
  { schema }: Pick<HoldRow, 'schema'>,
  args: JsonValue,
): readonly EditProblem[] {
  if (schema === undefined) return [];
  try {
    return readable(new BoundedValidator(schema).errorsOf(args));
  } catch {
    const message = 'The schema of the tool cannot be used to check arguments. Approve or deny.';
    return [{ path: '', message }];
  }
}

/** The errors that say something: others only say that something further inside does not fit. */
function readable(errors: readonly OutputUnit[]): readonly EditProblem[] {
  const telling = errors.filter(({ keyword }) => !OUTER.includes(keyword));
  return (telling.length > 0 ? telling : errors)
    .slice(0, MOST)
    .map(({ instanceLocation, keyword, error }) => ({
      path: decodeURIComponent(instanceLocation.replace(/^#/, '')),
      message: keyword === 'false' ? 'There is nothing of this name.' : error,
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
