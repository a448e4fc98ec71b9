import type { ClaimOptions, TaskKind } from '../../model/task-row.ts';
import type { ClaimRequest } from '../known/buffered-tx.ts';
import { RUNS, TASKS } from '../sql/database.ts';
import { NOW, type Statement } from './commit-statement.ts';
import { isOneRow } from './commit-parts.ts';
import { CLAIMED_RUN_COLUMNS, HELD_PART, type LoadedRun } from './load-run.ts';
import { rowAsJson } from './row-as-json.ts';
import { MAX_SHARED } from './shared-statements.ts';

/** A claimed task, and its run if it is the task of a run. */
export interface ClaimedTaskRow extends LoadedRun {
  readonly now: number;
  readonly version: string;
  readonly tenant: string;
  readonly kind: TaskKind;
  readonly id: string;
  readonly queue: string | null;
  readonly fence: number;
  readonly attempts: number;
  /** True if the task was selected because it is the turn of its tenant. */
  readonly is_turn: boolean;
  /** True if the claim changed the state of the run from ready to running. */
  readonly is_marked: boolean;
  /** True if no other transaction has changed the run since the statement began to read it. */
  readonly is_current: boolean;
}

const KIND_LITERALS: Readonly<Record<TaskKind, string>> = {
  run: `'run'`,
  expiry: `'expiry'`,
  outbox: `'outbox'`,
  webhook: `'webhook'`,
};

/**
 * Returns the group of a request. Requests of a group differ only in the turns of tenants, and may
 * share a statement.
 */
export function groupOf(request: ClaimRequest): string {
  return JSON.stringify({ ...request, options: { ...request.options, afterTenants: undefined } });
}

/**
 * Returns one statement that claims due tasks for requests of one group: see {@link groupOf}. It
 * marks the runs of the tasks as running, and reads them.
 *
 * The statement reads the state of a run at the start of the statement. If another transaction has
 * locked or changed the run since then, the run is not marked. Its rows are then not current,
 * because the previous worker may have started a call.
 */
export function claimStatement(requests: readonly [ClaimRequest, ...ClaimRequest[]]): Statement {
  const { kinds, lease, only, queues = {}, options = {} } = requests[0];
  // The turn is that of the tenant which is next for the last request.
  const withTurn = requests.filter(isForTurn);
  const afterTenants = withTurn.at(-1)?.options?.afterTenants;
  const values: unknown[] = [];
  // In a sub-select, a value does not change the estimates of the planner, so it plans the statement once.
  const value = (one: unknown, type: string): string =>
    `(select $${values.push(one)}::${type})::${type}`;
  const now = `(select ${NOW})`;
  const parts: string[] = [];
  const found: string[] = [];
  const addCandidates = (
    conditions: readonly string[],
    { count = requests.length, isTurn = false } = {},
  ): void => {
    // Candidates are looked up only if those before them are too few. The inner limit is for the planner.
    const taken = found.map((name) => ` - (select count(*) from ${name})`).join('');
    const rest = `greatest(${value(count, 'bigint')}${taken}, 0)`;
    // A statement does not skip the rows that it has locked itself.
    const isOther = found.map(
      (name) => `(t.tenant, t.kind, t.id) not in (select tenant, kind, id from ${name})`,
    );
    const name = `c${found.length}`;
    parts.push(`${name} as materialized (select * from (select t.tenant, t.kind, t.id, ${isTurn} as is_turn from desk_tasks t
      where ${[...conditions, ...isOther].join(' and ')}
      order by t.due limit ${MAX_SHARED} for update skip locked) t limit ${rest})`);
    found.push(name);
  };
  for (const kind of kinds) {
    const names = queues[kind];
    if (names?.length === 0) continue;
    const isDue = [`t.kind = ${KIND_LITERALS[kind]}`, mayClaim(kind, now, options, value)];
    if (names !== undefined) isDue.push(`t.queue = any(${value(names, 'text[]')})`);
    if (only !== undefined) {
      const [tenant, , id] = only;
      addCandidates([
        ...isDue,
        `t.tenant = ${value(tenant, 'text')}`,
        `t.id = ${value(id, 'text')}`,
      ]);
      continue;
    }
    if (kind === 'expiry') {
      // Expiries are claimed by their time alone.
      addCandidates(isDue);
      continue;
    }
    const withoutRunsOf = kind === 'run' ? (options.withoutRunsOf ?? []) : [];
    const excluded = withoutRunsOf.length === 0 ? undefined : value(withoutRunsOf, 'text[]');
    const turn = `n${parts.length}`;
    // With excluded tenants it is always a tenant's turn, because the tasks of those may be due for longest.
    const isAlways = excluded !== undefined;
    const after = afterTenants?.[kind] ?? (isAlways || afterTenants !== undefined ? '' : null);
    const count = isAlways ? requests.length : withTurn.length;
    parts.push(`${turn} as materialized (${selectTurn(isDue, value(after, 'text'), excluded)})`);
    const ofTenant = `t.tenant = (select tenant from ${turn})`;
    addCandidates([...isDue, ofTenant], { count, isTurn: true });
    // It is no tenant's turn, or other workers have locked all tasks of that tenant.
    addCandidates([
      ...isDue,
      ...(excluded === undefined
        ? []
        : [
            `t.tenant <> all(${excluded})`,
            `exists (select 1 from ${turn} where tenant is not null)`,
          ]),
    ]);
  }
  const candidates = found.map((name) => `select * from ${name}`).join(' union all ');
  const text = `with recursive ${parts.join(',\n')},
    claimed as (update desk_tasks t
      set due = ${now} + ${value(lease, 'bigint')}, fence = t.fence + 1, attempts = t.attempts + 1,
        claimed_at = ${now}, claimed_by = ${value(options.worker ?? null, 'text')}
      from (${candidates}) c where t.tenant = c.tenant and t.kind = c.kind and t.id = c.id
        and ${isOneRow('c.tenant')}
      returning t.tenant, t.kind, t.id, t.queue, t.fence, t.attempts, c.is_turn, ${rowAsJson(TASKS, 't')} as task),
    seen as materialized (select r.tenant, r.id, r.conversation_id, r.state, r.xmin as version,
      ${rowAsJson(RUNS, 'r')} as run
      from claimed c join desk_runs r on c.kind = 'run' and r.tenant = c.tenant and r.id = c.id),
    unlocked as materialized (select r.tenant, r.id, s.state from seen s
      join desk_runs r on r.tenant = s.tenant and r.id = s.id and r.xmin = s.version
      for no key update of r skip locked),
    marked as (update desk_runs r set state = 'running' from unlocked u
      where r.tenant = u.tenant and r.id = u.id and u.state = 'ready' returning r.tenant, r.id),
    s as materialized (select c.*, r.id as run_id, r.conversation_id, r.run
      from claimed c left join seen r on c.kind = 'run' and r.tenant = c.tenant and r.id = c.id),
    ${HELD_PART}
    select s.*, ${NOW} as now, pg_current_xact_id()::xid::text as version,
      exists (select 1 from marked m where m.tenant = s.tenant and m.id = s.run_id) as is_marked,
      exists (select 1 from unlocked u where u.tenant = s.tenant and u.id = s.run_id) as is_current,
      ${CLAIMED_RUN_COLUMNS}
    from s`;
  return { text, values };
}

/** Returns whether a request claims for the tenant whose turn it is. */
export function isForTurn({ options }: ClaimRequest): boolean {
  return options?.afterTenants !== undefined;
}

/** Returns the condition that a task can be claimed now: it is due, or a worker takes its own run over. */
function mayClaim(
  kind: TaskKind,
  now: string,
  { worker, takesOver }: ClaimOptions,
  value: (one: unknown, type: string) => string,
): string {
  if (!takesOver || worker === undefined || kind !== 'run') return `t.due <= ${now}`;
  return `(t.due <= ${now} or (t.due is not null and t.claimed_by = ${value(worker, 'text')} and exists (
    select 1 from desk_runs r where r.tenant = t.tenant and r.id = t.id and r.state = 'running')))`;
}

/** Selects the tenant that has its turn; null if it is the turn of the task that is due for longest. */
function selectTurn(isDue: readonly string[], after: string, excluded: string | undefined): string {
  const next = nextTenant(isDue, after, excluded);
  const first = nextTenant(isDue, `''`, excluded);
  return `select case when ${after} is not null then coalesce(${next}, ${first}) end as tenant`;
}

/**
 * Returns an expression for the first tenant after `after` that has a due task and is not excluded. Each step is a
 * look-up in the index, however many tasks an excluded tenant has.
 */
function nextTenant(isDue: readonly string[], after: string, excluded: string | undefined): string {
  const first = (than: string) => `(select t.tenant from desk_tasks t
    where ${isDue.join(' and ')} and t.tenant > ${than} order by t.tenant limit 1)`;
  if (excluded === undefined) return first(after);
  return `(with recursive s as (
      select ${first(after)} as tenant
      union all select ${first('s.tenant')} from s where s.tenant = any(${excluded}))
    select tenant from s where tenant <> all(${excluded}) limit 1)`;
}
