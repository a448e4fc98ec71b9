import { OpenAPIHono } from '@hono/zod-openapi';
import { UserError } from 'holdpoint';
import { type Desk, insidesOf } from '../desk/desk.ts';
import { type ReportError, reporterOf } from '../errors/report-error.ts';
import { callerOf } from './authorize.ts';
import { checkFunction, checkOptions, type KeysOf } from '../model/check-keys.ts';
import { checkEntrance, checkHttpOptions, HTTP_OPTIONS } from './check-http-options.ts';
import { credentialOf } from './credential.ts';
import type { DeskRules } from './desk-rules.ts';
import { ENDPOINTS } from './endpoints/index.ts';
import { serveEntrance, SIGN_OUT_PATH, withSessions } from './entrance.ts';
import { errorResponse } from './error-response.ts';
import { mayReadEvents } from './events/may-read-events.ts';
import { DeskEvents } from './events/desk-events.ts';
import type { DeskAppOptions } from './desk-app-options.ts';
import { HttpProblem } from './http-problem.ts';
import { serveLinks } from './links/serve-links.ts';
import { accessOf, type DeskEnv, mountEndpoint } from './mount-endpoint.ts';
import { describeApi, EVENTS_PATH, OPENAPI_PATH } from './openapi.ts';
import { mayChange, requireOwnSite } from './own-site.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import { serveHealth } from './serve-health.ts';
import { servePage } from './serve-page.ts';

/** A desk as a server has it. */
export interface DeskApp {
  /** Answers a request. Every server that knows `Request` and `Response` can mount it. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends all event streams and opens no other, so that a server can end. */
  readonly closeStreams: () => void;
}

/**
 * Serves a desk that is open already under rules of its own, whatever it was opened with. `desk.fetch` is
 * made of it, and is what you want unless somebody else has opened the desk. At `/inbox` is the page for
 * those who answer.
 */
export function deskApp(opened: Desk, options: DeskAppOptions = {}): DeskApp {
  if ('redact' in options) throw redactOfApp();
  checkOptions<DeskAppOptions>('`deskApp`', options, APP_OPTIONS);
  checkFunction('authorize', options.authorize);
  checkEntrance(options.entrance);
  const { entrance, authorizeAction, mayAnswer, notRequester } = options;
  const desk = opened.restrictedBy({ mayAnswer, notRequester });
  const onError =
    options.onError === undefined ? insidesOf(desk).onError : reporterOf(options.onError);
  const { basePath, mostBytes, events: limits } = checkHttpOptions(options);
  const authorize = withSessions(options.authorize, entrance, basePath);
  const rules = rulesOf(desk, options, onError);
  const events = new DeskEvents({ ...limits, onError });
  const root = new OpenAPIHono<DeskEnv>();
  root.onError((error) => errorResponse(error, onError));
  root.notFound(() => errorResponse(noSuchRoute(basePath), onError));
  const app = root.basePath(basePath);
  servePage(app, basePath);
  serveHealth(app, desk, onError);
  serveLinks(app, { desk, rules, authorize, onError });
  if (entrance !== undefined) serveEntrance(app, entrance, onError);
  root.use('*', async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.header(name, value);
  });

  app.use('*', async (context, next) => {
    const caller = await callerOf(authorize, context.req.raw);
    context.set('caller', caller);
    const { raw } = context.req;
    if (mayChange(raw)) {
      requireOwnSite(raw, desk.url, await credentialOf(authorize, raw, caller));
    }
    await next();
  });

  for (const endpoint of ENDPOINTS) mountEndpoint(app, endpoint, { desk, rules, mostBytes });
  app.get(EVENTS_PATH, async ({ req, get }) => {
    // Nobody reads what comes after the head.
    if (req.raw.method === 'HEAD') return new Response(null, { headers: EVENT_HEADERS });
    const caller = get('caller');
    const last = req.header('last-event-id');
    const theirs = desk.forTenant(caller.tenant);
    const mayRead = authorizeAction && mayReadEvents(theirs, accessOf(theirs, caller, rules));
    const body = await events.open({ desk: theirs, caller, mayRead }, last);
    return new Response(body, { headers: EVENT_HEADERS });
  });
  if (entrance !== undefined) {
    app.post(SIGN_OUT_PATH, async ({ req }) => {
      // It ends the session of the cookie, whichever credential authenticated the caller.
      if (req.header('cookie') !== undefined) requireOwnSite(req.raw, desk.url, 'cookie');
      return Response.json({}, { headers: await entrance.signOut(req.raw) });
    });
  }
  describeApi(app.openAPIRegistry);
  app.get(OPENAPI_PATH, () => Response.json(app.getOpenAPI31Document(DOCUMENT)));

  return Object.freeze({
    fetch: async (request: Request) => root.fetch(request),
    closeStreams: () => events.close(),
  });
}

const APP_OPTIONS: KeysOf<DeskAppOptions> = {
  ...HTTP_OPTIONS,
  authorize: true,
  entrance: true,
  onError: true,
};

const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies would keep events until there are more of them.
  'x-accel-buffering': 'no',
};

const DOCUMENT = {
  openapi: '3.1.0',
  info: {
    title: 'Holdpoint desk',
    version: '1',
    description: 'Where parked runs of agents wait for people.',
  },
};

function rulesOf(desk: Desk, options: DeskAppOptions, onError: ReportError): DeskRules {
  const { authorizeAction } = options;
  const { redaction } = insidesOf(desk);
  return Object.freeze({ redaction, authorizeAction, onError });
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
    message: `There is nothing at this address for this method. ${document} says what there is.`,
  });
}
