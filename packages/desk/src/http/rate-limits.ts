import { UserError } from 'holdpoint';
import { checkFunction, checkOptions, type KeysOf } from '../model/check-keys.ts';
import type { Caller } from './caller.ts';
import { HttpProblem } from './http-problem.ts';

/** A number of requests in a minute. */
export interface RateLimitOptions {
  /** Requests to sign in, for each address; 60 by default. */
  readonly signInPerMinute?: number | undefined;
  /** Requests for decision links, for each address; 120 by default. */
  readonly linksPerMinute?: number | undefined;
  /** Requests that change something, for each person; 6,000 by default. */
  readonly writesPerMinute?: number | undefined;
  /**
   * Returns the address of the visitor, such as the last entry of `x-forwarded-for` that your proxy wrote. Without
   * it, visitors share ten times the limits for sign-in and links.
   */
  readonly addressOf?: ((request: Request) => string | undefined) | undefined;
}

const OPTIONS: KeysOf<RateLimitOptions> = {
  signInPerMinute: true,
  linksPerMinute: true,
  writesPerMinute: true,
  addressOf: true,
};

const MINUTE_MS = 60_000;
/** The factor for visitors whose address is unknown, because they share one limit. */
const SHARED = 10;

/** The limits of one process. Each process counts on its own. */
export class RateLimits {
  readonly #options: RateLimitOptions;
  readonly #signIn: Limit;
  readonly #links: Limit;
  readonly #writes: Limit;

  constructor(options: RateLimitOptions = {}) {
    checkOptions<RateLimitOptions>('`http.rateLimits`', options, OPTIONS);
    checkFunction('http.rateLimits.addressOf', options.addressOf);
    const { signInPerMinute = 60, linksPerMinute = 120, writesPerMinute = 6_000 } = options;
    for (const [name, max] of Object.entries({
      signInPerMinute,
      linksPerMinute,
      writesPerMinute,
    })) {
      if (Number.isInteger(max) && max > 0) continue;
      throw new UserError(`\`http.rateLimits.${name}\` is ${max}. Pass a whole number above 0.`);
    }
    this.#options = options;
    this.#signIn = new Limit(signInPerMinute);
    this.#links = new Limit(linksPerMinute);
    this.#writes = new Limit(writesPerMinute);
  }

  /** Counts a request to sign in. Throws if there were too many. */
  countSignIn(request: Request): void {
    this.#count(this.#signIn, request);
  }

  /** Counts a request for a decision link. Throws if there were too many. */
  countLink(request: Request): void {
    this.#count(this.#links, request);
  }

  /** Counts a request that changes something. Throws if there were too many. */
  countWrite({ tenant, person }: Caller): void {
    this.#writes.count(JSON.stringify([tenant, person.id]));
  }

  #count(limit: Limit, request: Request): void {
    const address = this.#options.addressOf?.(request);
    limit.count(address ?? '', address === undefined ? SHARED : 1);
  }
}

/** Counts requests by key, in windows of a minute. */
class Limit {
  readonly #max: number;
  #counts = new Map<string, number>();
  #startedAt = 0;

  constructor(max: number) {
    this.#max = max;
  }

  count(key: string, factor = 1): void {
    const now = performance.now();
    // All keys share the window, so old ones need no clean-up.
    if (now - this.#startedAt >= MINUTE_MS || this.#startedAt === 0) {
      this.#counts = new Map();
      this.#startedAt = now;
    }
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    if (count <= this.#max * factor) return;
    throw tooManyRequests(Math.ceil((this.#startedAt + MINUTE_MS - now) / 1_000));
  }
}

function tooManyRequests(seconds: number): HttpProblem {
  return new HttpProblem({
    status: 429,
    code: 'rate-limited',
    message: `Too many requests. Nothing was written. Try again in ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
  });
}
