import type { z } from '@hono/zod-openapi';
import { notFound } from '../transitions/not-found.ts';
import { HttpProblem } from './http-problem.ts';

/** The result of validating one part of a request. */
export type ValidationResult = {
  readonly target: string;
  readonly data?: unknown;
} & ({ readonly success: true } | { readonly success: false; readonly error: z.core.$ZodError });

/**
 * Rejects a request that does not match the schemas of its route. An id with a wrong form is reported as
 * missing, as the id of another tenant is.
 */
export function rejectInvalid(result: ValidationResult): void {
  if (result.success) return;
  if (result.target === 'param') throw unknownId(result.data);
  throw invalidRequest(PARTS[result.target] ?? result.target, result.error.issues);
}

const PARTS: Readonly<Record<string, string>> = { json: 'body' };

const KINDS: Readonly<Record<string, Parameters<typeof notFound>[0]>> = {
  runId: 'run',
  holdId: 'hold',
  conversationId: 'conversation',
  grantId: 'grant',
  requestId: 'request',
  keyId: 'key',
};

function unknownId(params: unknown): Error {
  const [[name, value] = ['', '']] = Object.entries(params ?? {});
  return notFound(KINDS[name] ?? 'run', String(value));
}

/** A request may have any number of mistakes with names of any length, but the response stays short. */
const MAX_ERRORS = 20;
const MAX_NAME_LENGTH = 100;

function invalidRequest(part: string, issues: readonly z.core.$ZodIssue[]): HttpProblem {
  const errors = issues.flatMap((issue) => errorsOf(part, issue)).slice(0, MAX_ERRORS);
  const list = errors.map(({ path, message }) => `\`${path}\` ${message}.`).join(' ');
  return new HttpProblem({
    status: 400,
    code: 'invalid-request',
    message: `Invalid ${part}: ${list}`,
    details: { errors },
  });
}

/** The messages name the expected value and never quote the received one, which may be a secret. */
function errorsOf(part: string, issue: z.core.$ZodIssue): { path: string; message: string }[] {
  const at = (...more: readonly PropertyKey[]) =>
    [part, ...issue.path, ...more].map((name) => String(name).slice(0, MAX_NAME_LENGTH)).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: at(key), message: 'is unknown' }));
  }
  return [{ path: at(), message: messageOf(issue) }];
}

function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${TYPES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? `must be one of ${issue.options.map(String).join(', ')}`
        : 'has an unknown form';
    case 'too_small':
      return `must ${sizeOf(issue.origin, issue.minimum)} at least`;
    case 'too_big':
      return `must ${sizeOf(issue.origin, issue.maximum)} at most`;
    default:
      return 'is invalid';
  }
}

/** The JSON names of the types of schemas. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

function sizeOf(origin: string, size: number | bigint): string {
  if (origin === 'string') return `have ${size} characters`;
  return origin === 'array' ? `have ${size} items` : `be ${size}`;
}
