import type { OnError } from '../errors/report-error.ts';
import type { AuthorizeAction } from './access.ts';
import type { Authorize, MayDecide } from './caller.ts';
import type { RateLimitOptions } from './rate-limits.ts';
import type { SignInProvider } from './entrance.ts';
import type { Redact } from '../redaction/redact.ts';

/** Options of a desk over HTTP. */
export interface HttpOptions {
  /** The same as `mayDecide` of `openDesk`. It applies to every decision, not only over HTTP. */
  readonly mayDecide?: MayDecide | undefined;
  /** The same as `notRequester` of `openDesk`. It applies to every decision, not only over HTTP. */
  readonly notRequester?: boolean | undefined;
  /**
   * Limits the actions of callers inside their tenant: read, start, message, cancel, retry, revoke. If missing,
   * every caller may take all of them.
   */
  readonly authorizeAction?: AuthorizeAction | undefined;
  /** The same as `redact` of `openDesk`. Prefer that one: workers need the rules, too. */
  readonly redact?: Redact | undefined;
  /** The path of the desk in the addresses of requests, such as `/desk`; `/` by default. */
  readonly basePath?: string | undefined;
  /** The maximum size of a request body in bytes; 1,000,000 by default. */
  readonly maxBytes?: number | undefined;
  /** Limits of requests in a minute, counted by each process. */
  readonly rateLimits?: RateLimitOptions | undefined;
  /** Options of event streams. */
  readonly events?: EventOptions | undefined;
}

/** Options of {@link deskApp}. */
export interface DeskAppOptions extends Omit<HttpOptions, 'redact'> {
  /** Authenticates requests. Without it, every request is rejected. */
  readonly authorize?: Authorize | undefined;
  /** Signs people in with a browser. It is used for requests that `authorize` does not know. */
  readonly signIn?: SignInProvider | undefined;
  /** Receives errors that are not reported to a caller; the `onError` of the desk by default. */
  readonly onError?: OnError | undefined;
}

/** Options of event streams. */
export interface EventOptions {
  /** The maximum number of open streams of a person; 10 by default. */
  readonly perPerson?: number | undefined;
  /** The maximum number of open streams of a tenant; 500 by default. */
  readonly perTenant?: number | undefined;
  /** The interval of heartbeats, in milliseconds; 15 seconds by default. */
  readonly heartbeatMs?: number | undefined;
  /**
   * The maximum duration of a stream, in milliseconds; 15 minutes by default. Clients reconnect
   * automatically, and `authorize` is called again.
   */
  readonly maxStreamMs?: number | undefined;
  /** The interval at which the store is read for events of other processes, in milliseconds; a second by default. */
  readonly pollMs?: number | undefined;
}
