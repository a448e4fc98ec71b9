import type { z } from 'zod';
import { HttpProblem } from './http-problem.ts';

/** What came in a part of a request, checked; throws with the places of all mistakes. */
export function checkInput<Value>(
  part: 'body' | 'query',
  schema: z.ZodType<Value>,
  value: unknown,
): Value {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const all = checked.error.issues.flatMap((issue) => problemsOf(part, issue));
  const problems = all.slice(0, MOST_PROBLEMS);
  throw new HttpProblem({
    status: 400,
    code: 'invalid-request',
    message: `The ${part} is not as it must be. ${problems.map(({ place, problem }) => `${place}: ${problem}.`).join(' ')}`,
    details: { problems },
  });
}

/** What was sent may have any number of mistakes, with names of any length: the answer stays short. */
const MOST_PROBLEMS = 20;
const LONGEST_NAME = 100;

type Problem = {
  /** Such as `body.answer.kind`. */
  readonly place: string;
  readonly problem: string;
};

/** Texts of our own: they say what is expected, and never what was sent. */
function problemsOf(part: string, issue: z.core.$ZodIssue): readonly Problem[] {
  const at = (...more: readonly PropertyKey[]) =>
    [part, ...issue.path, ...more].map((name) => String(name).slice(0, LONGEST_NAME)).join('.');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        place: at(key),
        problem: 'is not known here, leave it out',
      }));
    case 'invalid_type':
      return [{ place: at(), problem: `must be ${TYPES[issue.expected] ?? issue.expected}` }];
    case 'invalid_value':
      return [{ place: at(), problem: `must be one of ${issue.values.map(String).join(', ')}` }];
    case 'invalid_union':
      return [{ place: at(), problem: 'is none of those that are known' }];
    case 'too_small':
      return [{ place: at(), problem: `must ${sizeOf(issue.origin, issue.minimum)} at least` }];
    case 'too_big':
      return [{ place: at(), problem: `must ${sizeOf(issue.origin, issue.maximum)} at most` }];
    default:
      return [{ place: at(), problem: 'is not as it must be' }];
  }
}

/** What the types of schemas are called in JSON. */
const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a text',
};

function sizeOf(origin: string, size: number | bigint): string {
  if (origin === 'string') return `have ${size} characters`;
  return origin === 'array' ? `have ${size} members` : `be ${size}`;
}
