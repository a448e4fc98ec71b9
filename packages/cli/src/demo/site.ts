import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { sqliteStore } from '@holdpoint/desk';
import { type DeskClient, deskClient, type RunView } from '@holdpoint/desk/client';
import { signIn } from '@holdpoint/desk/sign-in';
import {
  BOOKS_FILE,
  DEMO_KEY,
  DEMO_ROOT,
  DEMO_URL,
  DESK_FILE,
  PEOPLE,
  type PersonId,
  tokenOf,
} from './demo-people.ts';
import { type Environment, moduleAt, pause, RunningCommand, runCommand } from './processes.ts';
import { Books } from './shop.ts';
import type { Stage } from './stage.ts';

/** Where the desk of the demo is served, and asked; dispose of it at the end. */
export class Site implements AsyncDisposable {
  /** What the shop has paid. */
  readonly books: Books;
  readonly #stage: Stage;
  readonly #root: string;
  readonly #signal: AbortSignal;
  /** What only this demo knows. */
  readonly #key = randomBytes(16).toString('hex');
  #desk: RunningCommand | undefined;
  #port: number | undefined;

  /** Keeps everything in a folder that is there. */
  constructor(stage: Stage, root: string, signal: AbortSignal) {
    this.#stage = stage;
    this.#root = root;
    this.#signal = signal;
    this.books = new Books(join(root, BOOKS_FILE));
  }

  /** The file of the desk. */
  get file(): string {
    return join(this.#root, DESK_FILE);
  }

  /** Where the desk is. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Serves the desk in a process of its own, each time at the same address. */
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
    const url = await this.#desk.printed(/open at (\S+)[^]*Ctrl-C/, this.#signal);
    this.#stage.fact(`The desk is open at ${url}, process ${this.#desk.pid}, in ${DESK_FILE}.`);
  }

  /** An address that lets somebody in with a browser, once. */
  async linkFor(person: PersonId): Promise<string> {
    const store = await sqliteStore({ path: this.file });
    try {
      return await signIn({ store, url: this.url }).entryLink(PEOPLE[person]);
    } finally {
      await store.close();
    }
  }

  /** The desk as somebody asks it over HTTP. */
  as(person: PersonId): DeskClient {
    const authorization = `Bearer ${tokenOf(person, this.#key)}`;
    return deskClient({ url: this.url, headers: { authorization } });
  }

  /** What somebody has set in their terminal. */
  environmentOf(person: PersonId): Environment {
    return { HOLDPOINT_URL: this.url, HOLDPOINT_TOKEN: tokenOf(person, this.#key) };
  }

  /** Runs a command of somebody; gives what it prints. */
  async run(args: readonly string[], person: PersonId): Promise<string> {
    const env = this.environmentOf(person);
    const { printed } = await runCommand(args, { env, signal: this.#signal });
    return printed;
  }

  /** Shows a command of somebody, runs it, and shows what it prints. */
  async command(args: readonly string[], person: PersonId): Promise<void> {
    this.#stage.command(args);
    this.#stage.output(await this.run(args, person));
  }

  /** Waits until a run is in a state, or has ended otherwise. */
  async until(runId: string, wanted: RunView['state']): Promise<RunView> {
    for (;;) {
      this.#signal.throwIfAborted();
      const run = await this.as('grace').run(runId);
      if ([wanted, 'failed', 'stuck', 'finished'].includes(run.state)) return run;
      await pause();
    }
  }

  /** Kills the desk. */
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
  if (typeof address !== 'object' || address === null) throw new Error('No port is free.');
  return address.port;
}
