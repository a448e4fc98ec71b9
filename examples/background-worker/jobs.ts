// The queue: what is to be done, who does it, and what came of it.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';

export interface Job {
  readonly id: string;
  readonly page: string;
}

/** What came of a job. */
export type JobResult = z.infer<typeof JobResult>;
const JobResult = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), words: z.number() }),
  z.object({ ok: z.literal(false), reason: z.string() }),
]);

/** Puts a job into the queue. One id is one job, however often it is given. */
export function addJob(database: DatabaseSync, { id, page }: Job): void {
  database
    .prepare(`INSERT OR IGNORE INTO jobs (id, page, status) VALUES (?, ?, 'open')`)
    .run(id, page);
}

/**
 * Takes the next job; of many workers one gets it.
 *
 * One that was taken and not finished within `lease` milliseconds is given to the next: its worker has
 * died. So a job may be done twice, which is fine for work without effects.
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

/** Delivers a result. The first one stays. */
export function finishJob(database: DatabaseSync, id: string, result: JobResult): void {
  database
    .prepare(`UPDATE jobs SET status = 'done', result = ? WHERE id = ? AND status = 'taken'`)
    .run(JSON.stringify(result), id);
}

/** The result of a job; `undefined` as long as there is none. */
export function resultOf(database: DatabaseSync, id: string): JobResult | undefined {
  const row = database.prepare(`SELECT result FROM jobs WHERE id = ? AND status = 'done'`).get(id);
  return row && JobResult.parse(JSON.parse(String(row['result'])));
}
