import { sql } from 'kysely';
import type { TaskKind } from '../../model/task-row.ts';
import type { DeskStats } from '../../telemetry/desk-telemetry.ts';
import type { Db } from './database.ts';

/** Counts due tasks, open holds, stuck runs and dead letters of all tenants. */
export async function readStats(db: Db, now: number): Promise<DeskStats> {
  const tasks = await sql<{ kind: TaskKind; count: number; oldest: number }>`select kind,
    count(*) as count, min(due) as oldest from desk_tasks where due <= ${now} group by kind`.execute(
    db,
  );
  const counts = await sql<
    Record<'holds' | 'oldest' | 'stuck' | 'tasks' | 'deliveries', number>
  >`select
    (select count(*) from desk_holds where state = 'open') as holds,
    (select min(created_at) from desk_holds where state = 'open') as oldest,
    (select count(*) from desk_runs where state = 'stuck') as stuck,
    (select count(*) from desk_tasks where due is null and kind in ('outbox', 'expiry')) as tasks,
    (select count(*) from desk_deliveries where state = 'given-up') as deliveries`.execute(db);
  const [row] = counts.rows;
  const ageOf = (time: unknown) => (time === null ? 0 : Math.max(0, now - Number(time)));
  return {
    dueTasks: tasks.rows.map(({ kind, count, oldest }) => ({
      kind,
      count: Number(count),
      oldestMs: ageOf(oldest),
    })),
    openHolds: Number(row?.holds),
    oldestOpenHoldMs: ageOf(row?.oldest ?? null),
    stuckRuns: Number(row?.stuck),
    deadLetters: Number(row?.tasks) + Number(row?.deliveries),
  };
}
