import type { Caller } from '../caller.ts';
import { HttpProblem } from '../http-problem.ts';

/** The maximum number of open event streams. */
export interface StreamLimitOptions {
  /** For one person. */
  readonly perPerson: number;
  /** For one tenant. */
  readonly perTenant: number;
}

/** Counts open streams, so that one person or tenant cannot use all of a process. */
export class StreamLimits {
  readonly #limits: StreamLimitOptions;
  readonly #open = new Map<string, number>();

  constructor(limits: StreamLimitOptions) {
    this.#limits = limits;
  }

  /** Counts a stream. Returns a function that counts it as closed. */
  take({ tenant, person }: Caller): () => void {
    const { perPerson, perTenant } = this.#limits;
    const ofTenant = JSON.stringify([tenant]);
    const ofPerson = JSON.stringify([tenant, person.id]);
    if (this.#count(ofPerson) >= perPerson) throw tooMany('You have', perPerson);
    if (this.#count(ofTenant) >= perTenant) throw tooMany('Your tenant has', perTenant);
    this.#add(ofTenant, 1);
    this.#add(ofPerson, 1);
    let isCounted = true;
    return () => {
      if (!isCounted) return;
      isCounted = false;
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

function tooMany(who: string, max: number): HttpProblem {
  return new HttpProblem({
    status: 429,
    code: 'too-many-streams',
    message: `${who} ${max} event streams open, which is the maximum. Close one of them.`,
    details: { max },
    headers: { 'retry-after': '10' },
  });
}
