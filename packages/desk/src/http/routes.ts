import { type RouteConfig, z } from '@hono/zod-openapi';
import type { ProblemDetails } from './problem-details.ts';

export const problemSchema: z.ZodType<ProblemDetails> = z
  .looseObject({
    type: z.string().openapi({ description: '`urn:holdpoint:problem:` and the code.' }),
    title: z.string(),
    status: z.number(),
    detail: z.string().openapi({ description: 'The reason, and advice for the caller.' }),
    code: z.string().openapi({ description: 'For programs. A code never changes its meaning.' }),
    requestId: z
      .string()
      .openapi({ description: 'The header `x-request-id`. Operators find the request by it.' }),
    errors: z
      .array(z.strictObject({ path: z.string(), message: z.string() }))
      .optional()
      .openapi({ description: 'The mistakes in the request, with their positions.' }),
  })
  .openapi('Problem');

const PROBLEMS: Readonly<Record<number, string>> = {
  400: 'The request is malformed. `errors` lists the mistakes.',
  401: 'Missing or invalid credentials.',
  403: 'The caller is not allowed to do this.',
  404: 'The resource does not exist, or the caller may not read it.',
  409: 'The request conflicts with the current state, for example with an earlier decision.',
  410: 'The hold expired, was superseded or was cancelled.',
  413: 'The body is too large.',
  415: 'The body is not JSON.',
  422: 'The request is well-formed but cannot be applied.',
  429: 'Too many event streams are open.',
  500: 'Internal error. The operation may have been applied.',
  503: 'The desk is not available. Retry in a moment.',
};

/** Problems that every authenticated route can report. */
const COMMON = [400, 401, 403, 404, 500, 503];

/** A description of each successful response and the schema of its body. */
export type Results = Readonly<Record<number, readonly [description: string, schema: z.ZodType]>>;

/** Returns the responses of a route: its results, the common problems, and its own problems. */
export function responses(
  results: Results,
  ...problems: readonly number[]
): RouteConfig['responses'] {
  const all: RouteConfig['responses'] = {};
  for (const status of [...COMMON, ...problems]) {
    const content = { 'application/problem+json': { schema: problemSchema } };
    all[status] = { description: PROBLEMS[status] ?? '', content };
  }
  for (const [status, [description, schema]] of Object.entries(results)) {
    all[status] = { description, content: { 'application/json': { schema } } };
  }
  return all;
}

/** Returns a required JSON body. */
export function jsonBody<Body>(schema: z.ZodType<Body>): {
  required: true;
  content: { 'application/json': { schema: z.ZodType<Body> } };
} {
  return { required: true, content: { 'application/json': { schema } } };
}

/** A body that may be missing, and has no members. */
export const NO_BODY: {
  content: { 'application/json': { schema: z.ZodObject<Record<never, never>> } };
} = { content: { 'application/json': { schema: z.strictObject({}) } } };
