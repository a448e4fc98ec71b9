import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { type Caller, jsonLogger, type ServedDesk } from '@holdpoint/desk';
import { type SignIn, signIn } from '@holdpoint/desk/sign-in';
import { UserError } from 'holdpoint';
import { withInterrupt } from '../chat/interrupt.ts';
import { requireFile } from '../modules/load-module.ts';
import { Screen } from '../terminal/screen.ts';
import { authorizeByToken, newToken, openIdOptions, type SignInOptions } from './access.ts';
import { DEFAULT_TENANT, machineUser } from './connection.ts';
import { type DeskFile, loadDesk } from './load-desk.ts';
import { closeConnections, rejectWhileStopping, stopAccepting } from './shut-down.ts';

/** Options of `holdpoint desk`. */
export interface ServeOptions extends SignInOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** False to serve requests without executing runs. */
  readonly worker: boolean;
  /** The number of runs and other tasks that the worker executes at the same time. */
  readonly concurrency?: number | undefined;
}

/** The time that responses in flight have to finish. */
const RESPONSE_GRACE_MS = 5_000;
/** The time after which the process exits although a user's module keeps it alive. */
const EXIT_GRACE_MS = 1_000;

/** Serves a desk and executes its runs until a signal stops the process. */
export async function serveDesk(path: string, options: ServeOptions): Promise<void> {
  requireFile(path);
  const screen = new Screen(process.stdout);
  const { host, port } = options;
  let respond: RequestListener = (_, response) => response.writeHead(503).end();
  const server = createServer((request, response) => respond(request, response));
  // The desk needs its address, and the port is known only when the server listens.
  const listening = await listen(server, host, port);
  let stopped: Promise<void> | undefined;
  let desk: ServedDesk | undefined;
  try {
    const origin = options.url?.replace(/\/$/, '') ?? listening;
    const addressOf = (basePath: string) => `${origin}${basePath.replace(/\/$/, '')}`;
    const isAddressKnown = options.url !== undefined || isLoopback(host);
    let access: Access = FILE_ACCESS;
    const {
      desk: opened,
      isOpenedByFile,
      basePath,
    } = await loadDesk(path, {
      urlOf: (base) => (isAddressKnown ? addressOf(base) : undefined),
      accessOf: (file, url) => {
        access = accessOf(file, options, url);
        return { authorize: access.authorize, signIn: access.browser ?? file.signIn };
      },
    });
    desk = opened;
    if (isOpenedByFile && options.oidcIssuer !== undefined) throw new UserError(NO_STORE);
    respond = getRequestListener(opened.fetch);
    await announce(screen, addressOf(basePath), access, options);
    const work = async (signal: AbortSignal) => {
      signal.addEventListener('abort', () => {
        const text =
          'Stopping. Tool calls have 30 seconds to finish. Press Ctrl-C again to stop at once.';
        screen.plain({ text, style: 'dim' });
        respond = rejectWhileStopping;
        stopped ??= stopAccepting(server);
        void opened.closeStreams();
      });
      await workUntilAborted(opened, options, signal);
    };
    await withInterrupt(work, ['SIGINT', 'SIGTERM']);
    screen.plain({ text: 'Stopped. The next worker resumes unfinished runs.' });
  } finally {
    await desk?.closeStreams();
    await closeConnections(server, (stopped ??= stopAccepting(server)), RESPONSE_GRACE_MS);
    await desk?.close().catch(logFailedClose);
    setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
  }
}

async function workUntilAborted(
  desk: ServedDesk,
  { worker, concurrency }: ServeOptions,
  signal: AbortSignal,
): Promise<void> {
  if (worker) {
    return desk.startWorker({ signal, ...(concurrency !== undefined && { concurrency }) });
  }
  if (!signal.aborted) await once(signal, 'abort');
}

/** The ways to reach a desk. */
export interface Access {
  readonly authorize: DeskFile['authorize'];
  /** The sign-in that this command opens, if the file has none. */
  readonly browser: SignIn | undefined;
  readonly note?: string | undefined;
  /** The token for terminals: generated, from the environment, of the file's `authorize`, or none. */
  readonly token:
    | { readonly kind: 'generated'; readonly value: string }
    | { readonly kind: 'environment' | 'file' | 'none' };
}

const FILE_ACCESS: Access = { authorize: undefined, browser: undefined, token: { kind: 'file' } };

/**
 * Uses the file's authorization, an OpenID provider, or a token for the user of this machine. With
 * a token, only that user may be able to connect. With a provider there is no token, because one
 * person would have two ids.
 */
export function accessOf(
  { authorize, signIn: signInProvider, store }: DeskFile,
  options: SignInOptions & { readonly host: string },
  url: string | undefined,
): Access {
  const openId = openIdOptions(options, process.env);
  if (openId !== undefined) {
    if (url === undefined) throw new UserError(NO_URL);
    const browser = signIn({ store, url, openId });
    const note = openId.personOf === undefined ? ACCOUNTS_ARE_PEOPLE : undefined;
    const token = { kind: authorize === undefined ? 'none' : 'file' } as const;
    return { authorize, browser, note, token };
  }
  if (authorize !== undefined || signInProvider !== undefined) return { ...FILE_ACCESS, authorize };
  const { host } = options;
  if (!isLoopback(host)) {
    throw new UserError(
      `Other machines can reach \`${host}\`, and the file has no \`authorize\` to identify callers. ` +
        'Export `authorize` beside `store` and `agents`, pass `--oidc-issuer`, or leave out `--host`.',
    );
  }
  const known = process.env['HOLDPOINT_TOKEN'];
  const value = known || newToken();
  return {
    authorize: authorizeByToken(value, machineCaller()),
    browser: url === undefined ? undefined : signIn({ store, url }),
    token: known ? { kind: 'environment' } : { kind: 'generated', value },
  };
}

/** The user of this machine has the same id in the terminal and in a browser. */
function machineCaller(): Caller {
  return { tenant: DEFAULT_TENANT, person: { id: machineUser() } };
}

const ACCOUNTS_ARE_PEOPLE =
  'Each account at the provider counts as one approver. If people have several accounts, pass --oidc-person-claim.';
const NO_STORE =
  'Sign-in needs the store of the desk. Export `{ store, agents }` instead of the result of `openDesk`.';
const NO_URL =
  'Sign-in needs the address of the desk. Pass `--url` with the address that people use: `https://…`.';

/** Returns true if only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Starts to listen; returns the address. */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = String(Object(error).code);
    throw new UserError(`Cannot listen at ${host}:${port} (${code}). Pass another \`--port\`.`, {
      cause: error,
    });
  }
  const address = server.address();
  const found = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${found}`;
}

async function announce(
  screen: Screen,
  address: string,
  { browser, note, token }: Access,
  { worker }: ServeOptions,
): Promise<void> {
  screen.plain({ text: address, label: { text: 'Desk: ', style: 'bold' } });
  if (!worker) {
    const text = 'No worker: another process has to execute the runs of this desk.';
    screen.plain({ text, style: 'yellow' });
  }
  if (browser !== undefined) {
    const isOpen = browser.signInPath !== undefined;
    const link = isOpen ? `${address}/inbox` : (await browser.signInLink(machineCaller())).url;
    const text = isOpen ? 'Inbox:' : 'Inbox (this link works once, within an hour):';
    screen.plain({ text: '' }, { text });
    // Links are written without line breaks, so that they can be copied.
    screen.write(`  ${link}\n`);
    if (note !== undefined) screen.plain({ text: note, style: 'dim', label: { text: '  ' } });
  }
  if (token.kind !== 'none') {
    const lines = [`export HOLDPOINT_URL=${address}`, tokenLine(token), 'holdpoint holds'];
    screen.plain(
      { text: '' },
      { text: 'In another terminal:' },
      ...lines.map((text) => ({ text, label: { text: '  ' } })),
    );
  }
  screen.plain({ text: '' }, { text: 'Press Ctrl-C to stop.', style: 'dim' });
}

function tokenLine(token: Access['token']): string {
  if (token.kind === 'generated') return `export HOLDPOINT_TOKEN=${token.value}`;
  return token.kind === 'environment'
    ? 'export HOLDPOINT_TOKEN=… (the value that is set here)'
    : 'export HOLDPOINT_TOKEN=… (a token that the `authorize` of the file accepts)';
}

function logFailedClose(error: unknown): void {
  const { name, message } = Object(error) as Partial<Error>;
  jsonLogger().error({ event: 'close-failed', err: { name, message } }, 'The desk did not close.');
}
