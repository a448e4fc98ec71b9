import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { sqliteStore } from '@holdpoint/desk';
import { deskClient, type DeskClient, type RunView } from '@holdpoint/desk/client';
import { signIn } from '@holdpoint/desk/sign-in';
import {
  DEMO_KEY,
  DEMO_ROOT,
  DEMO_URL,
  DESK_FILE,
  JOURNAL_FILE,
  PEOPLE,
  type PersonId,
  tokenOf,
} from './people.ts';
import { type Environment, moduleAt, pause, RunningCommand, runCommand } from './processes.ts';
import { Journal } from './shop.ts';
import type { Stage } from './stage.ts';

/** The served desk of the demo; dispose of it at the end. */
export class Site implements AsyncDisposable {
  readonly journal: Journal;
  readonly #stage: Stage;
  readonly #root: string;
  readonly #signal: AbortSignal;
  readonly #key = randomBytes(16).toString('hex');
  #desk: RunningCommand | undefined;
  #port: number | undefined;

  /** Stores its files in an existing folder. */
  constructor(stage: Stage, root: string, signal: AbortSignal) {
    this.#stage = stage;
    this.#root = root;
    this.#signal = signal;
    this.journal = new Journal(join(root, JOURNAL_FILE));
  }

  /** The SQLite file. */
  get file(): string {
    return join(this.#root, DESK_FILE);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Serves the desk in another process, at the same address each time. */
  async open(): Promise<void> {
    this.#port ??= await freePort();
    const file = relative(process.cwd(), moduleAt('./demo-desk'));
    const command = ['desk', file, '--port', String(this.#port)];
    this.#stage.command(command);
    this.#desk = new RunningCommand(command, {
      [DEMO_ROOT]: this.#root,
      [DEMO_URL]: this.url,
      [DEMO_KEY]: this.#key,
    });
    const url = await this.#desk.printed(/Desk: (\S+)[^]*Ctrl-C/, this.#signal);
    this.#stage.fact(`The desk is open at ${url} (process ${this.#desk.pid}, file ${DESK_FILE}).`);
  }

  /** Creates a link that signs a person in once. */
  async linkFor(person: PersonId): Promise<string> {
    const store = await sqliteStore({ path: this.file });
    try {
      return (await signIn({ store, url: this.url }).signInLink(PEOPLE[person])).url;
    } finally {
      await store.close();
    }
  }

  /** Returns a client that acts as a person. */
  as(person: PersonId): DeskClient {
    const authorization = `Bearer ${tokenOf(person, this.#key)}`;
    return deskClient({ url: this.url, headers: { authorization } });
  }

  /** Returns the environment of a person's terminal. */
  environmentOf(person: PersonId): Environment {
    return { HOLDPOINT_URL: this.url, HOLDPOINT_TOKEN: tokenOf(person, this.#key) };
  }

  /** Runs a command as a person; returns its output. */
  run(args: readonly string[], person: PersonId): Promise<string> {
    return runCommand(args, this.environmentOf(person), this.#signal);
  }

  /** Shows a command, runs it as a person, and shows its output. */
  async command(args: readonly string[], person: PersonId): Promise<void> {
    this.#stage.command(args);
    this.#stage.output(await this.run(args, person));
  }

  /** Waits until a run is in a state or has ended. */
  async until(runId: string, state: RunView['state']): Promise<RunView> {
    for (;;) {
      this.#signal.throwIfAborted();
      const run = await this.as('grace').run(runId);
      if ([state, 'failed', 'stuck', 'finished'].includes(run.state)) return run;
      await pause();
    }
  }

  async kill(): Promise<void> {
    await this.#desk?.kill();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('There is no free port.');
  return address.port;
}
