import type { TaskClaim, TaskQueues } from '../model/task-row.ts';

/** Limits of the runs that a worker executes at the same time. */
export interface RunLimitOptions {
  /** The number of concurrent runs of each tenant; no limit unless given. */
  readonly maxRunsPerTenant?: number | undefined;
  /** The number of concurrent runs of each agent, or of the named ones; no limit unless given. */
  readonly maxRunsPerAgent?: number | Readonly<Record<string, number>> | undefined;
}

/** Counters of the runs that a worker executes, by tenant and by agent. */
export class RunLimits {
  readonly #options: RunLimitOptions;
  readonly #tenants = new Map<string, number>();
  readonly #agents = new Map<string, number>();
  #last: Promise<unknown> = Promise.resolve();

  constructor({ maxRunsPerTenant, maxRunsPerAgent }: RunLimitOptions) {
    this.#options = { maxRunsPerTenant, maxRunsPerAgent };
  }

  /** The tenants that have reached their limit. */
  get fullTenants(): readonly string[] {
    const { maxRunsPerTenant: max = Number.POSITIVE_INFINITY } = this.#options;
    return [...this.#tenants].filter(([, count]) => count >= max).map(([tenant]) => tenant);
  }

  /** Returns the queues without the agents that have reached their limit. */
  permittedQueues(queues: TaskQueues): TaskQueues {
    const { run } = queues;
    if (run === undefined) return queues;
    return { ...queues, run: run.filter((agent) => !this.#isFull(agent)) };
  }

  /**
   * Claims a task and counts it. With limits, the claims of a worker follow each other. Otherwise
   * two claims could exceed a limit.
   */
  claim(
    claimNext: (limits: RunLimits) => Promise<TaskClaim | undefined>,
  ): Promise<TaskClaim | undefined> {
    const claimed = async () => {
      const claim = await claimNext(this);
      if (claim !== undefined) this.#add(claim, 1);
      return claim;
    };
    if (!this.#hasLimits) return claimed();
    const next = this.#last.then(claimed);
    this.#last = next.catch(() => {});
    return next;
  }

  /** Removes a task that has ended from the counts. */
  release(claim: TaskClaim): void {
    this.#add(claim, -1);
  }

  get #hasLimits(): boolean {
    return Object.values(this.#options).some((limit) => limit !== undefined);
  }

  #isFull(agent: string): boolean {
    const { maxRunsPerAgent: limit } = this.#options;
    const isForAll = typeof limit === 'number' || limit === undefined;
    const max = isForAll ? limit : Object.hasOwn(limit, agent) ? limit[agent] : undefined;
    return (this.#agents.get(agent) ?? 0) >= (max ?? Number.POSITIVE_INFINITY);
  }

  #add({ kind, tenant, queue = '' }: TaskClaim, difference: 1 | -1): void {
    if (kind !== 'run') return;
    for (const [counts, name] of [
      [this.#tenants, tenant],
      [this.#agents, queue],
    ] as const) {
      const count = (counts.get(name) ?? 0) + difference;
      if (count > 0) counts.set(name, count);
      else counts.delete(name);
    }
  }
}
