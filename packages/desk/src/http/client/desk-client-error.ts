import type { JsonValue } from 'holdpoint';

/** The desk rejected a request, or failed. */
export class DeskClientError extends Error {
  override name = 'DeskClientError';
  readonly status: number;
  /** For programs: the code of a `DeskError`, or of a problem with the request. */
  readonly code: string;
  /** The id by which operators find the request. */
  readonly requestId: string | undefined;
  /** The whole problem document, with members such as `firstDecision` or `errors`. */
  readonly details: Readonly<Record<string, JsonValue>>;

  constructor(status: number, details: Readonly<Record<string, JsonValue>>) {
    super(String(details['detail'] ?? `The desk responded with status ${status}.`));
    this.status = status;
    this.code = String(details['code'] ?? 'unknown');
    this.requestId = typeof details['requestId'] === 'string' ? details['requestId'] : undefined;
    this.details = details;
  }

  /** Reads the problem from a response. A proxy may have sent a response without one. */
  static async of(response: Response): Promise<DeskClientError> {
    try {
      const body: unknown = await response.json();
      // The body was parsed from JSON.
      if (typeof body === 'object' && body !== null && 'code' in body) {
        return new this(response.status, body as {});
      }
    } catch {
      // The body is not JSON.
    }
    return new this(response.status, {});
  }
}
