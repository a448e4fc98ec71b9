import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBES } from '../removals/probes.ts';
import { REMOVALS } from '../removals/removals.ts';
import { PostgresServer } from './support/postgres-server.ts';

const execute = promisify(execFile);
const PROGRAM = join(import.meta.dirname, '../removals/removal-process.ts');

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Executes a probe in another process, whose sources lack a fence, lock or commit. */
async function probe(removal: string, name: string): Promise<string | null> {
  const options = ['--conditions=holdpoint-source', '--disable-warning=ExperimentalWarning'];
  const args = [...options, PROGRAM, removal, await server.newDatabase(), name];
  const { stdout } = await execute(process.execPath, args);
  return JSON.parse(stdout)[name];
}

/** A limit for concurrent probes: one per core. */
class Turns {
  #free = availableParallelism();
  readonly #waiting: (() => void)[] = [];

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free === 0) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#free -= 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

const turns = new Turns();

describe('fences, locks and commits', () => {
  it.each(Object.entries(PROBES))('hold: %s', async (_, executeProbe) => {
    expect(await executeProbe(await server.newDatabase())).toBeUndefined();
  });

  it('have a removal for every probe', () => {
    const names = new Set(REMOVALS.map((removal) => removal.probe));
    expect(Object.keys(PROBES).filter((name) => !names.has(name as keyof typeof PROBES))).toEqual(
      [],
    );
  });

  describe.concurrent('are noticed when they are missing', { timeout: 300_000 }, () => {
    it.each(REMOVALS.map(({ name, probe: by }) => [name, by] as const))('%s', async (name, by) => {
      expect(await turns.take(() => probe(name, by))).toEqual(expect.any(String));
    });
  });
});
