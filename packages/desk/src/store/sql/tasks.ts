import { type RawBuilder, sql } from 'kysely';
import type { TaskClaim, TaskKind, TaskQueues, TaskRow } from '../../model/task-row.ts';
import type { TaskKey, Tasks } from '../store.ts';
import type { ChangeRecorder } from '../store-change.ts';
import { TASKS } from './database.ts';
import { type SqlContext, SqlTable } from './sql-table.ts';

/** The queue of work. */
export class SqlTasks extends SqlTable<TaskRow, TaskKey> implements Tasks {
  readonly #changes: ChangeRecorder;
  readonly #lastNow: () => number | undefined;

  /** `lastNow` returns the time that the transaction read last. */
  constructor(context: SqlContext, changes: ChangeRecorder, lastNow: () => number | undefined) {
    super(context, TASKS);
    this.#changes = changes;
    this.#lastNow = lastNow;
  }

  override insert(row: TaskRow): Promise<boolean> {
    this.#changes.addTask(row.due, this.#lastNow());
    return super.insert(row);
  }

  override put(row: TaskRow): Promise<void> {
    this.#changes.addTask(row.due, this.#lastNow());
    return super.put(row);
  }

  revoke(...key: TaskKey): Promise<void> {
    this.#changes.addRevoked(key);
    return this.remove(...key);
  }

  async claim(
    kinds: readonly TaskKind[],
    lease: number,
    only?: TaskKey | undefined,
    queues: TaskQueues = {},
  ): Promise<TaskClaim | undefined> {
    const now = this.#now();
    // One statement for each kind: each reads the first entry of an index.
    for (const kind of kinds) {
      if (queues[kind]?.length === 0) continue;
      const candidate = sql`select tenant, kind, id from desk_tasks
        where kind = ${kind} and due <= ${now} ${only === undefined ? sql`` : named(only)}
        ${inQueues(queues[kind])}
        order by due limit 1 ${this.dialect.skipLocked}`;
      const { rows } = await sql<TaskClaim>`update desk_tasks
        set due = ${now} + ${lease}, fence = fence + 1, attempts = attempts + 1, claimed_at = ${now}
        where (tenant, kind, id) = (${candidate})
        returning tenant, kind, id, fence, attempts`.execute(this.db);
      const [claim] = rows;
      if (claim === undefined) continue;
      if (claim.kind === 'run') await this.#markRunning(claim);
      return Object.freeze({ ...claim });
    }
    return undefined;
  }

  async #markRunning({ tenant, id }: TaskClaim): Promise<void> {
    await this.db
      .updateTable('desk_runs')
      .set({ state: 'running' })
      .where('tenant', '=', tenant)
      .where('id', '=', id)
      .where('state', '=', 'ready')
      .execute();
  }

  #now(): RawBuilder<unknown> {
    const { now } = this.dialect;
    return typeof now === 'function' ? sql`${now()}` : now;
  }
}

function named([tenant, kind, id]: TaskKey): RawBuilder<unknown> {
  return sql`and tenant = ${tenant} and kind = ${kind} and id = ${id}`;
}

function inQueues(queues: readonly string[] | undefined): RawBuilder<unknown> {
  return queues === undefined ? sql`` : sql`and queue in (${sql.join(queues)})`;
}
