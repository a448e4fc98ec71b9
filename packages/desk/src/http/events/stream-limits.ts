import type { Caller } from '../caller.ts';
import { HttpProblem } from '../http-problem.ts';

/** How many event streams may be open at a time. */
export interface StreamLimitOptions {
  /** For one person. */
  readonly perPerson: number;
  /** For one tenant. */
  readonly perTenant: number;
}

/** Counts open streams, so that nobody takes all that a process has. */
export class StreamLimits {
  readonly #limits: StreamLimitOptions;
  readonly #open = new Map<string, number>();

  constructor(limits: StreamLimitOptions) {
    this.#limits = limits;
  }

  /** Takes a place for a stream; gives the function that gives it back. */
  take({ tenant, person }: Caller): () => void {
    const { perPerson, perTenant } = this.#limits;
    const ofTenant = JSON.stringify([tenant]);
    const ofPerson = JSON.stringify([tenant, person.id]);
    if (this.#count(ofPerson) >= perPerson) throw tooMany('You have', perPerson);
    if (this.#count(ofTenant) >= perTenant) throw tooMany('Your tenant has', perTenant);
    this.#add(ofTenant, 1);
    this.#add(ofPerson, 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#add(ofTenant, -1);
      this.#add(ofPerson, -1);
    };
  }

  #count(key: string): number {
    return this.#open.get(key) ?? 0;
  }

  #add(key: string, more: number): void {
    const count = this.#count(key) + more;
    if (count === 0) this.#open.delete(key);
    else this.#open.set(key, count);
  }
}

function tooMany(who: string, most: number): HttpProblem {
  return new HttpProblem({
    status: 429,
    code: 'too-many-streams',
    message: `${who} ${most} event streams open, which is the most. Close one, or wait.`,
    details: { most },
    headers: { 'retry-after': '10' },
  });
}
