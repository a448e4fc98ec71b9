import type { OutputUnit } from '@cfworker/json-schema';
import type { JsonObject, JsonValue } from 'holdpoint';
import { BoundedValidator } from '../../src/approvers/bounded-validator.ts';
import { isObject, pointerOf, valueAt } from '../values/json-path.ts';
import type { Schema } from './schema.ts';

/** A problem of a value, with a JSON pointer to it. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** Returns the problems of a value. */
export type Validate = (value: JsonValue) => readonly Problem[];

/** Returns the validation of a schema. A schema that is not understood accepts everything: the desk validates again. */
export function validationOf(schema: Schema | undefined): Validate {
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

/** Keywords whose problems only repeat a nested problem. */
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
  // One problem for each path is enough: the first.
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
    .map((name) => ({ path: pointerOf([...path, name]), message: 'This is required.' }));
}

const MESSAGES: Readonly<Record<string, (limit: string) => string>> = {
  const: (limit) => `This must be ${limit}.`,
  enum: (limit) => `This must be one of ${limit}.`,
  exclusiveMaximum: (limit) => `This must be less than ${limit}.`,
  exclusiveMinimum: (limit) => `This must be more than ${limit}.`,
  false: () => 'This is not allowed.',
  format: (limit) => `This must have the format ${limit}.`,
  maximum: (limit) => `This must be at most ${limit}.`,
  maxItems: (limit) => `This must have at most ${limit} items.`,
  maxLength: (limit) => `This must have at most ${limit} characters.`,
  minimum: (limit) => `This must be at least ${limit}.`,
  minItems: (limit) => `This must have at least ${limit} items.`,
  minLength: (limit) => `This must have at least ${limit} characters.`,
  multipleOf: (limit) => `This must be a multiple of ${limit}.`,
  type: (limit) => `This must be of the type ${limit}.`,
  uniqueItems: () => 'These must be unique.',
};

function messageOf({ keyword, error }: OutputUnit, limit: JsonValue | undefined): string {
  const message = Object.hasOwn(MESSAGES, keyword) ? MESSAGES[keyword] : undefined;
  return message?.(limitText(limit)) ?? error;
}

function limitText(limit: JsonValue | undefined): string {
  if (Array.isArray(limit)) return limit.map(limitText).join(', ');
  return typeof limit === 'string' ? limit : JSON.stringify(limit);
}

/** Returns the steps of a JSON pointer, which may start with `#`. */
function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'));
}
