import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Authorize } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { withInterrupt } from '../chat/with-interrupt.ts';
import { Screen } from '../terminal/screen.ts';
import { visible } from '../terminal/visible.ts';
import { loadDesk } from './load-desk.ts';
import { byToken, newToken } from './own-token.ts';
import { DEFAULT_TENANT, userOfMachine } from './where.ts';

/** Where a desk is served. */
export interface Serving {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
}

/** What a process still has open that it was not told how to close does not keep it. */
const GRACE_MS = 1_000;

/** Serves a desk and works for it until somebody stops it; gives the exit code. */
export async function serveDesk(path: string, { host, port }: Serving): Promise<number> {
  const screen = new Screen(process.stdout);
  let own: OwnEntrance | undefined;
  const entrance = () => {
    own = ownEntrance(host);
    return own.authorize;
  };
  const { desk, basePath, hasEntrance, close } = await loadDesk(path, {
    onError: complain,
    entrance,
  });
  const server = createServer(getRequestListener(desk.fetch));
  try {
    const address = `${await listen(server, host, port)}${basePath.replace(/\/$/, '')}`;
    announce(screen, address, hasEntrance ? undefined : own);
    await withInterrupt(
      async (signal) => {
        signal.addEventListener('abort', () => {
          const text = 'Stopping. Runs end the step that they are at; Ctrl-C again does not wait.';
          screen.plain({ text, style: 'dim' });
        });
        await desk.keepWorking({ signal });
      },
      ['SIGINT', 'SIGTERM'],
    );
    screen.plain({ text: 'Stopped. What was not finished waits for the next worker.' });
    return 0;
  } finally {
    await desk.closeStreams();
    server.close();
    server.closeAllConnections();
    await close();
    setTimeout(() => process.exit(), GRACE_MS).unref();
  }
}

/** A token for whoever runs this, where the file says nothing about who is let in. */
interface OwnEntrance {
  readonly authorize: Authorize;
  /** The token, unless they have it already. */
  readonly newToken: string | undefined;
}

/** Nobody else should be able to listen then. */
function ownEntrance(host: string): OwnEntrance {
  if (!isLoopback(host)) {
    throw new UserError(
      `Others can reach ${host}, and the file does not say who they are. Have it export authorize, beside ` +
        'store and agents, or leave --host out.',
    );
  }
  const known = process.env['HOLDPOINT_TOKEN'];
  const token = known || newToken();
  const caller = { tenant: DEFAULT_TENANT, person: { id: userOfMachine() } };
  return { authorize: byToken(token, caller), newToken: known ? undefined : token };
}

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

function announce(screen: Screen, address: string, own: OwnEntrance | undefined): void {
  const token =
    own === undefined
      ? 'export HOLDPOINT_TOKEN=… (one that the authorize of the file takes)'
      : own.newToken === undefined
        ? '(with the HOLDPOINT_TOKEN that it has here)'
        : `export HOLDPOINT_TOKEN=${own.newToken}`;
  screen.plain(
    { text: address, label: { text: 'The desk is open at ', style: 'bold' } },
    { text: '' },
    { text: 'To answer from another terminal:' },
    ...[`export HOLDPOINT_URL=${address}`, token, 'holdpoint holds'].map((text) => ({
      text,
      label: { text: '  ' },
    })),
    { text: '' },
    { text: 'Ctrl-C stops it.', style: 'dim' },
  );
}

function complain(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  console.error(text.split('\n').map(visible).join('\n'));
}
