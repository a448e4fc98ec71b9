import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openDesk, postgresStore, type RunStreamEvent } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { contextOf } from '../../src/desk/desk-reader.ts';
import { COUNTS, counterAgent } from './support/counter-agent.ts';
import { killAtExit } from './support/leftovers.ts';
import { poolFor, PostgresServer } from './support/postgres-server.ts';

const PROGRAM = join(import.meta.dirname, 'programs/counter.ts');
/** Each message of the calls and of the last response, after the prompt. */
const MESSAGES = 1 + COUNTS * 2 + 1;

function startWorker(database: string): ChildProcess {
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=holdpoint-source'];
  const child = spawn(process.execPath, [...flags, PROGRAM, database], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  killAtExit(child);
  return child;
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined) throw new Error('There is no such worker.');
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('stream of a run on PostgreSQL that another process executes', () => {
  it('has every step once and in order, though the worker is killed and another one takes over', async () => {
    await using server = await PostgresServer.start();
    const database = await server.newDatabase();
    const pool = poolFor(database, {});
    const desk = openDesk({
      store: await postgresStore({ pool }),
      agents: { counter: { agent: counterAgent() } },
    });
    const runId = await desk.start('counter', 'Count.');
    const events: RunStreamEvent[] = [];
    const workers = [startWorker(database), startWorker(database)];

    for await (const event of desk.stream(runId, { pollMs: 20 })) {
      events.push(event);
      if (event.kind !== 'message' || event.position < 5 || workers.length < 2) continue;
      const task = await contextOf(desk).store.read((tx) => tx.tasks.get('default', 'run', runId));
      const claimant = workers.findIndex(({ pid }) => task?.claimedBy?.endsWith(`:${pid}`));
      await kill(workers.splice(claimant, 1)[0]);
    }

    await kill(workers[0]);
    const run = await desk.run(runId);
    const audit = await desk.audit(runId);
    const history = await desk.history(run.conversationId);
    await desk.close();
    await pool.end();
    const messages = events.flatMap((event) => (event.kind === 'message' ? [event] : []));
    expect(audit.filter(({ kind }) => kind === 'run-claimed').length).toBeGreaterThan(1);
    expect(messages.map(({ position }) => position)).toEqual([...Array(MESSAGES).keys()]);
    expect(messages.map(({ message }) => message.parts)).toEqual(history.map(({ parts }) => parts));
    expect(events.filter(({ kind }) => kind === 'rewind' || kind === 'live')).toEqual([]);
    expect(events.at(-1)).toMatchObject({ kind: 'state', run: { state: 'finished' } });
  });
});
