import { once } from 'node:events';
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import {
  createEndpointHandler,
  type EndpointOptions,
  type LoggerTransport,
} from '@restatedev/restate-sdk';
import { createEndpointHandler as createFetchHandler } from '@restatedev/restate-sdk/fetch';
import type { Desk } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { checkOptions } from '../options/check-options.ts';
import { type RestateEngineOptions, restateEngine } from './restate-engine.ts';
import { DEFAULT_SERVICE } from './task-key.ts';
import { type TaskService, taskService } from './task-service.ts';

/** Options of {@link serveDesk}. */
export interface ServeDeskOptions extends RestateEngineOptions {
  /** The number of runs that this process executes at the same time; 8 by default. Others wait for a slot. */
  readonly concurrency?: number | undefined;
  /** The number of concurrent runs of each tenant in this process; no further limit by default. */
  readonly maxRunsPerTenant?: number | undefined;
  /** The time between two sweeps, in milliseconds; 2 seconds by default. 0 if another process sweeps. */
  readonly sweepMs?: number | undefined;
  /** The time that executing calls have when the process stops, in milliseconds; 30 seconds by default. */
  readonly drainMs?: number | undefined;
  /** Public keys of the Restate server. Requests that it did not sign are rejected. */
  readonly identityKeys?: readonly string[] | undefined;
  /** Receives the log lines of the SDK; by default warnings and errors are written on standard error. */
  readonly logger?: LoggerTransport | undefined;
}

/** A desk whose tasks Restate performs in this process. */
export interface RestateDesk extends AsyncDisposable {
  /** The service, for an endpoint that serves other services as well. */
  readonly service: TaskService;
  /** Responds to requests of Restate, for platforms with `fetch` handlers. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Serves requests of Restate over HTTP/2 on a port, on loopback unless a host is given. Returns the port. */
  listen(port?: number, host?: string): Promise<number>;
  /** Stops performances, waits until they have ended, and closes the server. The desk stays open. */
  close(): Promise<void>;
}

const CONCURRENCY = 8;
const SWEEP_MS = 2_000;
const DRAIN_MS = 30_000;

/**
 * Lets Restate perform the tasks of a desk in this process: it notifies Restate of due tasks, serves the service that
 * performs them, and sweeps. Call `listen`, and register the address with Restate once. Any number of processes can
 * serve the same desk behind one address.
 *
 * @example
 * const served = serveDesk(desk, { ingress: 'http://localhost:8080' })
 * await served.listen(9080)
 */
export function serveDesk(desk: Desk, options: ServeDeskOptions): RestateDesk {
  checkOptions<ServeDeskOptions>('`serveDesk`', options, {
    ingress: 'any',
    service: 'text',
    headers: 'any',
    timeoutMs: 'whole',
    onError: 'function',
    concurrency: 'whole',
    maxRunsPerTenant: 'whole',
    sweepMs: 'any',
    drainMs: 'whole',
    identityKeys: 'any',
    logger: 'function',
  });
  return new ServedTasks(desk, options);
}

class ServedTasks implements RestateDesk {
  readonly service: TaskService;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly #endpoint: EndpointOptions;
  readonly #stopping = new AbortController();
  readonly #stopHints: () => void;
  readonly #sweeps: Promise<void> | undefined;
  readonly #performances = new Set<Promise<unknown>>();
  readonly #servers = new Map<Http2Server, Set<ServerHttp2Session>>();

  constructor(desk: Desk, options: ServeDeskOptions) {
    const { ingress, service: name = DEFAULT_SERVICE, headers, timeoutMs, onError } = options;
    const {
      concurrency = CONCURRENCY,
      maxRunsPerTenant: maxPerTenant,
      drainMs = DRAIN_MS,
    } = options;
    const sweepMs = checkSweep(options.sweepMs ?? SWEEP_MS);
    const { signal } = this.#stopping;
    const limits = { concurrency, maxPerTenant };
    const perform: Desk['perform'] = (task, given) => this.#track(desk.perform(task, given));
    this.service = taskService({ perform }, { name, signal, drainMs, ...limits });
    const { identityKeys, logger = logProblems } = options;
    this.#endpoint = {
      services: [this.service],
      logger,
      ...(identityKeys && { identityKeys: [...identityKeys] }),
    };
    let handle: ReturnType<typeof createFetchHandler> | undefined;
    this.fetch = async (request) => {
      handle ??= createFetchHandler({ ...this.#endpoint, bidirectional: false });
      return handle(request);
    };
    this.#stopHints = desk.useEngine(
      restateEngine({ ingress, service: name, headers, timeoutMs, onError }),
    );
    this.#sweeps = sweepMs === 0 ? undefined : desk.startSweep({ everyMs: sweepMs, signal });
    this.#sweeps?.catch(() => {});
  }

  async listen(port = 9080, host = '127.0.0.1'): Promise<number> {
    if (this.#stopping.signal.aborted) {
      throw new UserError('It is closed. Call `serveDesk` again.');
    }
    const sessions = new Set<ServerHttp2Session>();
    const server = createServer(createEndpointHandler(this.#endpoint));
    server.on('session', (session) => {
      sessions.add(session);
      session.on('close', () => sessions.delete(session));
    });
    server.listen(port, host);
    await once(server, 'listening');
    this.#servers.set(server, sessions);
    // A server on a TCP port has an address object.
    return (server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    // Performances end, and their results reach Restate, before the connections are closed.
    await Promise.allSettled(this.#performances);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    for (const [server, sessions] of this.#servers) {
      const closed = once(server, 'close');
      server.close();
      for (const session of sessions) session.close();
      const timer = setTimeout(() => {
        for (const session of sessions) session.destroy();
      }, CLOSE_MS);
      await closed;
      clearTimeout(timer);
    }
    this.#servers.clear();
    await this.#sweeps?.catch(() => {});
    this.#stopHints();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #track<Result>(performance: Promise<Result>): Promise<Result> {
    this.#performances.add(performance);
    try {
      return await performance;
    } finally {
      this.#performances.delete(performance);
    }
  }
}

/** Writes warnings and errors. The SDK has a line for each invocation otherwise. */
const logProblems: LoggerTransport = ({ level }, ...message) => {
  if (level === 'warn' || level === 'error') console.error('[restate]', ...message);
};

/** The time that open requests have when the server closes, in milliseconds. */
const CLOSE_MS = 1_000;

function checkSweep(sweepMs: number): number {
  if (Number.isSafeInteger(sweepMs) && sweepMs >= 0) return sweepMs;
  throw new UserError(
    `\`sweepMs\` is \`${String(sweepMs)}\`. Pass a number of milliseconds, or 0.`,
  );
}
