import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreSpec } from './crash/store-spec.ts';
import { PostgresServer } from './postgres-server.ts';
import { buildPrograms, type Programs } from './programs.ts';
import { scratchFolder } from './scratch-folder.ts';

/** The stores that processes share. */
export const SHARED_STORES = ['SQLite', 'PostgreSQL'] as const;

/** Programs, a folder and a PostgreSQL server for the tests of a file. */
export class ProcessFixture implements AsyncDisposable {
  readonly programs: Programs;
  readonly server: PostgresServer;
  readonly #folder: string;

  private constructor(folder: string, programs: Programs, server: PostgresServer) {
    this.#folder = folder;
    this.programs = programs;
    this.server = server;
  }

  /** Builds the programs; `replaced` are the sources of programs that another test replaces. */
  static async open(
    purpose: string,
    replaced?: Parameters<typeof buildPrograms>[0],
  ): Promise<ProcessFixture> {
    const folder = scratchFolder(purpose);
    const programs = await buildPrograms(replaced);
    return new ProcessFixture(folder, programs, await PostgresServer.start());
  }

  /** Creates an empty store. */
  async newStore(name: (typeof SHARED_STORES)[number]): Promise<StoreSpec> {
    if (name === 'SQLite') return { kind: 'sqlite', path: join(this.#folder, 'desk.sqlite') };
    return { kind: 'postgres', url: await this.server.newDatabase() };
  }

  /** Creates the file in which the tools record their effects. */
  newEffects(name: string): string {
    const path = join(this.#folder, `effects-${name}`);
    writeFileSync(path, '');
    return path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.programs.remove();
    await this.server[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true });
  }
}
