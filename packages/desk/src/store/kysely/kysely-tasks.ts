import { type RawBuilder, sql } from 'kysely';
import type { TaskClaim, TaskKind, TaskQueues, TaskRow } from '../../model/task-row.ts';
import type { TaskKey, Tasks } from '../store.ts';
import type { ChangeRecorder } from '../store-change.ts';
import { isOneOf } from './conditions.ts';
import { type Database, type Flavour, KyselyTable } from './kysely-table.ts';
import { TASKS } from '../tables/specs.ts';
import { fromColumns } from '../tables/row-codec.ts';

/** Tasks in a database. */
export class KyselyTasks extends KyselyTable<TaskRow, TaskKey> implements Tasks {
  readonly #changes: ChangeRecorder;
  readonly #lastNow: () => number | undefined;

  /** `lastNow` gives the time that the transaction has asked for last. */
  constructor(
    db: Database,
    flavour: Flavour,
    changes: ChangeRecorder,
    lastNow: () => number | undefined,
  ) {
    super(db, TASKS, flavour);
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
    // One look for each kind: each is a walk to the first entry of an index.
    for (const kind of kinds) {
      const candidate = sql`select tenant, kind, id from ${this.name}
        where kind = ${kind} and due <= ${now} ${only === undefined ? sql`` : named(only)}
        ${inQueues(queues[kind])}
        order by due limit 1 ${this.flavour.skipLocked}`;
      const { rows } = await sql<Record<string, unknown>>`update ${this.name}
        set due = ${now} + ${lease}, fence = fence + 1, tries = tries + 1
        where (tenant, kind, id) = (${candidate}) returning *`.execute(this.db);
      const [row] = rows;
      if (row !== undefined) return claimOf(fromColumns(TASKS, row));
    }
    return undefined;
  }

  #now(): RawBuilder<unknown> {
    const { now } = this.flavour;
    return typeof now === 'function' ? sql`${now()}` : now;
  }
}

function named([tenant, kind, id]: TaskKey): RawBuilder<unknown> {
  return sql`and tenant = ${tenant} and kind = ${kind} and id = ${id}`;
}

function inQueues(queues: readonly string[] | undefined): RawBuilder<unknown> {
  return queues === undefined ? sql`` : sql`and ${isOneOf('queue', queues)}`;
}

function claimOf({ tenant, kind, id, fence, tries }: TaskRow): TaskClaim {
  return Object.freeze({ tenant, kind, id, fence, tries });
}
