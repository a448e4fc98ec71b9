import { type Authorize, type Desk, openDesk, type Store } from '@holdpoint/desk';
import { type DeskClient, deskClient } from '@holdpoint/desk/client';
import { deskApp } from '../../../src/http/desk-app.ts';
import type { DeskAppOptions } from '../../../src/http/desk-app-options.ts';
import { type Bank, newBank, teller } from '../../support/bank.ts';

/** The part of a desk that a server mounts. */
export interface Mounted {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly closeStreams: () => void | Promise<void>;
}

/** A desk that is served, without a network. */
export interface Site {
  readonly desk: Desk;
  readonly app: Mounted;
  readonly bank: Bank;
  /** Sends a request as a person of a tenant; without credentials if the name is empty. */
  ask(who: string, method: string, path: string, body?: unknown): Promise<SiteResponse>;
  client(who: string): DeskClient;
}

export interface SiteResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, if it is JSON. */
  readonly body: ReturnType<typeof JSON.parse>;
}

const URL = 'http://desk.test';

/**
 * Identifies people by a header such as `Bearer tenant/person`, or `Bearer tenant/person/role`.
 *
 * @public Programs that tests write use it, too.
 */
export const byName: Authorize = ({ headers }) => {
  const [, tenant, id, role] =
    /^Bearer ([^/]+)\/([^/]+)(?:\/(.+))?$/.exec(headers.get('authorization') ?? '') ?? [];
  if (tenant === undefined || id === undefined) return undefined;
  return { tenant, person: { id }, roles: role === undefined ? [] : [role] };
};

export function headersOf(who: string): Record<string, string> {
  return who === '' ? {} : { authorization: `Bearer ${who}` };
}

/** A desk that is opened to be served in this way. */
export function siteOn(store: Store, options: DeskAppOptions = {}, bank = newBank()): Site {
  const agents = { teller: { agent: teller, deps: () => bank } };
  const { onError, authorize, signIn: signInProvider, ...http } = options;
  const who = 'authorize' in options ? authorize : byName;
  const approvers = { grants: 'conversation' } as const;
  const desk = openDesk({
    store,
    agents,
    onError,
    authorize: who,
    signIn: signInProvider,
    approvers,
    requests: { tools: { refund: { approvers: {}, schema: { type: 'object' } } } },
    http,
  });
  return siteWith(desk, desk, bank);
}

/** Serves a desk that the test opened. */
export function siteOf(desk: Desk, options: DeskAppOptions = {}, bank = newBank()): Site {
  return siteWith(desk, deskApp(desk, { authorize: byName, ...options }), bank);
}

function siteWith(desk: Desk, app: Mounted, bank: Bank): Site {
  return {
    desk,
    app,
    bank,
    client: (who) => deskClient({ url: URL, headers: headersOf(who), fetch: app.fetch }),
    async ask(who, method, path, body) {
      const response = await app.fetch(
        new Request(`${URL}${path}`, {
          method,
          headers: {
            ...headersOf(who),
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && {
            body: typeof body === 'string' ? body : JSON.stringify(body),
          }),
        }),
      );
      const text = await response.text();
      const type = response.headers.get('content-type') ?? '';
      const isJson = type.includes('json') && !type.includes('jsonl');
      const { status, headers } = response;
      return { status, headers, text, body: isJson && text !== '' ? JSON.parse(text) : undefined };
    },
  };
}

/** Starts a run of Ada and executes it until it parks or ends. */
export async function startedRun(site: Site, prompt: string, who = 'acme/ada'): Promise<string> {
  const { body } = await site.ask(who, 'POST', '/v1/runs', { agent: 'teller', prompt });
  await site.desk.forTenant(who.split('/')[0] ?? '').work({ runId: body.id });
  return body.id;
}
