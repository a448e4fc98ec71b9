import { type RawBuilder, sql } from 'kysely';
import {
  DEAD_LETTER_ORDER,
  limitOf,
  type Page,
  type PageQuery,
  pageOf,
  readCursor,
} from '../../model/page.ts';
import type {
  ClaimOptions,
  TaskClaim,
  TaskKind,
  TaskQueues,
  TaskRow,
} from '../../model/task-row.ts';
import type { TaskKey, Tasks } from '../store.ts';
import type { ChangeRecorder } from '../store-change.ts';
import { columnNames } from './columns.ts';
import { TASKS } from './database.ts';
import { isBeyond, type SqlContext, SqlTable } from './sql-table.ts';

const TASK_COLUMNS = columnNames(TASKS);

/** The queue of work. */
export class SqlTasks extends SqlTable<TaskRow, TaskKey> implements Tasks {
  /** The tasks that the transaction has claimed. */
  readonly claimed: TaskClaim[] = [];
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
    options: ClaimOptions = {},
  ): Promise<TaskClaim | undefined> {
    const now = this.#now();
    const { worker = null, withoutRunsOf = [], afterTenants } = options;
    // One statement for each kind: each reads the first entry of an index.
    for (const kind of kinds) {
      if (queues[kind]?.length === 0) continue;
      const isDue = sql`kind = ${kind} and ${mayClaim(kind, now, options)} ${inQueues(queues[kind])}`;
      const claimIn = async (filter: RawBuilder<unknown>): Promise<TaskClaim | undefined> => {
        const candidate = sql`select tenant, kind, id from desk_tasks where ${isDue} ${filter}
          order by due limit 1 ${this.dialect.skipLocked}`;
        const { rows } = await sql<TaskClaim>`update desk_tasks
          set due = ${now} + ${lease}, fence = fence + 1, attempts = attempts + 1,
            claimed_at = ${now}, claimed_by = ${worker}
          where (tenant, kind, id) = (${candidate})
          returning tenant, kind, id, queue, fence, attempts`.execute(this.db);
        return rows[0];
      };
      const excluded = kind === 'run' ? withoutRunsOf : [];
      const afterTenant = afterTenants && (afterTenants[kind] ?? '');
      const claim =
        only !== undefined
          ? await claimIn(named(only))
          : excluded.length > 0
            ? await this.#claimOfOthers(isDue, excluded, afterTenant, claimIn)
            : await claimOfNext(isDue, kind, afterTenant, claimIn);
      if (claim === undefined) continue;
      if (claim.kind === 'run') await this.#markRunning(claim);
      const { queue, ...rest } = claim;
      const claimed = Object.freeze({ ...rest, ...(queue && { queue }) });
      this.claimed.push(claimed);
      return claimed;
    }
    return undefined;
  }

  async givenUp(tenant: string, query: PageQuery): Promise<Page<TaskRow>> {
    const limit = limitOf(query);
    const cursor = readCursor(query, DEAD_LETTER_ORDER);
    let found = this.db
      .selectFrom('desk_tasks')
      .select(TASK_COLUMNS)
      .where('tenant', '=', tenant)
      .where('given_up_at', 'is not', null)
      // A version that does not know the column makes a task due again without a change of it.
      .where('due', 'is', null);
    if (cursor !== undefined) found = found.where(isBeyond(DEAD_LETTER_ORDER, '>', cursor));
    const rows = await this.all(
      found
        .orderBy('given_up_at')
        .orderBy('kind')
        .orderBy('id')
        .limit(limit + 1),
    );
    return pageOf(rows, limit, DEAD_LETTER_ORDER);
  }

  givenUpBefore(
    before: number,
    kinds: readonly TaskKind[],
    limit: number,
  ): Promise<readonly TaskRow[]> {
    return this.all(
      this.db
        .selectFrom('desk_tasks')
        .select(TASK_COLUMNS)
        .where('given_up_at', '<', before)
        .where('due', 'is', null)
        .where('kind', 'in', kinds)
        .limit(limit),
    );
  }

  async overdue(
    before: number,
    kinds: readonly TaskKind[],
    queues: TaskQueues,
    limit: number,
  ): Promise<readonly TaskRow[]> {
    const found: TaskRow[] = [];
    // One statement for each kind: each reads the start of an index.
    for (const kind of kinds) {
      const names = queues[kind];
      if (names?.length === 0) continue;
      let due = this.db
        .selectFrom('desk_tasks')
        .select(TASK_COLUMNS)
        .where('kind', '=', kind)
        .where('due', '<', before);
      if (names !== undefined) due = due.where('queue', 'in', names);
      found.push(...(await this.all(due.orderBy('due').limit(limit))));
    }
    return found.toSorted((one, other) => (one.due ?? 0) - (other.due ?? 0)).slice(0, limit);
  }

  /** Claims a task of the next tenant that is not excluded; each excluded one costs a look-up in an index. */
  async #claimOfOthers(
    isDue: RawBuilder<unknown>,
    excluded: readonly string[],
    afterTenant: string | undefined,
    claimIn: (filter: RawBuilder<unknown>) => Promise<TaskClaim | undefined>,
  ): Promise<TaskClaim | undefined> {
    const start = afterTenant ?? '';
    const starts = start === '' ? [''] : [start, ''];
    for (const [round, from] of starts.entries()) {
      for (let after = from; ; ) {
        const { rows } = await sql<{ tenant: string }>`select tenant from desk_tasks
          where ${isDue} and tenant > ${after} order by tenant limit 1`.execute(this.db);
        const tenant = rows[0]?.tenant;
        if (tenant === undefined || (round > 0 && tenant > start)) break;
        const claim = excluded.includes(tenant)
          ? undefined
          : await claimIn(sql`and tenant = ${tenant}`);
        if (claim !== undefined) return claim;
        after = tenant;
      }
    }
    return undefined;
  }

  async #markRunning({ tenant, id }: TaskClaim): Promise<void> {
    await this.execute(
      'mark running',
      () =>
        `update desk_runs set state = 'running' where tenant = ? and id = ? and state = 'ready'`,
      [tenant, id],
    );
  }

  #now(): RawBuilder<unknown> {
    const { now } = this.dialect;
    return typeof now === 'function' ? sql`${now()}` : now;
  }
}

/**
 * Claims a task of the next tenant after the given one, so that a backlog of one tenant does not
 * delay the others. Expiries are claimed by their time alone, because most of them are due much
 * later and all are short.
 */
async function claimOfNext(
  isDue: RawBuilder<unknown>,
  kind: TaskKind,
  afterTenant: string | undefined,
  claimIn: (filter: RawBuilder<unknown>) => Promise<TaskClaim | undefined>,
): Promise<TaskClaim | undefined> {
  if (afterTenant !== undefined && kind !== 'expiry') {
    const next = sql`select tenant from desk_tasks where ${isDue}`;
    const claim = await claimIn(sql`and tenant = coalesce(
      (${next} and tenant > ${afterTenant} order by tenant limit 1),
      (${next} order by tenant limit 1))`);
    if (claim !== undefined) return claim;
  }
  // Other workers may have locked all tasks of that tenant.
  return claimIn(sql``);
}

/** Returns the condition that a task can be claimed now: it is due, or a worker takes its own run over. */
function mayClaim(
  kind: TaskKind,
  now: RawBuilder<unknown>,
  { worker, takesOver }: ClaimOptions,
): RawBuilder<unknown> {
  if (!takesOver || worker === undefined || kind !== 'run') return sql`due <= ${now}`;
  return sql`(due <= ${now} or (due is not null and claimed_by = ${worker} and exists (
    select 1 from desk_runs r
    where r.tenant = desk_tasks.tenant and r.id = desk_tasks.id and r.state = 'running')))`;
}

function named([tenant, kind, id]: TaskKey): RawBuilder<unknown> {
  return sql`and tenant = ${tenant} and kind = ${kind} and id = ${id}`;
}

function inQueues(queues: readonly string[] | undefined): RawBuilder<unknown> {
  return queues === undefined ? sql`` : sql`and queue in (${sql.join(queues)})`;
}
