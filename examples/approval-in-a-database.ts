// A parked run is stored in a database and needs no process. This program starts itself several
// times:
//
//   start    executes the run until it parks, stores it, and exits
//   (then an approver decides; here this is the process that started the others)
//   resume   reads the decisions, resumes the run and stores its output
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

// #region store
/** Stores a run that finished or parked. */
function storeRun(database: DatabaseSync, id: string, result: RunResultOf<typeof output>): void {
  const messages = messageCodec.stringify(result.messages);
  if (result.status === 'parked') {
    database
      .prepare(`INSERT OR REPLACE INTO runs (id, status, messages, requests) VALUES (?, ?, ?, ?)`)
      .run(id, 'parked', messages, requestsCodec.stringify(result.output));
  } else {
    database
      .prepare(`INSERT OR REPLACE INTO runs (id, status, messages, output) VALUES (?, ?, ?, ?)`)
      .run(id, 'finished', messages, result.output);
  }
}
// #endregion

async function start(database: DatabaseSync): Promise<void> {
  const agent = makeAgent(database, scriptedModel(calls('drop_database', { name: 'staging' })));
  const result = await agent.run('Drop the staging database.');
  storeRun(database, result.runId, result);
}

function decide(database: DatabaseSync): void {
  // #region decide
  const parked = database.prepare(`SELECT id, requests FROM runs WHERE status = 'parked'`);
  for (const row of parked.all()) {
    const requests = requestsCodec.parse(String(row['requests']));
    // Show each call to an approver. Here all of them are approved.
    const decisions = [...requests].map((call) => call.approve());
    const results = resultsCodec.stringify(requests.buildResults(decisions));
    database
      .prepare(`UPDATE runs SET status = 'decided', results = ? WHERE id = ?`)
      .run(results, String(row['id']));
  }
  // #endregion
}

async function resume(database: DatabaseSync): Promise<void> {
  const agent = makeAgent(database, scriptedModel(says('The staging database is gone.')));

  // #region resume
  // Only the process that changes the row resumes the run, however many try.
  const claimed = database
    .prepare(
      `UPDATE runs SET status = 'resumed' WHERE id =
         (SELECT id FROM runs WHERE status = 'decided' LIMIT 1) AND status = 'decided'
       RETURNING id, messages, results`,
    )
    .get();
  if (claimed !== undefined) {
    const parked = { messages: messageCodec.parse(String(claimed['messages'])) };
    const done = await agent.resume(parked, resultsCodec.parse(String(claimed['results'])));
    storeRun(database, String(claimed['id']), done); // finished, or parked again
  }
  // #endregion
}

/** Starts this program again and returns its process id. */
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

  inAnotherProcess('start', path);
  assert.deepEqual(rows('SELECT status, output FROM runs'), [{ status: 'parked', output: null }]);
  assert.deepEqual(rows('SELECT * FROM dropped'), [], 'the call has not executed');

  decide(database);
  const second = inAnotherProcess('resume', path);
  assert.deepEqual(rows('SELECT status, output FROM runs'), [
    { status: 'finished', output: 'The staging database is gone.' },
  ]);
  assert.deepEqual(rows('SELECT * FROM dropped'), [{ name: 'staging', pid: second }]);

  inAnotherProcess('resume', path);
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
  console.log('Parked in one process, resumed in another.');
} else {
  using database = new DatabaseSync(path);
  await (part === 'start' ? start(database) : resume(database));
}
