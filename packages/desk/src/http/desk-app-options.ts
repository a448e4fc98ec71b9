import type { OnError } from '../errors/report-error.ts';
import type { AuthorizeAction } from './access.ts';
import type { Authorize, MayAnswer } from './caller.ts';
import type { Entrance } from './entrance.ts';
import type { Redact } from '../redaction/redact.ts';

/** How a desk is served over HTTP. */
export interface HttpOptions {
  /** The same as `mayAnswer` of the desk: it holds for every way to decide, not only for HTTP. */
  readonly mayAnswer?: MayAnswer | undefined;
  /** The same as `notRequester` of the desk: it holds for every way to decide, not only for HTTP. */
  readonly notRequester?: boolean | undefined;
  /**
   * Limits what callers do and see inside of their tenant: reading, starting, sending messages, cancelling,
   * retrying, revoking. Unless given, every caller with access to the tenant may do all of it.
   */
  readonly authorizeAction?: AuthorizeAction | undefined;
  /** The same as `redact` of `openDesk`, which is the place for it: workers need the rules, too. */
  readonly redact?: Redact | undefined;
  /** Where in the addresses of requests the desk begins, such as `/desk`; at the beginning unless given. */
  readonly basePath?: string | undefined;
  /** How many bytes a request may have; a million unless given. */
  readonly mostBytes?: number | undefined;
  /** How event streams behave. */
  readonly events?: EventOptions | undefined;
}

/** How an open desk is served, and to whom. */
export interface DeskAppOptions extends Omit<HttpOptions, 'redact'> {
  /** Says who a request is from. Without it everything is refused. */
  readonly authorize?: Authorize | undefined;
  /** How people come in with a browser: whoever `authorize` does not know may have a session. */
  readonly entrance?: Entrance | undefined;
  /** Receives errors that no caller gets; the `onError` of the desk unless given. */
  readonly onError?: OnError | undefined;
}

/** How event streams behave. */
export interface EventOptions {
  /** How many one person may have open; 10 unless given. */
  readonly perPerson?: number | undefined;
  /** How many those of one tenant may have open together; 500 unless given. */
  readonly perTenant?: number | undefined;
  /** How often a stream shows that it is alive, in milliseconds; 15 seconds unless given. */
  readonly heartbeatMs?: number | undefined;
  /**
   * How long a stream is open at most, in milliseconds; 15 minutes unless given. Clients come again by
   * themselves, and `authorize` is asked again.
   */
  readonly longestMs?: number | undefined;
  /** How often to look for what other processes have done, in milliseconds; a second unless given. */
  readonly pollMs?: number | undefined;
}
