/** A request that cannot be served: an HTTP status, a reason for people, and a code for programs. */
export class HttpProblem extends Error {
  readonly status: 400 | 404 | 409;
  readonly code: string | undefined;

  constructor(status: HttpProblem['status'], message: string, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
