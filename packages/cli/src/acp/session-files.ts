import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Message, messageCodec } from 'holdpoint';

/** The form of our session ids. Other ids of a client must not become names of files. */
export const SESSION_ID: RegExp = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The stored conversations of one agent file, in the state folder of the user. */
export class SessionFiles {
  readonly #folder: string;

  constructor(agentFile: string, environment: NodeJS.ProcessEnv) {
    // The history of one agent must not be loaded by another one, so each agent file has a folder.
    const name = createHash('sha256').update(resolve(agentFile)).digest('hex').slice(0, 32);
    this.#folder = join(stateFolder(environment), 'holdpoint', 'acp', name);
  }

  /** Stores the messages of a session so that only the current user can read them. */
  async save(sessionId: string, messages: readonly Message[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = this.#pathOf(sessionId);
    // A process that dies while it writes leaves the earlier file intact.
    const next = `${path}.${process.pid}`;
    await writeFile(next, messageCodec.stringify(messages), { mode: 0o600 });
    await chmod(next, 0o600);
    await rename(next, path);
  }

  /** Returns the messages of a session, or `undefined` if it does not exist. */
  async load(sessionId: string): Promise<readonly Message[] | undefined> {
    if (!SESSION_ID.test(sessionId)) return undefined;
    try {
      return messageCodec.parse(await readFile(this.#pathOf(sessionId), 'utf8'));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #pathOf(sessionId: string): string {
    return join(this.#folder, `${sessionId}.json`);
  }
}

/** Returns the folder for the state of programs of the user. */
export function stateFolder(environment: NodeJS.ProcessEnv): string {
  return (
    environment['XDG_STATE_HOME'] ||
    (process.platform === 'win32' && environment['LOCALAPPDATA']) ||
    join(homedir(), '.local', 'state')
  );
}
