import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DeskClient, deskClient } from '@holdpoint/desk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { headersOf } from '../../http/support/site.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

/** Serves a desk until it is killed. With `works` it executes runs as well. */
const PROGRAM = `
  import { appendFileSync } from 'node:fs';
  import { flushCompileCache } from 'node:module';
  import { serve } from '@hono/node-server';
  import { openDesk, postgresStore, sqliteStore } from '@holdpoint/desk';
  import { Pool } from 'pg';
  import { filesAgent } from './test/http/support/files-agent.ts';
  import { byName } from './test/http/support/site.ts';

  const { address, journal, code, works } = JSON.parse(process.argv[1]);
  const store = address.startsWith('postgres:')
    ? await postgresStore({ pool: new Pool({ connectionString: address }) })
    : await sqliteStore({ path: address });
  const deps = () => ({ push: (line) => appendFileSync(journal, line + '\\n') });
  const agents = { files: { agent: filesAgent(code), deps } };
  const desk = openDesk({ store, agents, authorize: byName, http: { notRequester: true } });
  if (works) void desk.startWorker({ signal: new AbortController().signal, pollMs: 50 });
  serve({ fetch: desk.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(port));
  // A killed process cannot write the cache later.
  flushCompileCache();
`;

interface Start {
  /** The path of an SQLite file or the address of a PostgreSQL database. */
  readonly address: string;
  /** The file in which tools record their effects. */
  readonly journal: string;
  readonly code: 'older' | 'newer';
  readonly works: boolean;
}

/** A process that serves the desk until it is killed. */
class Server implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #port: string;

  private constructor(process_: ChildProcess, port: string) {
    this.#process = process_;
    this.#port = port;
  }

  static async start(start: Start): Promise<Server> {
    const flags = ['--conditions=holdpoint-source', '--input-type=module'];
    const child = spawn(process.execPath, [...flags, '-e', PROGRAM, JSON.stringify(start)], {
      cwd: join(import.meta.dirname, '../../..'),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [port] = await once(createInterface(child.stdout), 'line');
    return new Server(child, String(port));
  }

  client(who: string): DeskClient {
    return deskClient({ url: `http://127.0.0.1:${this.#port}`, headers: headersOf(who) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }
}

async function untilState(client: DeskClient, runId: string, state: string): Promise<void> {
  for (let attempts = 0; (await client.run(runId)).state !== state; attempts++) {
    if (attempts > 500) throw new Error(`The run never was ${state}.`);
    await sleep(50);
  }
}

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await PostgresServer.start();
});
afterAll(() => postgres[Symbol.asyncDispose]());

describe.each([
  ['in a file', async (folder: string) => join(folder, 'desk.sqlite')],
  ['in PostgreSQL', async () => postgres.newDatabase()],
])('a run that is parked %s while every process is killed', (_, addressIn) => {
  it('is decided over HTTP, held again by newer code, and executed once', async () => {
    const folder = scratchFolder('newer-code');
    const journal = join(folder, 'journal');
    writeFileSync(journal, '');
    const did = () => readFileSync(journal, 'utf8').split('\n').slice(0, -1);
    const address = await addressIn(folder);
    const start = (code: Start['code'], does: 'works' | 'only serves') =>
      Server.start({ address, journal, code, works: does === 'works' });
    try {
      let runId = '';
      {
        await using first = await start('older', 'works');
        const ada = first.client('acme/ada');
        runId = (await ada.start({ agent: 'files', prompt: 'Tidy up.' })).id;
        await untilState(ada, runId, 'parked');
      }
      {
        // A policy lets reads run, and no writes.
        await using second = await start('newer', 'only serves');
        const policy = second.client('acme/policy');
        for (const { id, digest, toolName } of (await policy.holds({ runId })).items) {
          const decision = toolName.startsWith('read_')
            ? ({ kind: 'approve' } as const)
            : ({ kind: 'deny', reason: 'Only reads.' } as const);
          await policy.decide(id, { digest, decision });
        }
        expect((await policy.run(runId)).state).toBe('ready');
      }
      {
        await using third = await start('newer', 'works');
        await untilState(third.client('acme/ada'), runId, 'parked');
      }
      expect(did()).toEqual([]);
      {
        await using fourth = await start('newer', 'only serves');
        const grace = fourth.client('acme/grace');
        const again = (await grace.holds({ runId })).items;
        expect(again.map(({ toolName, drifted }) => [toolName, drifted])).toEqual([
          ['read_file', true],
          ['read_file', true],
        ]);
        for (const { id, digest } of again) {
          const decision = { digest, decision: { kind: 'approve' } } as const;
          const own = fourth.client('acme/ada').decide(id, decision);
          await expect(own).rejects.toMatchObject({ code: 'may-not-decide' });
          await grace.decide(id, decision);
        }
      }
      await using fifth = await start('newer', 'works');
      await untilState(fifth.client('acme/ada'), runId, 'finished');
      expect(did().toSorted()).toEqual([
        '{"path":"a.txt","limit":1000}',
        '{"path":"c.txt","limit":1000}',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
