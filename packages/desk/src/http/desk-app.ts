import { OpenAPIHono } from '@hono/zod-openapi';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { requestId } from 'hono/request-id';
import { secureHeaders } from 'hono/secure-headers';
import { UserError } from 'holdpoint';
import type { Desk } from '../desk/desk.ts';
import { contextOf } from '../desk/desk-reader.ts';
import type { Logger } from '../errors/logger.ts';
import { reporterOf } from '../errors/report-error.ts';
import { checkFunction, checkOptions, kindOf, type KeysOf } from '../model/check-keys.ts';
import { newId } from '../model/new-id.ts';
import { INBOX_PATH, InboxPage } from '../web/inbox-page.ts';
import { callerOf, credentialOf } from './authenticate.ts';
import type { Authorize } from './caller.ts';
import { checkSignIn, checkHttpOptions, HTTP_OPTIONS } from './check-http-options.ts';
import type { DeskAppOptions } from './desk-app-options.ts';
import { serveCallbacks } from './endpoints/callbacks.ts';
import { serveDeviceSignIn } from './endpoints/device-sign-in.ts';
import { serveEndpoints } from './endpoints/index.ts';
import { serveSignIn, SIGN_IN_PATHS, SIGN_OUT_PATH, withSessions } from './entrance.ts';
import { DeskEvents } from './events/desk-events.ts';
import { serveEvents } from './events/serve-events.ts';
import { serveRunStream } from './events/serve-run-stream.ts';
import { serveHealth } from './health.ts';
import { HttpProblem } from './http-problem.ts';
import { mayChange, readBody } from './json-body.ts';
import { serveLinks } from './links/serve-links.ts';
import { OPENAPI_PATH, serveOpenApi } from './openapi.ts';
import { requireOwnSite } from './own-site.ts';
import { problemPage } from './pages/page-response.ts';
import { type Problem, problemOf, problemResponse } from './problem-details.ts';
import type { RateLimits } from './rate-limits.ts';
import { type DeskApi, type DeskEnv, type DeskRules, scopeOf } from './scope.ts';
import { keyCaller } from './service-accounts/key-caller.ts';
import { requireScope } from './service-accounts/required-scope.ts';
import { rejectInvalid } from './validation.ts';

/** A desk that a server can mount. */
export interface DeskApp {
  /** Responds to a request. Every server with `Request` and `Response` can mount it. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends all event streams and opens no other, so that the server can stop. `/readyz` fails from then on. */
  readonly closeStreams: () => void;
}

/**
 * Serves a desk with further rules, in addition to those that it was opened with. Use `desk.fetch`
 * unless the desk was opened by other code. The inbox for approvers is at `/inbox`, the API at
 * `/v1`.
 */
export function deskApp(opened: Desk, options: DeskAppOptions = {}): DeskApp {
  if (typeof Object(opened).restrictedBy !== 'function') {
    throw new UserError(
      `The desk of \`deskApp\` is ${kindOf(opened)}. Pass what \`openDesk\` returned.`,
    );
  }
  if ('redact' in Object(options)) throw redactOfApp();
  checkOptions<DeskAppOptions>('`deskApp`', options, APP_OPTIONS);
  checkFunction('authorize', options.authorize);
  checkFunction('onError', options.onError);
  checkSignIn(options.signIn);
  const { signIn: signInProvider, authorizeAction, mayDecide, notRequester } = options;
  const { basePath, maxBytes, rateLimits, events: limits } = checkHttpOptions(options);
  const desk = opened.restrictedBy({ mayDecide, notRequester });
  const { redaction, logger, onError: ofDesk } = contextOf(desk);
  const onError = options.onError === undefined ? ofDesk : reporterOf(options).onError;
  const rules: DeskRules = Object.freeze({ redaction, authorizeAction, onError });
  const authorize = withSessions(options.authorize, signInProvider, basePath);
  const events = new DeskEvents({ ...limits, onError });

  const respondWith = (problem: Problem, { var: { isPage }, req }: Context<DeskEnv>) =>
    isPage ? problemPage(problem, inboxAddress(req.path, basePath)) : problemResponse(problem);

  const root = new OpenAPIHono<DeskEnv>();
  root.use(requestId({ generator: newId }), addRequestId);
  root.onError((error, context) => {
    const problem = problemOf(error, { requestId: context.var.requestId, onError });
    logRejection(logger, context.req.raw, problem);
    return respondWith(problem, context);
  });
  root.notFound((context) => {
    if (acceptsPage(context) && !/\/v1(\/|$)/.test(context.req.path)) context.set('isPage', true);
    const problem = problemOf(noSuchRoute(basePath), {
      requestId: context.var.requestId,
      onError,
    });
    return respondWith(problem, context);
  });
  const pages = root.basePath(basePath);
  serveInbox(root, basePath.replace(/\/$/, ''));
  limitPages(pages, rateLimits);
  serveLinks(pages, { desk, rules, authorize });
  if (signInProvider !== undefined) serveSignIn(pages, signInProvider);

  root.use(secureApi, noStore);
  const api: DeskApi = new OpenAPIHono<DeskEnv>({ defaultHook: rejectInvalid });
  const authenticated = authenticate(desk, authorize, { rules, rateLimits, basePath });
  serveHealth(api, desk, { onError, isDraining: () => events.isClosed });
  serveOpenApi(api, desk.url ?? basePath);
  serveCallbacks(api, desk, { rateLimits, maxBytes });
  serveDeviceSignIn(api, signInProvider?.device, { url: desk.url, rateLimits, maxBytes });
  api.use('/v1/*', authenticated, readBody(maxBytes));
  serveEndpoints(api, events);
  serveEvents(api, events);
  serveRunStream(api, events);
  if (signInProvider !== undefined) {
    api.post(SIGN_OUT_PATH, authenticated, async ({ req }) => {
      // It ends the session of the cookie, even if another credential authenticated the caller.
      if (req.header('cookie') !== undefined) requireOwnSite(req.raw, desk.url, 'cookie');
      return Response.json({}, { headers: await signInProvider.signOut(req.raw) });
    });
  }
  pages.route('/', api);

  return Object.freeze({
    fetch: async (request: Request) => root.fetch(request),
    closeStreams: () => events.close(),
  });
}

const APP_OPTIONS: KeysOf<DeskAppOptions> = {
  ...HTTP_OPTIONS,
  authorize: true,
  signIn: true,
  onError: true,
};

/** Logs a request whose credentials were rejected. A visitor without any is no event. */
function logRejection(logger: Logger, { headers }: Request, { details }: Problem): void {
  const { status, code } = details;
  if (code !== 'unauthenticated' && code !== 'forbidden') return;
  if (!headers.has('authorization') && !headers.has('cookie')) return;
  const fields = { event: 'request-rejected', requestId: details.requestId, status, code };
  logger.info(fields, 'A request was rejected.');
}

const addRequestId: MiddlewareHandler<DeskEnv> = async (context, next) => {
  await next();
  context.header('x-request-id', context.var.requestId);
};

/** Responses of the API are data for the caller: browsers neither display nor store them. */
const SECURE_HEADERS: MiddlewareHandler = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
  },
  xFrameOptions: 'DENY',
  // The application in front of the desk decides about its domain.
  strictTransportSecurity: false,
  originAgentCluster: false,
});

/** A page has its own headers, with the hash of its style sheet. */
const secureApi: MiddlewareHandler<DeskEnv> = async (context, next) => {
  await next();
  if (!context.var.isPage) await SECURE_HEADERS(context, async () => {});
};

const noStore: MiddlewareHandler = async (context, next) => {
  await next();
  context.header('cache-control', 'no-store');
};

/** Limits requests of visitors who are not authenticated yet. */
function limitPages(pages: Hono<DeskEnv>, rateLimits: RateLimits): void {
  const limit = (paths: readonly string[], count: (request: Request) => void) => {
    for (const path of paths) {
      pages.use(path, async (context, next) => {
        context.set('isPage', true);
        count(context.req.raw);
        await next();
      });
    }
  };
  limit(SIGN_IN_PATHS, (request) => rateLimits.countSignIn(request));
  limit(['/links/*'], (request) => rateLimits.countLink(request));
}

/** Authenticates callers, and rejects changes that another site may have caused. */
function authenticate(
  desk: Desk,
  authorize: Authorize | undefined,
  {
    rules,
    rateLimits,
    basePath,
  }: {
    readonly rules: DeskRules;
    readonly rateLimits: RateLimits;
    readonly basePath: string;
  },
): MiddlewareHandler<DeskEnv> {
  const prefix = `${basePath.replace(/\/$/, '')}/v1`;
  return async (context, next) => {
    const { raw } = context.req;
    const caller = (await keyCaller(desk, raw)) ?? (await callerOf(authorize, raw));
    requireScope(caller, raw.method, context.req.path.slice(prefix.length));
    if (mayChange(raw)) {
      requireOwnSite(raw, desk.url, await credentialOf(authorize, raw, caller));
      rateLimits.countWrite(caller);
    }
    context.set('scope', scopeOf(desk, caller, rules));
    await next();
  };
}

/** Serves the inbox. It contains no data of the desk, so visitors need no credentials. */
function serveInbox(root: OpenAPIHono<DeskEnv>, prefix: string): void {
  const inbox = new InboxPage();
  root.get(`${prefix}${INBOX_PATH}/*`, ({ req }) =>
    inbox.respond(req.raw, req.path.slice(prefix.length)),
  );
  root.on('GET', prefix === '' ? ['/'] : [prefix, `${prefix}/`], async (context, next) => {
    if (!acceptsPage(context)) return next();
    // Relative to the last segment: a proxy may have removed the beginning of the path.
    const lastSegment = context.req.path.split('/').at(-1) ?? '';
    return context.redirect(lastSegment === '' ? 'inbox' : `${lastSegment}/inbox`, 302);
  });
}

/** Returns the address of the inbox from another path, relative to it: a proxy may have removed its beginning. */
function inboxAddress(path: string, basePath: string): string {
  const prefix = basePath.replace(/\/$/, '');
  if (!path.startsWith(`${prefix}/`)) return `${prefix}${INBOX_PATH}`;
  const depth = path.slice(prefix.length).split('/').length - 2;
  return `${'../'.repeat(depth) || './'}inbox`;
}

function acceptsPage({ req }: Context): boolean {
  return req.method === 'GET' && (req.header('accept') ?? '').includes('text/html');
}

function redactOfApp(): UserError {
  return new UserError(
    '`redact` is not an option of `deskApp`: a worker applies the rules when it stores a call. Pass `redact` to `openDesk`.',
  );
}

function noSuchRoute(basePath: string): HttpProblem {
  const document = `${basePath.replace(/\/$/, '')}${OPENAPI_PATH}`;
  return new HttpProblem({
    status: 404,
    code: 'no-such-route',
    message: `No route has this path and method. Check them in \`${document}\`.`,
  });
}
