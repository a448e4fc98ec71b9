import type { KeyScope } from '../model/key-scope.ts';
import type { Person } from '../model/person.ts';

/** The service account of a caller. */
export interface CallerAccount {
  /** The name of the account, without the prefix of its id. */
  readonly name: string;
  readonly scopes: readonly KeyScope[];
}

/** An authenticated caller. */
export interface Caller {
  /** The tenant whose runs the caller can read. */
  readonly tenant: string;
  readonly person: Person;
  /** The roles of the person in the application, for policies and `mayDecide`. */
  readonly roles?: readonly string[] | undefined;
  /**
   * The credential that authenticated the caller. `token`: browsers do not send it automatically,
   * such as a bearer token. `cookie`: browsers send it automatically, so the request needs
   * protection against other sites. If it is missing, the desk determines it.
   */
  readonly credential?: 'cookie' | 'token' | undefined;
  /** The service account that the caller is. Only the desk sets it, for a valid key. */
  readonly account?: CallerAccount | undefined;
  /** The address that ends the caller's session by `POST`, for the inbox. */
  readonly signOut?: string | undefined;
}

/** The rejection of a request by `authorize`. */
export interface Rejection {
  /** 401: the caller is unknown. 403: the caller is known and has no access. */
  readonly rejected: 401 | 403;
  /** The text for the caller. */
  readonly message?: string | undefined;
  /** The address to sign in at, for the inbox. */
  readonly signIn?: string | undefined;
}

/**
 * Authenticates a request. Return `undefined` to reject it with 401. If the function throws, the request is
 * rejected with 500, and `onError` receives the error.
 *
 * The function receives method, address and headers. A body can be read only once: read it from a `clone()`.
 */
export type Authorize = (
  request: Request,
) => Caller | Rejection | undefined | Promise<Caller | Rejection | undefined>;

export type { MayDecide } from '../approvers/policy.ts';
