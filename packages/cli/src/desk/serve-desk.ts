import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Caller, ErrorContext } from '@holdpoint/desk';
import { type SignIn, signIn } from '@holdpoint/desk/sign-in';
import { UserError } from 'holdpoint';
import { withInterrupt } from '../chat/with-interrupt.ts';
import { Screen } from '../terminal/screen.ts';
import { visible } from '../terminal/visible.ts';
import { type DeskFile, loadDesk } from './load-desk.ts';
import { byToken, newToken } from './own-token.ts';
import { closeAll, closeConnections, rejectWhileStopping, stopAccepting } from './shut-down.ts';
import type { SignInFlags } from './sign-in-flags.ts';
import { DEFAULT_TENANT, userOfMachine } from './where.ts';

/** Where a desk is served. */
export interface Serving extends SignInFlags {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
}

/** How long responses have that are under way when everything else has stopped, in milliseconds. */
const RESPONSE_GRACE_MS = 5_000;
/** What a process still has open that it was not told how to close does not keep it. */
const GRACE_MS = 1_000;

/** Serves a desk and works for it until somebody stops it; gives the exit code. */
export async function serveDesk(path: string, serving: Serving): Promise<number> {
  const screen = new Screen(process.stdout);
  const { host, port } = serving;
  let respond: RequestListener = (_, response) => response.writeHead(503).end();
  const server = createServer((request, response) => respond(request, response));
  // The desk has to know its address, and only who listens knows the port.
  const listening = await listen(server, host, port);
  let stopped: Promise<void> | undefined;
  const closing: (() => unknown)[] = [
    () => closeConnections(server, (stopped ??= stopAccepting(server)), RESPONSE_GRACE_MS),
  ];
  try {
    const reached = serving.url?.replace(/\/$/, '') ?? listening;
    const address = (basePath: string) => `${reached}${basePath.replace(/\/$/, '')}`;
    const isKnown = serving.url !== undefined || isLoopback(host);
    let people: People = THEIRS;
    const { desk, basePath, isTheirs, close } = await loadDesk(path, {
      onError: complain,
      urlOf: (beginning) => (isKnown ? address(beginning) : undefined),
      letIn: (file, url) => {
        people = peopleOf(file, serving, url);
        return { authorize: people.authorize, entrance: people.browser ?? file.entrance };
      },
    });
    closing.push(close);
    if (isTheirs && serving.openId !== undefined) throw new UserError(NO_STORE);
    closing.unshift(() => desk.closeStreams());
    respond = getRequestListener(desk.fetch);
    await announce(screen, address(basePath), people);
    await withInterrupt(
      async (signal) => {
        signal.addEventListener('abort', () => {
          const text =
            'Stopping. Tool calls have 30 seconds to end; press Ctrl-C again to stop at once.';
          screen.plain({ text, style: 'dim' });
          respond = rejectWhileStopping;
          stopped ??= stopAccepting(server);
          void desk.closeStreams();
        });
        await desk.keepWorking({ signal });
      },
      ['SIGINT', 'SIGTERM'],
    );
    screen.plain({ text: 'Stopped. What was not finished waits for the next worker.' });
    return 0;
  } finally {
    await closeAll(closing, complain);
    setTimeout(() => process.exit(), GRACE_MS).unref();
  }
}

/** Who is let in. */
interface People {
  readonly authorize: DeskFile['authorize'];
  /** How they come in with a browser, where that is not for the file to say. */
  readonly browser: SignIn | undefined;
  /** What whoever starts it should know. */
  readonly note?: string | undefined;
  /** How somebody gets in from a terminal. */
  readonly token:
    | { readonly kind: 'made'; readonly value: string }
    | { readonly kind: 'known' | 'theirs' | 'none' };
}

const THEIRS: People = { authorize: undefined, browser: undefined, token: { kind: 'theirs' } };

/**
 * By the file's own rules, by a provider, or by a token for whoever runs this: then nobody else should be
 * able to listen. With a provider there is no token: it would give one person two names.
 */
function peopleOf(
  { authorize, entrance, store }: DeskFile,
  { host, openId }: Serving,
  url: string | undefined,
): People {
  if (openId !== undefined) {
    if (url === undefined) throw new UserError(NO_URL);
    const browser = signIn({ store, url, openId, onError: complain });
    const note = openId.personOf === undefined ? TWO_ACCOUNTS : undefined;
    const token = { kind: authorize === undefined ? 'none' : 'theirs' } as const;
    return { authorize, browser, note, token };
  }
  if (authorize !== undefined || entrance !== undefined) return { ...THEIRS, authorize };
  if (!isLoopback(host)) {
    throw new UserError(
      `Others can reach ${host}, and the file does not say who they are. Have it export authorize, beside ` +
        'store and agents, give an --oidc-issuer, or leave --host out.',
    );
  }
  const known = process.env['HOLDPOINT_TOKEN'];
  const value = known || newToken();
  return {
    authorize: byToken(value, OWN_CALLER()),
    browser: url === undefined ? undefined : signIn({ store, url }),
    token: known ? { kind: 'known' } : { kind: 'made', value },
  };
}

/** Whoever runs this has one name, whichever way they come in. */
const OWN_CALLER = (): Caller => ({ tenant: DEFAULT_TENANT, person: { id: userOfMachine() } });

const TWO_ACCOUNTS =
  'Each account at the provider is a person here, with a vote. If people have several, give --oidc-person-claim.';
const NO_STORE =
  'To sign people in, the desk needs its store. Have the file export { store, agents } instead of what openDesk gives.';
const NO_URL =
  'To sign people in, the desk needs its address. Say with --url where people reach it: https://…';

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

async function listen(server: Server, host: string, port: number): Promise<string> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code: unknown = Object(error).code;
    throw new UserError(
      `The desk cannot listen at ${host}:${port} (${String(code)}). Give another --port.`,
      {
        cause: error,
      },
    );
  }
  const address = server.address();
  const found = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${found}`;
}

async function announce(screen: Screen, address: string, people: People): Promise<void> {
  const { token } = people;
  screen.plain({ text: address, label: { text: 'The desk is open at ', style: 'bold' } });
  await announceBrowser(screen, address, people);
  const TOKENS = {
    made: `export HOLDPOINT_TOKEN=${token.kind === 'made' ? token.value : ''}`,
    known: '(with the HOLDPOINT_TOKEN that it has here)',
    theirs: 'export HOLDPOINT_TOKEN=… (one that the authorize of the file takes)',
    none: undefined,
  } as const;
  const inTerminal = TOKENS[token.kind];
  if (inTerminal !== undefined) {
    screen.plain(
      { text: '' },
      { text: 'To answer from another terminal:' },
      ...[`export HOLDPOINT_URL=${address}`, inTerminal, 'holdpoint holds'].map((text) => ({
        text,
        label: { text: '  ' },
      })),
    );
  }
  screen.plain({ text: '' }, { text: 'Ctrl-C stops it.', style: 'dim' });
}

/** With a provider people sign in by themselves; otherwise one link lets in whoever runs this. */
async function announceBrowser(
  screen: Screen,
  address: string,
  { browser, note }: People,
): Promise<void> {
  if (browser === undefined) return;
  const isOpen = browser.signInPath !== undefined;
  const link = isOpen ? `${address}/inbox` : await browser.entryLink(OWN_CALLER());
  const how = isOpen ? 'To answer in a browser:' : 'To answer in a browser, once, within an hour:';
  screen.plain({ text: '' }, { text: how });
  // In one piece, however long: it is there to be copied.
  screen.write(`  ${link}\n`);
  if (note !== undefined) screen.plain({ text: note, style: 'dim', label: { text: '  ' } });
}

function complain(error: unknown, { runId, requestId, outcome }: ErrorContext = {}): void {
  const about = Object.entries({ run: runId, request: requestId, outcome })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${value}: `)
    .join('');
  const thrown = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const text = `${about}${thrown}`;
  console.error(text.split('\n').map(visible).join('\n'));
}
