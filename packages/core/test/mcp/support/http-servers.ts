import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { type Peer, type Script, ScriptedProtocol, type RpcMessage } from './scripted-protocol.ts';
import { node, serverProgram } from './stdio-servers.ts';

/** A server in a separate process, over HTTP. */
export interface EverythingOverHttp extends AsyncDisposable {
  readonly url: string;
  /** Kills the server without closing its connections. */
  kill(): Promise<void>;
  /** Starts it at the same address again. */
  restart(): Promise<void>;
}

/** Starts the reference server with all features of MCP. Dispose of it at the end of the test. */
export async function everythingOverHttp(): Promise<EverythingOverHttp> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async () => {
    child = spawn(node, [serverProgram('server-everything'), 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    // The server reports on stderr that it listens.
    if (child.stderr) await once(child.stderr, 'data');
  };
  const kill = async () => {
    const ended = child && once(child, 'exit');
    child?.kill('SIGKILL');
    child = undefined;
    await ended;
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    kill,
    restart: start,
    [Symbol.asyncDispose]: kill,
  };
}

async function freePort(): Promise<number> {
  const server = createSocketServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A scripted server in this process, over HTTP. */
export interface ScriptedHttpServer extends AsyncDisposable {
  readonly url: string;
  /** Messages that the server received, in order. */
  readonly received: readonly RpcMessage[];
  /** The sessions that have begun and not ended. */
  readonly sessions: ReadonlySet<string>;
  /** Replaces the script. */
  rewrite(script: Script): void;
  /** Forgets all sessions, as after a restart. */
  forget(): void;
  /** Cuts the streams of all incomplete responses. */
  cutStreams(): void;
}

/** Starts a server that follows a script. Dispose of it at the end of the test. */
export async function scriptedHttpServer(script: Script): Promise<ScriptedHttpServer> {
  const received: RpcMessage[] = [];
  const sessions = new Set<string>();
  const streams = new Map<unknown, ServerResponse>();
  const peer: Peer = {
    send(message, toMessage) {
      const stream = streams.get(toMessage?.id);
      stream?.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      if ('id' in message) stream?.end();
    },
    exit: () => server.closeAllConnections(),
  };
  let protocol = new ScriptedProtocol(script, peer);
  const server = createServer(async (request, response) => {
    const session = request.headers['mcp-session-id'];
    if (request.method === 'DELETE') {
      sessions.delete(String(session));
      response.end();
    } else if (request.method !== 'POST') {
      response.writeHead(405).end();
    } else {
      const message = await readMessage(request);
      if (message.method !== 'initialize' && !sessions.has(String(session))) {
        response.writeHead(404).end();
        return;
      }
      received.push(message);
      const begun = message.method === 'initialize' ? `session-${received.length}` : undefined;
      if (begun !== undefined) sessions.add(begun);
      if (message.id === undefined) {
        response.writeHead(202).end();
        return;
      }
      streams.set(message.id, response);
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        ...(begun && { 'mcp-session-id': begun }),
      });
      response.flushHeaders();
      protocol.receive(message);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    received,
    sessions,
    rewrite: (next) => {
      protocol = new ScriptedProtocol(next, peer);
    },
    forget: () => sessions.clear(),
    cutStreams: () => streams.forEach((stream) => stream.destroy()),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readMessage(request: IncomingMessage): Promise<RpcMessage> {
  let body = '';
  for await (const piece of request.setEncoding('utf8')) body += piece;
  return JSON.parse(body);
}
