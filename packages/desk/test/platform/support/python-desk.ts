import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import {
  type Approvers,
  type Decision,
  type HoldRow,
  openDesk,
  type OutsideTool,
  type ServedDesk,
  sqliteStore,
} from '@holdpoint/desk';
import { robot } from '../../http/support/outside-desk.ts';
import { PythonProgram } from './python-program.ts';
import { scratchFolder } from './scratch-folder.ts';

/** Options of a desk for programs of Python. */
export interface PythonDeskOptions {
  readonly tools: Readonly<Record<string, OutsideTool>>;
  /** The rules for the calls of the agent `robot`. */
  readonly approvers?: Approvers;
  /** Milliseconds in which a call must be decided. */
  readonly expiresAfter?: (call: { readonly args: unknown }) => number | undefined;
}

/** A desk at a port, for programs of Python that record each execution in a journal. */
export class PythonDesk implements AsyncDisposable {
  readonly desk: ServedDesk<'robot'>;
  /** A folder for files of the programs. */
  readonly folder: string = scratchFolder('python');
  readonly #server: Server;
  #key = '';

  private constructor(desk: PythonDesk['desk'], server: Server) {
    this.desk = desk;
    this.#server = server;
  }

  static async open({ tools, approvers, expiresAfter }: PythonDeskOptions): Promise<PythonDesk> {
    const server = createServer((request, response) => listener(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const desk = openDesk({
      store: await sqliteStore(),
      url: urlOf(server),
      agents: { robot: { agent: robot } },
      requests: { tools },
      ...(approvers && { approvers }),
      ...(expiresAfter && { expiresAfter }),
      authorize: () => undefined,
    });
    const listener = getRequestListener(desk.fetch);
    void desk.startWorker({ pollMs: 100 });
    const opened = new PythonDesk(desk, server);
    writeFileSync(opened.#journal, '');
    const by = { id: 'root' };
    const { key } = await desk.keys.create({ account: 'shop', scopes: ['request'], by });
    opened.#key = key;
    return opened;
  }

  get url(): string {
    return urlOf(this.#server);
  }

  get #journal(): string {
    return join(this.folder, 'journal');
  }

  /** Starts a program of the folder `tests` of the client. */
  start(name: string, args: readonly string[], env: Record<string, string> = {}): PythonProgram {
    const environment = {
      HOLDPOINT_URL: this.url,
      HOLDPOINT_KEY: this.#key,
      JOURNAL: this.#journal,
    };
    return new PythonProgram(name, args, { ...environment, ...env });
  }

  /** Waits for an open hold. */
  async hold(isWanted: (hold: HoldRow) => boolean): Promise<HoldRow> {
    for (;;) {
      const found = (await this.desk.holds()).items.find(isWanted);
      if (found !== undefined) return found;
      await sleep(50);
    }
  }

  async decide({ id, digest }: HoldRow, decision: Decision): Promise<void> {
    await this.desk.decide(id, decision, { by: { id: 'grace' }, digest });
  }

  /** Returns the lines of the journal. */
  journal<Line>(): readonly Line[] {
    const lines = readFileSync(this.#journal, 'utf8').split('\n').filter(Boolean);
    return lines.map((line): Line => JSON.parse(line));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.desk.close();
    rmSync(this.folder, { recursive: true });
  }
}

/** Returns the address of a server that listens at a port of this machine. */
export function urlOf(server: Server): string {
  // A server that listens at a port has an address of this form.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
