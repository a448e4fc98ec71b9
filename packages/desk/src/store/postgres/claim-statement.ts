import type { ClaimOptions, TaskKind, TaskQueues } from '../../model/task-row.ts';
import { TASKS } from '../sql/database.ts';
import type { TaskKey } from '../store.ts';
import { NOW, type Statement } from './commit-statement.ts';
import { CLAIMED_RUN_COLUMNS, type LoadedRun } from './load-run.ts';
import { rowAsJson } from './run-knowledge.ts';

/** A request for a task. */
export interface ClaimRequest {
  readonly kinds: readonly TaskKind[];
  readonly lease: number;
  readonly only?: TaskKey | undefined;
  readonly queues?: TaskQueues | undefined;
  readonly options?: ClaimOptions | undefined;
}

/** The result of a claim: the task, and its run if it is the task of a run. */
export interface ClaimedTaskRow extends LoadedRun {
  readonly now: number;
  readonly version: string;
  readonly tenant: string;
  readonly kind: TaskKind;
  readonly id: string;
  readonly queue: string | null;
  readonly fence: number;
  readonly attempts: number;
  /** True if the claim changed the state of the run from ready to running. */
  readonly is_marked: boolean;
}

const KIND_LITERALS: Readonly<Record<TaskKind, string>> = {
  run: `'run'`,
  expiry: `'expiry'`,
  outbox: `'outbox'`,
  webhook: `'webhook'`,
};

/**
 * Returns one statement that claims a due task, marks its run as running, and reads the run.
 *
 * The run is marked only if no other transaction has locked or changed it since the statement began, so all rows that
 * it returns are of one state.
 */
export function claimStatement({
  kinds,
  lease,
  only,
  queues = {},
  options = {},
}: ClaimRequest): Statement {
  const values: unknown[] = [];
  const value = (one: unknown): string => `$${values.push(one)}`;
  const now = `(select ${NOW})`;
  const parts: string[] = [];
  const found: string[] = [];
  const addCandidate = (conditions: readonly string[]): void => {
    // A candidate is looked up only if none before it has a task.
    const isFirst = found.map((name) => `not exists (select 1 from ${name})`);
    const name = `c${found.length}`;
    parts.push(`${name} as materialized (select t.tenant, t.kind, t.id from desk_tasks t
      where ${[...conditions, ...isFirst].join(' and ')} order by t.due limit 1 for update skip locked)`);
    found.push(name);
  };
  for (const kind of kinds) {
    const names = queues[kind];
    if (names?.length === 0) continue;
    // As a literal, the kind does not change the estimates of the planner, so it plans the statement once.
    const isDue = [`t.kind = ${KIND_LITERALS[kind]}`, mayClaim(kind, now, options, value)];
    if (names !== undefined) isDue.push(`t.queue = any(${value(names)}::text[])`);
    if (only !== undefined) {
      addCandidate([...isDue, `t.tenant = ${value(only[0])}`, `t.id = ${value(only[2])}`]);
      continue;
    }
    const excluded = kind === 'run' ? (options.withoutRunsOf ?? []) : [];
    const turn = turnOf(kind, options);
    if (turn === undefined && excluded.length === 0) {
      addCandidate(isDue);
      continue;
    }
    const next = `n${parts.length}`;
    const without = `${value(excluded)}::text[]`;
    parts.push(`${next} as materialized (select coalesce(
      ${nextTenant(isDue, value(turn ?? ''), without)}, ${nextTenant(isDue, value(''), without)}) as tenant)`);
    addCandidate([...isDue, `t.tenant = (select tenant from ${next})`]);
    // Other workers may have locked all tasks of that tenant.
    const isAny = `(select tenant from ${next}) is not null`;
    addCandidate([...isDue, isAny, `t.tenant <> all(${without})`]);
  }
  const candidates = found.map((name) => `select * from ${name}`).join(' union all ');
  const text = `with recursive ${parts.join(',\n')},
    claimed as (update desk_tasks t
      set due = ${now} + ${value(lease)}::bigint, fence = t.fence + 1, attempts = t.attempts + 1,
        claimed_at = ${now}, claimed_by = ${value(options.worker ?? null)}
      from (${candidates}) c where t.tenant = c.tenant and t.kind = c.kind and t.id = c.id
      returning t.tenant, t.kind, t.id, t.queue, t.fence, t.attempts, ${rowAsJson(TASKS, 't')} as task),
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

/** Returns the condition that a task can be claimed now: it is due, or a worker takes its own run over. */
function mayClaim(
  kind: TaskKind,
  now: string,
  { worker, takesOver }: ClaimOptions,
  value: (one: unknown) => string,
): string {
  if (!takesOver || worker === undefined || kind !== 'run') return `t.due <= ${now}`;
  return `(t.due <= ${now} or (t.due is not null and t.claimed_by = ${value(worker)} and exists (
    select 1 from desk_runs r where r.tenant = t.tenant and r.id = t.id and r.state = 'running')))`;
}

/** Returns the tenant after which the next one has its turn. Expiries are claimed by their time alone. */
function turnOf(kind: TaskKind, { afterTenant }: ClaimOptions): string | undefined {
  return kind === 'expiry' ? undefined : afterTenant;
}

/**
 * Returns an expression for the first tenant after `after` that has a due task and is not excluded. Each step is a
 * look-up in the index, however many tasks an excluded tenant has.
 */
function nextTenant(isDue: readonly string[], after: string, excluded: string): string {
  const first = (than: string) => `(select t.tenant from desk_tasks t
    where ${isDue.join(' and ')} and t.tenant > ${than} order by t.tenant limit 1)`;
  return `(with recursive s as (
      select ${first(`${after}::text`)} as tenant
      union all select ${first('s.tenant')} from s where s.tenant = any(${excluded}))
    select tenant from s where tenant <> all(${excluded}) limit 1)`;
}
