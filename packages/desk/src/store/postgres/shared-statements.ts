/** Executes requests of a group as one; returns a response for each of them. */
export type SendGroup<Request, Response> = (
  requests: readonly [Request, ...Request[]],
) => Promise<readonly (Response | Promise<Response>)[]>;

/** A request that waits for its statement. */
interface Waiting<Request, Response> {
  readonly request: Request;
  readonly resolve: (response: Response) => void;
  readonly reject: (error: unknown) => void;
}

/** The requests that may share a statement. */
interface Group<Request, Response> {
  readonly waiting: Waiting<Request, Response>[];
  /** True from the first request until no request waits. */
  isSending: boolean;
}

/**
 * Requests of a group that wait at the same time share a statement: those of one turn of the event loop, and those
 * that arrive while the group's last statement is executed. Groups do not wait for each other.
 */
export class SharedStatements<Request, Response> {
  readonly #send: SendGroup<Request, Response>;
  readonly #groups = new Map<string, Group<Request, Response>>();

  readonly #max: number;

  /** At most `max` requests share a statement. */
  constructor(send: SendGroup<Request, Response>, max: number) {
    this.#max = max;
    this.#send = send;
  }

  /** Adds a request to a group. */
  send(name: string, request: Request): Promise<Response> {
    return new Promise((resolve, reject) => {
      const group = this.#groups.get(name) ?? { waiting: [], isSending: false };
      this.#groups.set(name, group);
      group.waiting.push({ request, resolve, reject });
      if (!group.isSending) void this.#sendAll(name, group);
    });
  }

  async #sendAll(name: string, group: Group<Request, Response>): Promise<void> {
    group.isSending = true;
    while (group.waiting.length > 0) {
      // Other requests of this turn follow.
      await new Promise(setImmediate);
      await this.#sendNext(group.waiting.splice(0, this.#max));
    }
    this.#groups.delete(name);
  }

  async #sendNext(waiting: readonly Waiting<Request, Response>[]): Promise<void> {
    const [first, ...others] = waiting;
    if (first === undefined) return;
    try {
      const requests = others.map(({ request }) => request);
      const responses = await this.#send([first.request, ...requests]);
      for (const [index, { resolve }] of waiting.entries()) resolve(responses[index] as Response);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
