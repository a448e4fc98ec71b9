// A tool whose work is done by background workers. The call becomes a job in a queue, and the run
// parks in a table. Two workers supply the results, and the run resumes when all results exist.
//
//   npx tsx --conditions=holdpoint-source examples/background-worker/main.ts
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from './database.ts';
import { takeJob } from './jobs.ts';
import { resumeRuns, startRun } from './runs.ts';

/** Runs a worker until the queue is empty. */
async function work(path: string): Promise<void> {
  const worker = fileURLToPath(new URL('worker.ts', import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, worker, path], { stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  assert.equal(code, 0);
}

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'));
try {
  const path = join(folder, 'queue.sqlite');
  using database = openDatabase(path);
  const texts = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => String(row['text']));

  const id = await startRun(database, 'How long are the pages home, about and missing?');
  assert.deepEqual(texts('SELECT status AS text FROM runs'), ['parked']);
  assert.deepEqual(await resumeRuns(database), [], 'nothing has been delivered yet');

  takeJob(database, 0); // a worker that dies immediately
  await Promise.all([work(path), work(path)]);
  assert.ok(texts('SELECT status AS text FROM jobs').every((status) => status === 'done'));
  assert.ok(!texts('SELECT worker AS text FROM jobs').includes(String(process.pid)));

  // Two callers resume the run once.
  const resumed = await Promise.all([resumeRuns(database), resumeRuns(database)]);
  assert.deepEqual(resumed.flat(), [id]);
  const [output = ''] = texts('SELECT output AS text FROM runs');
  console.log(output);
  if (!process.env['HOLDPOINT_MODEL']) {
    assert.deepEqual(output.split('\n'), [
      'success: {"words":3}',
      'success: {"words":9}',
      `failed: "There is no page 'missing'."`,
    ]);
  }
} finally {
  rmSync(folder, { recursive: true });
}
