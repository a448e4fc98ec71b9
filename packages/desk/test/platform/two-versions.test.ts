import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { type Desk, openDesk, postgresMigrator, postgresStore } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { killAtExit } from './support/leftovers.ts';
import { poolFor, PostgresServer } from './support/postgres-server.ts';
import { type PreviousVersion, versionAt, versionBefore } from './support/previous-version.ts';
import { scratchFolder } from './support/scratch-folder.ts';

const PROGRAM = 'version-desk.ts';
const RUNS = 6;

let server: PostgresServer;
let newest: string;

beforeAll(async () => {
  server = await PostgresServer.start();
  const pool = poolFor(await server.newDatabase());
  newest = (await postgresMigrator({ pool }).status()).pending.at(-1) ?? '';
  await pool.end();
});
afterAll(() => server[Symbol.asyncDispose]());

/** A process of a desk, of this version or the previous one. */
class Version implements AsyncDisposable {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: Interface;

  constructor(path: string, args: readonly string[]) {
    const flags = ['--conditions=holdpoint-source', '--disable-warning=ExperimentalWarning'];
    this.#process = spawn(process.execPath, [...flags, path, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    killAtExit(this.#process);
    this.#lines = createInterface(this.#process.stdout);
  }

  async call(command: string, argument = ''): Promise<unknown> {
    const line = once(this.#lines, 'line');
    this.#process.stdin.write(`${JSON.stringify([command, argument])}\n`);
    const [text] = await line;
    const { result, error } = JSON.parse(String(text));
    if (error !== undefined) throw new Error(`${command}: ${error}`);
    return result;
  }

  async untilState(runId: string, state: string): Promise<void> {
    await expect
      .poll(async () => [await this.call('stateOf', runId), await this.call('errorOf', runId)], {
        timeout: 60_000,
        interval: 50,
      })
      .toEqual([state, null]);
  }

  /** Stops the process as a rollout does. */
  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#process, 'exit');
    this.#process.stdin.end();
    expect(await exited).toEqual([0, null]);
  }
}

/** The next run, and the process that is to decide it. */
type Pair = readonly [starts: Version, decides: Version];

describe.each([
  ['the version before the last migration', () => versionBefore(newest), () => [newest]],
  ['the previous commit', () => versionAt('HEAD^1'), () => []],
] as const)('%s and this one on one database', (_name, find, migrationsSince) => {
  it('execute each run once through a rollout, a rollback and another rollout', async () => {
    const previous = find();
    const url = await server.newDatabase();
    const journal = join(scratchFolder('two-versions'), 'journal');
    writeFileSync(journal, '');
    const runs: string[] = [];
    const paths = {
      old: previous.pathOf(PROGRAM),
      new: join(import.meta.dirname, 'programs', PROGRAM),
    };
    const open = async (version: 'old' | 'new') => {
      const opened = new Version(paths[version], [url, journal, version]);
      await opened.call('work');
      return opened;
    };
    /** Starts runs in one version, and decides them in the other. Either version executes them. */
    const payThrough = async (pairs: readonly Pair[]) => {
      for (const [starts, decides] of pairs) {
        const runId = String(await starts.call('start', `pay run${runs.length}`));
        runs.push(runId);
        await decides.untilState(runId, 'parked');
        expect(await decides.call('approve', runId)).toBe(1);
        await starts.untilState(runId, 'finished');
      }
    };

    await migrateTo(url, previous);
    let waiting = '';
    {
      await using old = await open('old');
      await payThrough([[old, old]]);
      waiting = String(await old.call('start', 'pay beforeRollout'));
      await old.untilState(waiting, 'parked');

      // The rollout: the tables change under the old version, and a process of the new one joins.
      const pool = poolFor(url);
      expect(await postgresMigrator({ pool }).migrate()).toEqual(
        expect.arrayContaining([...migrationsSince()]),
      );
      await pool.end();
      await payThrough([[old, old]]);
      await using current = await open('new');
      const both: readonly Pair[] = [
        [old, current],
        [current, old],
      ];
      await payThrough(Array.from({ length: RUNS / 2 }, () => both).flat());
      await current.call('approve', waiting);
      await old.untilState(waiting, 'finished');
      waiting = String(await current.call('start', 'pay beforeRollback'));
      await current.untilState(waiting, 'parked');
      expect(await old.call('verify')).toEqual([]);
      expect(await current.call('verify')).toEqual([]);
      expect(await current.call('problems')).toEqual([]);
      // The change of the tables may end a claim of the old version, which then claims again.
      const deadlocks = ((await old.call('problems')) as string[]).filter(isDeadlock);
      expect(await old.call('problems')).toEqual(deadlocks);
    }
    {
      // The rollback: the old version starts on the new tables.
      await using old = await open('old');
      await old.call('approve', waiting);
      await old.untilState(waiting, 'finished');
      await payThrough([[old, old]]);
      expect(await old.call('verify')).toEqual([]);
      expect(await old.call('problems')).toEqual([]);
    }
    {
      await using current = await open('new');
      await payThrough([[current, current]]);
      await withDesk(url, (desk) =>
        desk.erasePerson('approver-new', { by: { id: 'admin' }, reason: 'A request.' }),
      );
      await using old = await open('old');
      await payThrough([
        [old, current],
        [current, old],
      ]);
      expect(await current.call('verify')).toEqual([]);
      expect(await old.call('verify')).toEqual([]);
      for (const one of [old, current]) expect(await one.call('problems')).toEqual([]);
    }
    const paid = readFileSync(journal, 'utf8').trim().split('\n');
    const names = paid.map((line) => line.split(' ')[1]);
    expect(names).toHaveLength(runs.length + 2);
    expect(new Set(names).size).toBe(names.length);
  });
});

function isDeadlock(problem: string): boolean {
  return problem === 'error: deadlock detected';
}

/** Creates the tables of the previous version. */
async function migrateTo(url: string, { pathOf }: PreviousVersion): Promise<void> {
  const child = spawn(
    process.execPath,
    ['--conditions=holdpoint-source', pathOf('migrate-tables.ts'), url],
    { stdio: 'inherit' },
  );
  expect(await once(child, 'exit')).toEqual([0, null]);
}

async function withDesk<Result>(url: string, work: (desk: Desk) => Promise<Result>): Promise<void> {
  const pool = poolFor(url);
  const store = await postgresStore({ pool });
  await work(openDesk({ store, agents: {} }));
  await store.close();
  await pool.end();
}
