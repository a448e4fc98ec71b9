import { setImmediate as turn } from 'node:timers/promises';

/**
 * A function that executes requests of a group in one statement. It returns a response for each of
 * them.
 */
export type SendGroup<Request, Response> = (
  requests: readonly [Request, ...Request[]],
) => Promise<readonly (Response | Promise<Response>)[]>;

/** A request that waits for its statement. */
interface Waiting<Request, Response> {
  readonly request: Request;
  readonly resolve: (response: Response | Promise<Response>) => void;
  readonly reject: (error: unknown) => void;
}

/** The largest number of requests that share a statement. */
export const MAX_SHARED = 64;
/**
 * The number of waiting requests that all share the next statement. Above it, half of them wait for
 * the statement after it.
 */
const MIN_SHARED = 16;

/**
 * Statements that concurrent requests of a group share: those of one turn of the event loop, and
 * those that arrive while the last statement of the group is executed. Groups do not wait for each
 * other.
 */
export class SharedStatements<Request, Response> {
  readonly #send: SendGroup<Request, Response>;
  /** The requests that wait, by group. A group is missing if it has no statement. */
  readonly #groups = new Map<string, Waiting<Request, Response>[]>();

  constructor(send: SendGroup<Request, Response>) {
    this.#send = send;
  }

  /** Adds a request to a group. */
  send(name: string, request: Request): Promise<Response> {
    return new Promise((resolve, reject) => {
      const group = this.#groups.get(name);
      const waiting = group ?? [];
      waiting.push({ request, resolve, reject });
      if (group !== undefined) return;
      this.#groups.set(name, waiting);
      void this.#sendAll(name, waiting);
    });
  }

  /** Sends statements until no request waits. */
  async #sendAll(name: string, waiting: Waiting<Request, Response>[]): Promise<void> {
    // Other requests of this turn follow.
    await turn();
    while (waiting.length > 0) {
      const share = Math.max(Math.ceil(waiting.length / 2), MIN_SHARED);
      await this.#sendShared(waiting.splice(0, Math.min(share, MAX_SHARED)));
    }
    this.#groups.delete(name);
  }

  /** Sends one statement, and waits for its response. */
  async #sendShared(requests: readonly Waiting<Request, Response>[]): Promise<void> {
    const [first, ...others] = requests;
    if (first === undefined) return;
    const response = this.#send([first.request, ...others.map(({ request }) => request)]);
    void this.#settle(requests, response);
    await response.catch(() => {});
  }

  async #settle(
    requests: readonly Waiting<Request, Response>[],
    response: Promise<readonly (Response | Promise<Response>)[]>,
  ): Promise<void> {
    try {
      const responses = await response;
      // The next statement is sent first, so the database executes it while the process handles these responses.
      await turn();
      // There is a response for each request.
      for (const [index, { resolve }] of requests.entries()) resolve(responses[index] as Response);
    } catch (error) {
      for (const { reject } of requests) reject(error);
    }
  }
}
