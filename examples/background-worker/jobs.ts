// The queue: jobs, their workers and their results.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';

export interface Job {
  readonly id: string;
  readonly page: string;
}

/** The result of a job. */
export type JobResult = z.infer<typeof JobResult>;
const JobResult = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), words: z.number() }),
  z.object({ ok: z.literal(false), reason: z.string() }),
]);

/** Adds a job to the queue, once for each id. */
export function addJob(database: DatabaseSync, { id, page }: Job): void {
  database
    .prepare(`INSERT OR IGNORE INTO jobs (id, page, status) VALUES (?, ?, 'open')`)
    .run(id, page);
}

/**
 * Claims the next job for one worker.
 *
 * A job that is not finished within `lease` milliseconds goes to the next worker, because its
 * worker has died. So a job can be executed twice, which does no harm if it has no effects.
 */
export function takeJob(database: DatabaseSync, lease = 60_000): Job | undefined {
  const now = Date.now();
  const row = database
    .prepare(
      `UPDATE jobs SET status = 'taken', worker = ?, until = ? WHERE id =
         (SELECT id FROM jobs WHERE status = 'open' OR (status = 'taken' AND until <= ?) LIMIT 1)
       RETURNING id, page`,
    )
    .get(process.pid, now + lease, now);
  return row && { id: String(row['id']), page: String(row['page']) };
}

/** Stores a result, unless the job has one. */
export function finishJob(database: DatabaseSync, id: string, result: JobResult): void {
  database
    .prepare(`UPDATE jobs SET status = 'done', result = ? WHERE id = ? AND status = 'taken'`)
    .run(JSON.stringify(result), id);
}

/** Returns the result of a job, if it has one. */
export function resultOf(database: DatabaseSync, id: string): JobResult | undefined {
  const row = database.prepare(`SELECT result FROM jobs WHERE id = ? AND status = 'done'`).get(id);
  return row && JobResult.parse(JSON.parse(String(row['result'])));
}
