import { userInfo } from 'node:os';
import { DeskClientError, deskClient, type DeskClient } from '@holdpoint/desk/client';
import { UserError } from 'holdpoint';
import { UsageError } from '../errors.ts';
import { readCredentials } from './credentials.ts';

/** The address of a desk and the identity of the caller. */
export type DeskLocation =
  | { readonly kind: 'url'; readonly url: string; readonly token: string | undefined }
  | {
      readonly kind: 'store';
      readonly path: string;
      readonly by: string;
      readonly tenant: string;
      readonly roles?: readonly string[] | undefined;
    };

/** Options of commands that use a desk. */
export interface DeskOptions {
  readonly url?: string | undefined;
  readonly store?: string | undefined;
  readonly by?: string | undefined;
  readonly tenant?: string | undefined;
  readonly role?: readonly string[] | undefined;
}

/** A connected desk; dispose of it at the end. */
export interface DeskConnection extends AsyncDisposable {
  readonly client: DeskClient;
}

/** The tenant of a desk that names none. */
export const DEFAULT_TENANT = 'default';

/** Locates the desk. Options take precedence over the environment, and both over `holdpoint login`. */
export function locateDesk(options: DeskOptions, environment: NodeJS.ProcessEnv): DeskLocation {
  const { url, store, by, tenant, role: roles } = options;
  if (url !== undefined && store !== undefined) {
    throw new UsageError('`--url` and `--store` name two desks. Pass one of them.');
  }
  if (store !== undefined) {
    return {
      kind: 'store',
      path: store,
      by: by ?? machineUser(),
      tenant: tenant ?? DEFAULT_TENANT,
      ...(roles && { roles }),
    };
  }
  if (by !== undefined || tenant !== undefined || roles !== undefined) {
    throw new UsageError(
      '`--by`, `--role` and `--tenant` need `--store`: a served desk identifies you by your token. Pass `--store`, or leave them out.',
    );
  }
  return locateServedDesk(url || environment['HOLDPOINT_URL'] || undefined, environment);
}

function locateServedDesk(url: string | undefined, environment: NodeJS.ProcessEnv): DeskLocation {
  const token = environment['HOLDPOINT_KEY'] || environment['HOLDPOINT_TOKEN'] || undefined;
  const stored =
    url === undefined || token === undefined ? readCredentials(environment) : undefined;
  const address = url ?? stored?.url;
  if (address === undefined) {
    throw new UserError(
      'Missing address of the desk. Run `holdpoint login`, pass `--url` or set `HOLDPOINT_URL` for a served desk, ' +
        'or pass `--store` for a desk in a SQLite file on this machine.',
    );
  }
  requireHttp(address);
  // A stored token is sent to the desk that it was stored for, and to no other.
  const isStored = stored !== undefined && sameAddress(address, stored.url);
  return { kind: 'url', url: address, token: token ?? (isStored ? stored.token : undefined) };
}

function sameAddress(one: string, other: string): boolean {
  return one.replace(/\/$/, '') === other.replace(/\/$/, '');
}

/** Throws unless the text is an HTTP address. */
export function requireHttp(address: string): void {
  if (URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)) return;
  throw new UsageError(
    `\`${address}\` is not an HTTP address. Pass one such as \`http://127.0.0.1:4680\`.`,
  );
}

/** Returns the name of the operating system's user. */
export function machineUser(): string {
  try {
    return userInfo().username;
  } catch {
    throw new UserError('The operating system has no name for this user. Pass `--by <id>`.');
  }
}

/** Connects to a desk over HTTP or in a file. */
export async function connect(location: DeskLocation): Promise<DeskConnection> {
  if (location.kind === 'url') return connectToUrl(location);
  const { openSqliteDesk } = await import('./sqlite-desk.ts');
  return openSqliteDesk(location);
}

function connectToUrl({ url, token }: Extract<DeskLocation, { kind: 'url' }>): DeskConnection {
  const headers: HeadersInit = token ? { authorization: `Bearer ${token}` } : {};
  const client = deskClient({
    url,
    headers,
    fetch: async (request) => requireDesk(await send(url, request), url, token),
  });
  return { client, [Symbol.asyncDispose]: async () => {} };
}

async function send(url: string, request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    const code: unknown = Object(Object(error).cause).code;
    const reason = typeof code === 'string' ? ` (${code})` : '';
    throw new UserError(
      `Cannot reach the desk at ${url}${reason}. Start the desk, or pass another \`--url\`.`,
      { cause: error },
    );
  }
}

async function requireDesk(
  response: Response,
  url: string,
  token: string | undefined,
): Promise<Response> {
  if (response.status === 401 && !token) {
    throw new UserError(
      `The desk at ${url} requires a token. Set \`HOLDPOINT_TOKEN\` or \`HOLDPOINT_KEY\`, or run \`holdpoint login\`.`,
    );
  }
  if (response.status === 401) {
    const { code } = await DeskClientError.of(response.clone());
    // Other codes have a more specific message.
    if (code === 'unauthenticated') {
      throw new UserError(
        `The desk at ${url} rejected the token. Check \`HOLDPOINT_TOKEN\` and \`HOLDPOINT_KEY\`, or run \`holdpoint login\`. ` +
          'A desk that generates its token prints a new one at each start.',
      );
    }
  }
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok || type.includes('json') || type.includes('event-stream')) return response;
  throw new UserError(`The server at ${url} is not a desk. Check the address.`);
}
