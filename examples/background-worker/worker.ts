// A worker: a process that executes jobs until the queue is empty. It is independent of agents.
//
//   worker.ts <database>
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from './database.ts';
import { finishJob, type Job, type JobResult, takeJob } from './jobs.ts';

const PAGES: Readonly<Record<string, string>> = {
  home: 'Work waits here.',
  about: 'A hold point is a place in a procedure.',
};

/** Does the slow work. */
async function count({ page }: Job): Promise<JobResult> {
  await sleep(50);
  if (!Object.hasOwn(PAGES, page)) return { ok: false, reason: `There is no page '${page}'.` };
  return { ok: true, words: String(PAGES[page]).split(' ').length };
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('Say where the database is: worker.ts <database>');
using database = openDatabase(path);
for (let job = takeJob(database); job !== undefined; job = takeJob(database)) {
  finishJob(database, job.id, await count(job));
}
