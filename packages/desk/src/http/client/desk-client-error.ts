import type { JsonValue } from 'holdpoint';

/** A desk has refused a request; nothing has changed. */
export class DeskClientError extends Error {
  override name = 'DeskClientError';
  readonly status: number;
  /** For programs: that of a `DeskError`, or what was wrong with the request. */
  readonly code: string;
  /** All that the desk has said, such as `firstAnswer` or `problems`. */
  readonly details: Readonly<Record<string, JsonValue>>;

  constructor(status: number, details: Readonly<Record<string, JsonValue>>) {
    super(String(details['message'] ?? `The desk answered with ${status}.`));
    this.status = status;
    this.code = String(details['code'] ?? 'unknown');
    this.details = details;
  }

  /** The refusal in a response, which may have come from something in between. */
  static async of(response: Response): Promise<DeskClientError> {
    try {
      const body: unknown = await response.json();
      const error =
        typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
      // It was parsed from JSON.
      if (typeof error === 'object' && error !== null)
        return new this(response.status, error as {});
    } catch {
      // It is no JSON.
    }
    return new this(response.status, {});
  }
}
