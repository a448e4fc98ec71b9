import type { Hono } from 'hono';
import type { Authorize } from './caller.ts';
import type { DeskEnv } from './scope.ts';

/** Signs people in with a browser. Create one with `signIn` of `@holdpoint/desk/sign-in`. */
export interface SignInProvider {
  /** Authenticates a request by its session. */
  readonly authorize: Authorize;
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
    const known = await authorize?.(request);
    if (known !== undefined) return known;
    const found = await signInProvider.authorize(request);
    if (found !== undefined && !('rejected' in found)) {
      return { ...found, credential: 'cookie', signOut: `${root}${SIGN_OUT_PATH}` };
    }
    const { signInPath } = signInProvider;
    if (found !== undefined || signInPath === undefined) return found;
    return { rejected: 401, signIn: `${root}${signInPath}` };
  };
}
