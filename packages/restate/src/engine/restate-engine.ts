import type { DueTask, Engine } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { checkOptions } from '../options/check-options.ts';
import { DEFAULT_SERVICE, idempotencyKeyOf } from './task-key.ts';

/** Options of {@link restateEngine}. */
export interface RestateEngineOptions {
  /**
   * The addresses of the ingress of Restate, one for each node. If a node is unreachable, the next
   * one is used.
   */
  readonly ingress: string | readonly string[];
  /** The name of the service; `holdpoint-tasks` by default. Desks that share a cluster need different names. */
  readonly service?: string | undefined;
  /** Headers of each request, such as `{ authorization: 'Bearer …' }`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The timeout of a request, in milliseconds; 5 seconds by default. */
  readonly timeoutMs?: number | undefined;
  /**
   * Called when no node accepted a task, at most every 10 seconds. The sweep schedules the task again. By default the
   * error is written on standard error.
   */
  readonly onError?: ((error: Error) => void) | undefined;
}

const TIMEOUT_MS = 5_000;
/** The number of concurrent requests. */
const MAX_REQUESTS = 32;
/** The maximum backlog. The sweep sends further tasks again. */
const MAX_QUEUED = 10_000;
/**
 * A sweep sends an accepted task again after this time. Restate stores the tasks that it accepts, so a repetition helps only if
 * its data were lost. In a backlog, repetitions would cost as much as the tasks.
 */
const REPEAT_AFTER_MS = 30_000;
const REPORT_EVERY_MS = 10_000;
/** A task that is due within this time is sent without a delay. */
const SOON_MS = 5;

/**
 * Creates an engine that sends due tasks to the ingress of Restate. Use it in processes that start runs or record
 * decisions and perform no tasks; `serveDesk` includes it.
 *
 * @example
 * desk.useEngine(restateEngine({ ingress: 'http://localhost:8080' }))
 */
export function restateEngine(options: RestateEngineOptions): RestateEngine {
  return new RestateEngine(options);
}

/** An engine that sends due tasks to Restate. */
export class RestateEngine implements Engine {
  readonly #addresses: readonly string[];
  readonly #options: RestateEngineOptions;
  readonly #queue: DueTask[] = [];
  /** The times at which tasks were accepted last, by their idempotency keys. */
  readonly #accepted = new Map<string, number>();
  #sending = 0;
  #next = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  /** @internal Use `restateEngine`. */
  constructor(options: RestateEngineOptions) {
    checkOptions<RestateEngineOptions>('`restateEngine`', options, {
      ingress: 'any',
      service: 'text',
      headers: 'any',
      timeoutMs: 'whole',
      onError: 'function',
    });
    this.#options = options;
    this.#addresses = addressesOf(options.ingress);
  }

  schedule(tasks: readonly DueTask[]): void {
    const free = MAX_QUEUED - this.#queue.length;
    this.#queue.push(...tasks.slice(0, Math.max(free, 0)));
    while (this.#sending < MAX_REQUESTS && this.#queue.length > 0) void this.#sendQueue();
  }

  /** Sends a task; returns the last problem if no node accepted it. */
  async send(task: DueTask): Promise<Error | undefined> {
    let problem: Error | undefined;
    for (let attempt = 0; attempt < this.#addresses.length; attempt++) {
      const address = this.#addresses[this.#next % this.#addresses.length] ?? '';
      problem = await this.#sendTo(address, task);
      if (problem === undefined) return undefined;
      // The next task starts with another node.
      this.#next += 1;
    }
    return problem;
  }

  async #sendQueue(): Promise<void> {
    this.#sending += 1;
    try {
      for (let task = this.#queue.shift(); task !== undefined; task = this.#queue.shift()) {
        if (this.#isAccepted(task)) continue;
        const problem = await this.send(task);
        if (problem === undefined) this.#accept(task);
        else this.#report(problem);
      }
    } finally {
      this.#sending -= 1;
    }
  }

  /** Returns true if Restate has accepted the task recently, so that a sweep of a backlog repeats little. */
  #isAccepted(task: DueTask): boolean {
    const at = this.#accepted.get(idempotencyKeyOf(task));
    return at !== undefined && performance.now() - at < REPEAT_AFTER_MS;
  }

  #accept(task: DueTask): void {
    const key = idempotencyKeyOf(task);
    this.#accepted.delete(key);
    this.#accepted.set(key, performance.now());
    const [oldest] = this.#accepted;
    if (this.#accepted.size > MAX_QUEUED && oldest !== undefined) this.#accepted.delete(oldest[0]);
  }

  async #sendTo(address: string, task: DueTask): Promise<Error | undefined> {
    const { service = DEFAULT_SERVICE, timeoutMs = TIMEOUT_MS, headers = {} } = this.#options;
    const { tenant, kind, id, due } = task;
    const delay = Math.ceil(due - Date.now());
    const query = delay > SOON_MS ? `?delay=${delay}ms` : '';
    try {
      const response = await fetch(`${address}/${service}/perform/send${query}`, {
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          'idempotency-key': idempotencyKeyOf(task),
        },
        body: JSON.stringify({ tenant, kind, id }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      return response.ok ? undefined : rejected(address, service, response.status, text);
    } catch (error) {
      const problem = isTimeout(error)
        ? `did not respond within ${timeoutMs} ms. If it is busy, pass a longer \`timeoutMs\`.`
        : 'could not be reached. Check `ingress`.';
      const message = `Restate at ${address} ${problem} The sweep repeats the task.`;
      return new Error(message, { cause: error });
    }
  }

  #report(error: Error): void {
    const now = performance.now();
    if (now - this.#reportedAt < REPORT_EVERY_MS) return;
    this.#reportedAt = now;
    const { onError = (problem: Error) => console.error(problem) } = this.#options;
    onError(error);
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

function rejected(address: string, service: string, status: number, text: string): Error {
  const advice =
    status === 404
      ? `Register the deployment that serves \`${service}\` with Restate, and check that \`ingress\` is the address of its ingress.`
      : 'Check the log of Restate.';
  return new Error(
    `Restate at ${address} rejected a task (${status}): ${text.slice(0, 300)} ${advice}`,
  );
}

function addressesOf(ingress: string | readonly string[]): readonly string[] {
  const given: readonly unknown[] = Array.isArray(ingress) ? ingress : [ingress];
  if (given.length === 0) {
    throw new UserError('`ingress` is an empty list. Pass the address of at least one node.');
  }
  return given.map((address) => {
    if (typeof address === 'string' && URL.canParse(address) && /^https?:/.test(address)) {
      return address.replace(/\/+$/, '');
    }
    throw new UserError(
      `\`ingress\` contains \`${String(address)}\`. Pass addresses such as \`http://localhost:8080\`.`,
    );
  });
}
