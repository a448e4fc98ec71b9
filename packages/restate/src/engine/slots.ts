/** Limits of the tasks that a process performs at the same time. */
export interface SlotLimits {
  /** The number of tasks. */
  readonly concurrency: number;
  /** The number of tasks of each tenant; no further limit by default. */
  readonly maxPerTenant?: number | undefined;
}

/** A task that waits for a slot. */
interface Waiting {
  readonly tenant: string;
  readonly begin: () => void;
}

/** Slots for tasks. A task that waits for a slot has no claim yet, so its lease cannot end. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #tenants = new Map<string, number>();
  readonly #waiting: Waiting[] = [];
  #used = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Performs the work when a slot is free; tasks of one tenant keep their order. */
  async use<Result>(tenant: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#isFree(tenant)) this.#count(tenant, 1);
    // The slot is counted when it is passed on.
    else await new Promise<void>((begin) => this.#waiting.push({ tenant, begin }));
    try {
      return await work();
    } finally {
      this.#count(tenant, -1);
      this.#passOn();
    }
  }

  #isFree(tenant: string): boolean {
    const { concurrency, maxPerTenant = concurrency } = this.#limits;
    return this.#used < concurrency && (this.#tenants.get(tenant) ?? 0) < maxPerTenant;
  }

  #passOn(): void {
    const index = this.#waiting.findIndex(({ tenant }) => this.#isFree(tenant));
    const [next] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (next === undefined) return;
    this.#count(next.tenant, 1);
    next.begin();
  }

  #count(tenant: string, difference: 1 | -1): void {
    this.#used += difference;
    const count = (this.#tenants.get(tenant) ?? 0) + difference;
    if (count > 0) this.#tenants.set(tenant, count);
    else this.#tenants.delete(tenant);
  }
}
