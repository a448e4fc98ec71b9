import { HTTPException } from 'hono/http-exception';
import { type JsonObject, UserError } from 'holdpoint';
import { ArgumentsDoNotFitError } from '../errors/arguments-do-not-fit-error.ts';
import { DeskError, type DeskErrorCode } from '../errors/desk-error.ts';
import { EditDoesNotFitError } from '../errors/edit-does-not-fit-error.ts';
import { InputDoesNotFitError } from '../errors/input-does-not-fit-error.ts';
import { HoldSettledError } from '../errors/hold-settled-error.ts';
import { PolicyError } from '../errors/policy-error.ts';
import { type InternalCode, isInternalCode, publicMessageOf } from '../errors/public-message.ts';
import type { ReportError } from '../errors/report-error.ts';
import { toJson } from '../model/json.ts';
import { HttpProblem } from './http-problem.ts';
import { isoTime } from './views/schemas.ts';

/** A problem document of RFC 9457. Further members depend on the code. */
export interface ProblemDetails {
  /** `urn:holdpoint:problem:` and the code. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  /** The reason, and advice for the caller. */
  readonly detail: string;
  /** For programs. A code never changes its meaning. */
  readonly code: string;
  /** The value of the header `x-request-id`. Operators find the request by it. */
  readonly requestId: string;
  /** The mistakes in the request, with their positions. */
  readonly errors?: readonly { readonly path: string; readonly message: string }[] | undefined;
}

/** A problem document and the headers of its response. */
export interface Problem {
  readonly details: ProblemDetails;
  readonly headers: Readonly<Record<string, string>>;
}

/** Facts about a failed request. */
export interface FailedRequest {
  readonly requestId: string;
  /** Receives errors that callers must not see. */
  readonly onError: ReportError;
}

/** Describes an error to the caller. Errors inside the desk go to `onError` and are not quoted. */
export function problemOf(error: unknown, request: FailedRequest): Problem {
  const problem = (
    status: number,
    code: string,
    detail: string,
    more: JsonObject = {},
    headers: Problem['headers'] = {},
  ): Problem => {
    const { requestId } = request;
    const type = `urn:holdpoint:problem:${code}`;
    const details = { type, title: titleOf(code), status, detail, code, requestId, ...more };
    return { details, headers };
  };
  if (error instanceof HttpProblem) {
    const { status, code, message, details, headers } = error;
    return problem(status, code, message, details, headers);
  }
  if (error instanceof HTTPException && error.status === 415) {
    return problem(415, 'not-json', 'Send JSON, with the content type `application/json`.');
  }
  if (error instanceof HoldSettledError) {
    const { status, ...more } = settledFacts(error);
    return problem(status, error.code, error.message, more);
  }
  if (isAboutMembers(error)) {
    return problem(422, error.code, error.message, { errors: toJson(error.problems) });
  }
  if (error instanceof DeskError) {
    const { code } = error;
    const message = publicMessageOf(error);
    if (!isInternalCode(code)) return problem(STATUS[code], code, message);
    request.onError(error, { requestId: request.requestId });
    // After an unknown outcome, a repeated request could write a second time.
    if (code === 'outcome-unknown') return problem(500, code, message);
    return problem(503, code, message, {}, { 'retry-after': '1' });
  }
  // The policy of the application failed: its message is for operators.
  if (error instanceof UserError && !(error instanceof PolicyError)) {
    return problem(400, 'invalid-request', error.message);
  }
  request.onError(error, { requestId: request.requestId });
  const detail =
    `Internal error (request ${request.requestId}). ` +
    'The operation may have been applied; check its state before retrying.';
  return problem(500, 'internal', detail);
}

/** Returns the problem as a JSON response. */
export function problemResponse({ details, headers }: Problem): Response {
  return Response.json(details, {
    status: details.status,
    headers: { ...headers, 'content-type': 'application/problem+json' },
  });
}

/** Returns whether an error lists problems of members. */
function isAboutMembers(
  error: unknown,
): error is ArgumentsDoNotFitError | EditDoesNotFitError | InputDoesNotFitError {
  return (
    error instanceof ArgumentsDoNotFitError ||
    error instanceof EditDoesNotFitError ||
    error instanceof InputDoesNotFitError
  );
}

function titleOf(code: string): string {
  const words = code.replaceAll('-', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

/** A hold that was decided is a conflict, with the first decision. Any other settled hold is gone. */
function settledFacts({ hold, decision }: HoldSettledError): JsonObject & { status: number } {
  const outcome = hold.outcome ?? 'decided';
  if (decision === undefined) return { status: 410, outcome };
  const { by, at } = decision;
  const person = { id: by.id, ...(by.name !== undefined && { name: by.name }) };
  const firstDecision = { by: person, kind: decision.decision.kind, at: isoTime(at) };
  return { status: 409, outcome, firstDecision };
}

const STATUS: Readonly<Record<Exclude<DeskErrorCode, InternalCode>, number>> = {
  'already-voted': 409,
  'arguments-do-not-fit': 422,
  'decision-does-not-fit': 422,
  'conversation-busy': 409,
  'edit-does-not-fit': 422,
  'hold-settled': 410,
  'idempotency-key-reused': 422,
  'input-does-not-fit': 422,
  'may-not-decide': 403,
  'link-ended': 410,
  'not-found': 404,
  'open-holds': 409,
  'grant-does-not-fit': 422,
  'request-claimed': 409,
  'request-lost': 409,
  'request-not-approved': 409,
  'comment-does-not-fit': 422,
  'delegation-does-not-fit': 422,
  'run-ended': 409,
  'stale-digest': 409,
  'stale-edit': 409,
  'unknown-agent': 422,
  'unknown-tool': 422,
};
