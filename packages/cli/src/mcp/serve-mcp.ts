import { createServer } from 'node:http';
import { Writable } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { ServedDesk } from '@holdpoint/desk';
import { type McpCaller, type McpServer, mcpServer } from '@holdpoint/desk/mcp';
import { UserError } from 'holdpoint';
import { withInterrupt } from '../chat/interrupt.ts';
import { authorizeByToken, newToken } from '../desk/access.ts';
import { DEFAULT_TENANT, machineUser } from '../desk/connection.ts';
import { exportsDesk, loadDesk } from '../desk/load-desk.ts';
import { listen } from '../desk/serve-desk.ts';
import { loadModule } from '../modules/load-module.ts';
import { reserveStdout } from '../terminal/reserve-stdout.ts';
import { readMcpOptions } from './options.ts';
import { stateKey } from './state-key.ts';

/** Options of `holdpoint mcp`. */
export interface ServeMcpOptions {
  /** Serves over HTTP instead of standard input and output. */
  readonly http: boolean;
  /** The port for HTTP; 0 for any free one. */
  readonly port: number;
}

/** Serves the agents of a desk to MCP clients, and executes their runs, until the client disconnects or a signal. */
export async function serveMcp(path: string, options: ServeMcpOptions): Promise<void> {
  const writeOutput = reserveStdout();
  const exported = await loadModule(path);
  if (!exportsDesk(exported)) {
    throw new UserError(
      `\`${path}\` exports no desk, where people approve the calls. Add \`export default { store, agents: { … } }\`.`,
    );
  }
  const { agents, person = { id: machineUser() }, roles, ...settings } = readMcpOptions(exported);
  // Another process serves the desk and its inbox over HTTP.
  const accessOf = () => ({ authorize: undefined, signIn: undefined });
  const { desk } = await loadDesk(path, { urlOf: () => undefined, accessOf });
  try {
    const server = mcpServer(desk, {
      ...settings,
      stateKey: await stateKey(process.env),
      ...(agents !== undefined && { agents }),
    });
    const caller = { person, roles };
    const serve = options.http ? serveHttp : serveStdio;
    await serve({ desk, server, caller, options, writeOutput });
  } finally {
    await desk.close();
  }
}

interface Serving {
  readonly desk: ServedDesk;
  readonly server: McpServer;
  readonly caller: McpCaller;
  readonly options: ServeMcpOptions;
  readonly writeOutput: (chunk: Uint8Array) => Promise<void>;
}

async function serveStdio({ desk, server, caller, writeOutput }: Serving): Promise<void> {
  const output = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      writeOutput(chunk).then(() => done(), done);
    },
  });
  const work = async (signal: AbortSignal) => {
    const connection = server.stdio(caller, { input: process.stdin, output });
    const closed = new AbortController();
    process.stdin.once('end', () => closed.abort());
    process.stdin.once('close', () => closed.abort());
    await desk.startWorker({ signal: AbortSignal.any([signal, closed.signal]) });
    await connection.close();
  };
  await withInterrupt(work, ['SIGINT', 'SIGTERM']);
}

async function serveHttp({ desk, server, caller, options, writeOutput }: Serving): Promise<void> {
  const given = process.env['HOLDPOINT_TOKEN'];
  const token = given || newToken();
  const isKnown = authorizeByToken(token, { tenant: DEFAULT_TENANT, person: caller.person });
  const handler = server.http({
    authorize: async (request) => ((await isKnown(request)) === undefined ? undefined : caller),
  });
  const listener = createServer(getRequestListener(handler));
  // Only this machine can connect: there is one token, for one person.
  const address = await listen(listener, '127.0.0.1', options.port);
  const lines = [
    `MCP server: ${address}/mcp`,
    `Header: Authorization: Bearer ${given ? '… (HOLDPOINT_TOKEN)' : token}`,
    'Press Ctrl-C to stop.',
  ];
  await writeOutput(new TextEncoder().encode(`${lines.join('\n')}\n`));
  try {
    await withInterrupt((signal) => desk.startWorker({ signal }), ['SIGINT', 'SIGTERM']);
  } finally {
    listener.close();
    listener.closeAllConnections();
  }
}
