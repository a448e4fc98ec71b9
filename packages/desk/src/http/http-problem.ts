import type { JsonObject } from 'holdpoint';

/** Codes of problems with a request that no `DeskError` describes. */
export type HttpProblemCode =
  | 'closed'
  | 'forbidden'
  | 'foreign-site'
  | 'internal'
  | 'invalid-body'
  | 'invalid-request'
  | 'no-authorize'
  | 'no-such-route'
  | 'no-device-flow'
  | 'not-a-form'
  | 'not-json'
  | 'rate-limited'
  | 'redacted-value'
  | 'sign-in-failed'
  | 'too-large'
  | 'too-many-streams'
  | 'unauthenticated';

/** A rejected request, as a handler describes it. */
export interface HttpProblemOptions {
  readonly status: 400 | 401 | 403 | 404 | 413 | 415 | 422 | 429 | 500 | 503;
  readonly code: HttpProblemCode;
  readonly message: string;
  /** Further members of the problem document, for programs. */
  readonly details?: JsonObject | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A request was rejected. Nothing has changed. */
export class HttpProblem extends Error {
  override name = 'HttpProblem';
  readonly status: HttpProblemOptions['status'];
  readonly code: HttpProblemCode;
  readonly details: JsonObject;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, code, message, details = {}, headers = {} }: HttpProblemOptions) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.headers = headers;
  }
}
