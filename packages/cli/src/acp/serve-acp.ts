import { Readable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { loadAgent } from '../chat/load-agent.ts';
import { exportsDesk, loadDesk } from '../desk/load-desk.ts';
import { type Exports, loadModule } from '../modules/load-module.ts';
import { reserveStdout } from '../terminal/reserve-stdout.ts';
import { visible } from '../terminal/visible.ts';
import { createAcpApp } from './acp-app.ts';
import type { SessionSource } from './acp-session.ts';
import { deskSessions } from './desk-session.ts';
import { deskUser } from './desk-user.ts';
import { readAcpOptions } from './options.ts';
import { fileSessions } from './session.ts';
import { SessionFiles } from './session-files.ts';

/** A prompt is text, so a larger message is not one of an editor. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/** Serves an agent to an editor on standard input and output until the editor disconnects. */
export async function serveAcp(path: string, version: string): Promise<void> {
  const output = new WritableStream<Uint8Array>({ write: reserveStdout() });
  const log = (line: string) => {
    const text = line.split('\n').map(visible).join('\n');
    process.stderr.write(`${text}\n`);
  };
  const exported = await loadModule(path);
  const served = exportsDesk(exported)
    ? await serveDeskFile(path, exported, log)
    : await serveAgentFile(path, exported, log);
  const closed = new AbortController();
  const app = createAcpApp({ source: served.source, log, version, connection: closed.signal });
  // Node types its web streams apart from the global ones; the values are the same.
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const connection = app.connect(
    ndJsonStream(output, input, { maxMessageBytes: MAX_MESSAGE_BYTES }),
  );
  await connection.closed;
  closed.abort(new DOMException('The editor disconnected.', 'AbortError'));
  await served.close();
}

/** The conversations of a file. */
interface ServedFile {
  readonly source: SessionSource;
  readonly close: () => Promise<void>;
}

type Log = (line: string) => void;

async function serveAgentFile(path: string, exported: Exports, log: Log): Promise<ServedFile> {
  const options = readAcpOptions(exported);
  const files = new SessionFiles(path, process.env);
  const source = fileSessions({ loaded: await loadAgent(path), options, files, log });
  return { source, close: async () => {} };
}

async function serveDeskFile(path: string, exported: Exports, log: Log): Promise<ServedFile> {
  const options = readAcpOptions(exported, true);
  // Another process serves the desk over HTTP.
  const accessOf = () => ({ authorize: undefined, signIn: undefined });
  const { desk } = await loadDesk(path, { urlOf: () => undefined, accessOf });
  const user = deskUser(desk, options);
  return { source: deskSessions({ user, options, log }), close: () => desk.close() };
}
