import type { ReportError } from '../errors/report-error.ts';
import type { Hono } from 'hono';
import type { Authorize } from './caller.ts';
import type { DeskEnv } from './mount-endpoint.ts';
import { refusalPage } from './pages/refusal-page.ts';

/** How people come in with a browser. `signIn` of `@holdpoint/desk/sign-in` makes one. */
export interface Entrance {
  /** Says who a request is from that came with a session. */
  readonly authorize: Authorize;
  /** Where people begin to sign in, from where the desk begins; absent if they cannot by themselves. */
  readonly signInPath?: string | undefined;
  /**
   * Answers requests of people who are not in yet.
   *
   * @param path - From where the desk begins: an {@link EntrancePath}.
   */
  respond(request: Request, path: EntrancePath): Promise<Response>;
  /** Ends the session of a request; gives headers that have the browser forget it. */
  signOut(request: Request): Promise<Headers>;
}

/** The addresses of an entrance. */
export const ENTRANCE_PATHS = ['/sign-in', '/sign-in/callback', '/enter'] as const;
/** An address of an entrance, from where the desk begins. */
export type EntrancePath = (typeof ENTRANCE_PATHS)[number];

/** Where a session is ended. */
export const SIGN_OUT_PATH = '/sign-out';

/** Lets people come in. They are not known yet, so this comes before `authorize`. */
export function serveEntrance(app: Hono<DeskEnv>, entrance: Entrance, onError: ReportError): void {
  for (const path of ENTRANCE_PATHS) {
    app.on(['GET', 'POST'], path, async ({ req }) => {
      try {
        return await entrance.respond(req.raw, path);
      } catch (error) {
        return refusalPage(error, onError);
      }
    });
  }
}

/** Asks the application first, and then for a session. Who has signed in here can sign out here. */
export function withSessions(
  authorize: Authorize | undefined,
  entrance: Entrance | undefined,
  basePath: string,
): Authorize | undefined {
  if (entrance === undefined) return authorize;
  const beginning = basePath.replace(/\/$/, '');
  return async (request) => {
    const said = await authorize?.(request);
    if (said !== undefined) return said;
    const found = await entrance.authorize(request);
    if (found !== undefined && !('refused' in found)) {
      return { ...found, credential: 'cookie', signOut: `${beginning}${SIGN_OUT_PATH}` };
    }
    const { signInPath } = entrance;
    if (found !== undefined || signInPath === undefined) return found;
    return { refused: 401, signIn: `${beginning}${signInPath}` };
  };
}
