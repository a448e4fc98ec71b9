import type { Person } from '../model/person.ts';

/** Who asks, and whose runs they may see. */
export interface Caller {
  /** They see the runs of this tenant, and of no other. */
  readonly tenant: string;
  readonly person: Person;
  /** What they are to the application, for the rules of holds and for `mayAnswer`. */
  readonly roles?: readonly string[] | undefined;
  /**
   * The credential that authenticated the caller. `token`: one that no browser sends by itself, such as a
   * bearer token. `cookie`: one that browsers send by themselves, so that the request needs the protection
   * against other sites. Unless given, the desk finds it out.
   */
  readonly credential?: 'cookie' | 'token' | undefined;
  /** Where they can sign out, by `POST`, for the page. */
  readonly signOut?: string | undefined;
}

/** Somebody is not let in. */
export interface Refusal {
  /** 401: nobody knows who they are. 403: they may not do this. */
  readonly refused: 401 | 403;
  /** What they are told. */
  readonly message?: string | undefined;
  /** Where they can sign in, for the page. */
  readonly signIn?: string | undefined;
}

/**
 * Says who a request is from; `undefined` refuses it with 401. If it throws, the request is refused with
 * 500, and `onError` receives the error.
 *
 * It sees method, address and headers. A body may be read once only: read it from a `clone()`.
 */
export type Authorize = (
  request: Request,
) => Caller | Refusal | undefined | Promise<Caller | Refusal | undefined>;

export type { MayAnswer } from '../approvers/policy.ts';
