import type { TaskKind, TaskQueues } from '../../model/task-row.ts';
import type { TaskKey } from '../store.ts';
import { NOW, type Statement } from './commit-statement.ts';
import { CLAIMED_RUN_COLUMNS, type LoadedRun } from './load-run.ts';

/** A request for a task. */
export interface ClaimRequest {
  readonly kinds: readonly TaskKind[];
  readonly lease: number;
  readonly only?: TaskKey | undefined;
  readonly queues?: TaskQueues | undefined;
}

/** The result of a claim: the task, and its run if it is the task of a run. */
export interface ClaimedTaskRow extends LoadedRun {
  readonly now: number;
  readonly version: string;
  readonly tenant: string;
  readonly kind: TaskKind;
  readonly id: string;
  readonly queue: string | null;
  readonly due: number;
  readonly fence: number;
  readonly attempts: number;
  /** True if the claim changed the state of the run from ready to running. */
  readonly is_marked: boolean;
}

/**
 * Returns one statement that claims a due task, marks its run as running, and reads the run.
 *
 * The run is marked only if no other transaction has locked or changed it since the statement began, so all rows that
 * it returns are of one state.
 */
export function claimStatement({ kinds, lease, only, queues = {} }: ClaimRequest): Statement {
  const values: unknown[] = [];
  const value = (one: unknown): string => `$${values.push(one)}`;
  const now = `(select ${NOW})`;
  const claimable = kinds.filter((kind) => queues[kind]?.length !== 0);
  const candidates = claimable.map((kind, index) => {
    const conditions = [`t.kind = ${value(kind)}`, `t.due <= ${now}`];
    if (only !== undefined)
      conditions.push(`t.tenant = ${value(only[0])}`, `t.id = ${value(only[2])}`);
    const names = queues[kind];
    if (names !== undefined) conditions.push(`t.queue = any(${value(names)}::text[])`);
    // A kind is looked up only if none of the kinds before it has a task.
    for (let before = 0; before < index; before++) {
      conditions.push(`not exists (select 1 from c${before})`);
    }
    return `c${index} as materialized (select t.tenant, t.kind, t.id from desk_tasks t
      where ${conditions.join(' and ')} order by t.due limit 1 for update skip locked)`;
  });
  const found = claimable.map((_, index) => `select * from c${index}`).join(' union all ');
  const text = `with ${candidates.join(',\n')},
    claimed as (update desk_tasks t
      set due = ${now} + ${value(lease)}::bigint, fence = t.fence + 1, attempts = t.attempts + 1, claimed_at = ${now}
      from (${found}) c where t.tenant = c.tenant and t.kind = c.kind and t.id = c.id
      returning t.tenant, t.kind, t.id, t.queue, t.due, t.fence, t.attempts),
    seen as materialized (select r.tenant, r.id, r.xmin as version from claimed c
      join desk_runs r on c.kind = 'run' and r.tenant = c.tenant and r.id = c.id),
    unlocked as materialized (select r.tenant, r.id from desk_runs r
      where (r.tenant, r.id) = (select tenant, id from seen) for no key update skip locked),
    marked as (update desk_runs r set state = 'running' from seen s, unlocked u
      where r.tenant = s.tenant and r.id = s.id and r.tenant = u.tenant and r.id = u.id
        and r.xmin = s.version and r.state = 'ready'
      returning 1)
    select s.*, ${NOW} as now, pg_current_xact_id()::xid::text as version,
      exists (select 1 from marked) as is_marked, ${CLAIMED_RUN_COLUMNS}
    from (select c.*, case when c.kind = 'run' then c.id end as run_id from claimed c) s`;
  return { text, values };
}
