import type { Hono } from 'hono';
import type { Person } from '../model/person.ts';
import { bearerToken } from './bearer-token.ts';
import type { Authorize } from './caller.ts';
import type { DeskEnv } from './scope.ts';

/** Signs people in with a browser. Create one with `signIn` of `@holdpoint/desk/sign-in`. */
export interface SignInProvider {
  /** Authenticates a request by its session, which a cookie names, or a bearer token that begins with `hps_`. */
  readonly authorize: Authorize;
  /** The sign-in of programs without a browser; missing if it is not available. */
  readonly device?: DeviceSignIn | undefined;
  /** The path at which people sign in, from the root of the desk; missing if they need a link. */
  readonly signInPath?: string | undefined;
  /**
   * Responds to a visitor who is not signed in.
   *
   * @param path - The path of the request, from the root of the desk.
   * @param requestId - The id of the request, for log lines.
   */
  respond(request: Request, path: SignInPath, requestId?: string): Promise<Response>;
  /** Ends the session of a request. Returns headers that delete the cookie of the browser. */
  signOut(request: Request): Promise<Headers>;
}

/** The beginning of every bearer token of a session, by which scanners of secrets recognise one. */
export const SESSION_PREFIX = 'hps_';

/** The code that a person enters at the provider, in a browser on any machine. */
export interface DeviceCode {
  /** The secret with which the program waits for the person. */
  readonly deviceCode: string;
  readonly userCode: string;
  /** The address at which the person enters the code. */
  readonly url: string;
  /** The same address with the code in it. */
  readonly completeUrl?: string | undefined;
  /** Milliseconds until the code expires. */
  readonly expiresAfter: number;
  /** Milliseconds between two requests of the program. */
  readonly interval: number;
}

/** The state of a sign-in of a program. */
export type DeviceSignInState =
  /** The person has not decided yet. `slow-down`: the program must wait five seconds longer from now on. */
  | { readonly state: 'pending' | 'slow-down' | 'denied' | 'expired' }
  | {
      readonly state: 'signed-in';
      /** The bearer token of the session. */
      readonly token: string;
      readonly expiresAt: number;
      readonly person: Person;
    };

/** The device flow of OpenID (RFC 8628), on behalf of programs that have no secret of the provider. */
export interface DeviceSignIn {
  /** Requests a code for a person. */
  begin(requestId?: string): Promise<DeviceCode>;
  /** Requests the state of a sign-in. Throws if the person has no access. */
  finish(deviceCode: string, requestId?: string): Promise<DeviceSignInState>;
}

/** The paths that a sign-in provider serves. */
export const SIGN_IN_PATHS = ['/sign-in', '/sign-in/callback', '/enter'] as const;
/** A path that a sign-in provider serves, from the root of the desk. */
export type SignInPath = (typeof SIGN_IN_PATHS)[number];

/** The path that ends a session. */
export const SIGN_OUT_PATH = '/sign-out';

/** Serves the pages for signing in. Visitors are not authenticated yet. */
export function serveSignIn(app: Hono<DeskEnv>, signInProvider: SignInProvider): void {
  for (const path of SIGN_IN_PATHS) {
    app.on(['GET', 'POST'], path, (context) => {
      context.set('isPage', true);
      return signInProvider.respond(context.req.raw, path, context.var.requestId);
    });
  }
}

/** Returns a function that authenticates by the application first, and then by a session. */
export function withSessions(
  authorize: Authorize | undefined,
  signInProvider: SignInProvider | undefined,
  basePath: string,
): Authorize | undefined {
  if (signInProvider === undefined) return authorize;
  const root = basePath.replace(/\/$/, '');
  return async (request) => {
    const hasSession = bearerToken(request)?.startsWith(SESSION_PREFIX) ?? false;
    // The bearer token of a session is a secret of the desk, so the application does not receive it.
    const known = hasSession ? undefined : await authorize?.(request);
    if (known !== undefined) return known;
    const found = await signInProvider.authorize(request);
    if (found !== undefined && !('rejected' in found)) {
      const signOut = hasSession ? {} : { signOut: `${root}${SIGN_OUT_PATH}` };
      return { ...found, credential: hasSession ? 'token' : 'cookie', ...signOut };
    }
    const { signInPath } = signInProvider;
    if (found !== undefined || signInPath === undefined) return found;
    return { rejected: 401, signIn: `${root}${signInPath}` };
  };
}
