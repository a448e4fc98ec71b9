import type { OutputUnit } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from 'holdpoint';
import { BoundedValidator } from '../../src/approvers/bounded-validator.ts';
import { isObject, pointerOf, valueAt } from '../values/json-path.ts';
import type { Schema } from './schema.ts';

/** What is wrong with a value, and where, as a JSON pointer. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Looks at values with a schema, without evaluating any text. */
export type Check = (value: JsonValue) => readonly Problem[];

/** How a schema looks at values; everything passes one that cannot be understood, since the desk looks again. */
export function checkOf(schema: Schema | undefined): Check {
  if (schema === undefined) return () => [];
  const validator = validatorOf(schema);
  return (value) => {
    try {
      return validator === undefined ? [] : problemsIn(validator.errorsOf(value), value, schema);
    } catch {
      return [];
    }
  };
}

function validatorOf(schema: Schema): BoundedValidator | undefined {
  try {
    // A schema is JSON.
    return new BoundedValidator(schema as JsonObject);
  } catch {
    return undefined;
  }
}

/** These only say that something inside of them is wrong. */
const OUTER: ReadonlySet<string> = new Set([
  '$ref',
  'additionalProperties',
  'allOf',
  'items',
  'prefixItems',
  'properties',
]);

function problemsIn(
  errors: readonly OutputUnit[],
  value: JsonValue,
  schema: Schema,
): readonly Problem[] {
  const problems = errors.flatMap((error): readonly Problem[] => {
    const path = stepsOf(error.instanceLocation);
    const limit = valueAt(schema, stepsOf(error.keywordLocation));
    if (error.keyword === 'required') return missing(valueAt(value, path), limit, path);
    if (OUTER.has(error.keyword)) return [];
    return [{ path: pointerOf(path), message: messageOf(error, limit) }];
  });
  // The first that is said about a place is enough.
  return [...new Map(problems.toReversed().map((one) => [one.path, one])).values()].toReversed();
}

function missing(
  value: JsonValue | undefined,
  names: JsonValue | undefined,
  path: readonly string[],
): readonly Problem[] {
  if (!isObject(value) || !Array.isArray(names)) return [];
  return names
    .map(String)
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => ({ path: pointerOf([...path, name]), message: 'This must be there.' }));
}

/** What to do about it, in words of our own. */
const MESSAGES: Readonly<Record<string, (limit: string) => string>> = {
  const: (limit) => `This must be ${limit}.`,
  enum: (limit) => `This must be one of ${limit}.`,
  exclusiveMaximum: (limit) => `This must be less than ${limit}.`,
  exclusiveMinimum: (limit) => `This must be more than ${limit}.`,
  false: () => 'This must not be there.',
  format: (limit) => `This must have the form of ${limit}.`,
  maximum: (limit) => `This must be ${limit} at most.`,
  maxItems: (limit) => `There must be ${limit} at most.`,
  maxLength: (limit) => `This must have ${limit} characters at most.`,
  minimum: (limit) => `This must be ${limit} at least.`,
  minItems: (limit) => `There must be ${limit} at least.`,
  minLength: (limit) => `This must have ${limit} characters at least.`,
  multipleOf: (limit) => `This must be a multiple of ${limit}.`,
  type: (limit) => `This must be of the type ${limit}.`,
  uniqueItems: () => 'No two of these may be the same.',
};

function messageOf({ keyword, error }: OutputUnit, limit: JsonValue | undefined): string {
  const message = Object.hasOwn(MESSAGES, keyword) ? MESSAGES[keyword] : undefined;
  return message?.(limitText(limit)) ?? error;
}

function limitText(limit: JsonValue | undefined): string {
  if (Array.isArray(limit)) return limit.map(limitText).join(', ');
  return typeof limit === 'string' ? limit : JSON.stringify(limit);
}

/** The steps of a JSON pointer, which may begin with `#`. */
function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}
