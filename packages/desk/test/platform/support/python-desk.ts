import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import {
  type Decision,
  type HoldRow,
  openDesk,
  type OutsideTool,
  type ServedDesk,
  sqliteStore,
} from '@holdpoint/desk';
import { PythonProgram } from './python-program.ts';
import { scratchFolder } from './scratch-folder.ts';

/** Options of a desk for programs of Python. */
export interface PythonDeskOptions {
  readonly tools: Readonly<Record<string, OutsideTool>>;
  /** Milliseconds in which a call must be decided. */
  readonly expiresAfter?: (call: { readonly args: unknown }) => number | undefined;
}

/** A desk at a port, for programs of Python that note each execution in a journal. */
export class PythonDesk implements AsyncDisposable {
  readonly desk: ServedDesk;
  readonly #folder: string = scratchFolder('python');
  readonly #server: Server;
  #key = '';

  private constructor(desk: ServedDesk) {
    this.desk = desk;
    this.#server = createServer(getRequestListener(desk.fetch)).listen(0, '127.0.0.1');
  }

  static async open({ tools, expiresAfter }: PythonDeskOptions): Promise<PythonDesk> {
    const desk = openDesk({
      store: await sqliteStore(),
      agents: {},
      requests: { tools },
      ...(expiresAfter && { expiresAfter }),
      authorize: () => undefined,
    });
    void desk.startWorker({ pollMs: 100 });
    const opened = new PythonDesk(desk);
    writeFileSync(opened.#journal, '');
    await once(opened.#server, 'listening');
    const by = { id: 'root' };
    const { key } = await desk.keys.create({ account: 'shop', scopes: ['request'], by });
    opened.#key = key;
    return opened;
  }

  get #journal(): string {
    return join(this.#folder, 'journal');
  }

  /** Starts a program of the folder `tests` of the client. */
  start(name: string, args: readonly string[], env: Record<string, string> = {}): PythonProgram {
    // A server that listens at a port has an address of this form.
    const { port } = this.#server.address() as AddressInfo;
    const environment = {
      HOLDPOINT_URL: `http://127.0.0.1:${port}`,
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
    rmSync(this.#folder, { recursive: true });
  }
}
