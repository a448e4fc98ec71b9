// A run waits in a database, and no process waits with it. This program starts itself several times:
//
//   ask      runs the agent, stores what waits, and exits
//   (then a person answers; here that is the process which started the others)
//   go-on    reads the answers, resumes the run and stores its output
//
// `node:sqlite` stands for any database.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import {
  Agent,
  DeferredToolRequests,
  messageCodec,
  type ModelLike,
  requestsCodec,
  resultsCodec,
  type RunResultOf,
  tool,
} from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const output = [String, DeferredToolRequests] as const;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY, status TEXT NOT NULL, messages TEXT NOT NULL,
    requests TEXT, results TEXT, output TEXT
  );
  CREATE TABLE IF NOT EXISTS dropped (name TEXT NOT NULL, pid INTEGER NOT NULL);
`;

function makeAgent(database: DatabaseSync, model: ModelLike) {
  const dropDatabase = tool({
    name: 'drop_database',
    inputSchema: z.object({ name: z.string() }),
    requiresApproval: true,
    execute({ name }) {
      database.prepare('INSERT INTO dropped VALUES (?, ?)').run(name, process.pid);
      return `Database '${name}' is gone.`;
    },
  });
  return new Agent({ model, tools: [dropDatabase], output });
}

// #region keep
/** Keeps a run that has ended, and what it waits for if it does. */
function keep(database: DatabaseSync, id: string, result: RunResultOf<typeof output>): void {
  const messages = messageCodec.stringify(result.messages);
  if (result.status === 'parked') {
    database
      .prepare(`INSERT OR REPLACE INTO runs (id, status, messages, requests) VALUES (?, ?, ?, ?)`)
      .run(id, 'waiting', messages, requestsCodec.stringify(result.output));
  } else {
    database
      .prepare(`INSERT OR REPLACE INTO runs (id, status, messages, output) VALUES (?, ?, ?, ?)`)
      .run(id, 'finished', messages, result.output);
  }
}
// #endregion

async function ask(database: DatabaseSync): Promise<void> {
  const agent = makeAgent(database, scriptedModel(calls('drop_database', { name: 'staging' })));
  const result = await agent.run('Drop the staging database.');
  keep(database, result.runId, result);
}

function answer(database: DatabaseSync): void {
  // #region answer
  const waiting = database.prepare(`SELECT id, requests FROM runs WHERE status = 'waiting'`);
  for (const row of waiting.all()) {
    const requests = requestsCodec.parse(String(row['requests']));
    // Show requests.approvals to somebody. Here they agree with everything.
    const results = resultsCodec.stringify(requests.buildResults({ approveAll: true }));
    database
      .prepare(`UPDATE runs SET status = 'answered', results = ? WHERE id = ?`)
      .run(results, String(row['id']));
  }
  // #endregion
}

async function goOn(database: DatabaseSync): Promise<void> {
  const agent = makeAgent(database, scriptedModel(says('The staging database is gone.')));

  // #region go-on
  // Whoever changes the row has the run to itself: it is resumed once, however many try.
  const claimed = database
    .prepare(
      `UPDATE runs SET status = 'resumed' WHERE id =
         (SELECT id FROM runs WHERE status = 'answered' LIMIT 1) AND status = 'answered'
       RETURNING id, messages, results`,
    )
    .get();
  if (claimed !== undefined) {
    const parked = { messages: messageCodec.parse(String(claimed['messages'])) };
    const done = await agent.resume(parked, resultsCodec.parse(String(claimed['results'])));
    keep(database, String(claimed['id']), done); // finished, or waiting again
  }
  // #endregion
}

/** Starts this program again and gives its process id. */
function inAnotherProcess(part: string, path: string): number {
  const program = fileURLToPath(import.meta.url);
  const { pid, status, stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, program, part, path],
    { encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  return pid;
}

function everything(path: string): void {
  using database = new DatabaseSync(path);
  database.exec(SCHEMA);
  const rows = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));

  inAnotherProcess('ask', path);
  assert.deepEqual(rows('SELECT status, output FROM runs'), [{ status: 'waiting', output: null }]);
  assert.deepEqual(rows('SELECT * FROM dropped'), [], 'nothing has happened yet');

  answer(database);
  const second = inAnotherProcess('go-on', path);
  assert.deepEqual(rows('SELECT status, output FROM runs'), [
    { status: 'finished', output: 'The staging database is gone.' },
  ]);
  assert.deepEqual(rows('SELECT * FROM dropped'), [{ name: 'staging', pid: second }]);

  inAnotherProcess('go-on', path);
  assert.equal(
    rows('SELECT * FROM dropped').length,
    1,
    'a run that was resumed is not resumed again',
  );
}

const [part, path] = process.argv.slice(2);
if (part === undefined || path === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'));
  try {
    everything(join(folder, 'runs.sqlite'));
  } finally {
    rmSync(folder, { recursive: true });
  }
  console.log('Asked in one process, done in another.');
} else {
  using database = new DatabaseSync(path);
  await (part === 'ask' ? ask(database) : goOn(database));
}
