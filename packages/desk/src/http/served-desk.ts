import { UserError } from 'holdpoint';
import { Desk } from '../desk/desk.ts';
import type { DeskContext } from '../desk/desk-context.ts';
import type { RunRow } from '../model/run-row.ts';
import type { DeskApp } from './desk-app.ts';
import type { DeskAppOptions } from './desk-app-options.ts';

const DEFAULT_TENANT = 'default';

/** A desk that can be served over HTTP. `openDesk` creates it. */
export class ServedDesk<
  Name extends string = string,
  Run extends RunRow = RunRow,
  OutsideTool extends string = string,
> extends Desk<Name, Run, OutsideTool> {
  /**
   * Responds to a request, for the tenant that `authorize` returns. Every server that supports `Request` and
   * `Response` can mount it.
   *
   * @example
   * serve({ fetch: desk.fetch, port: 8080 }) // of @hono/node-server
   */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly #options: DeskAppOptions;
  #isClosed = false;
  #app: Promise<DeskApp> | undefined;

  /** @internal Use `openDesk`. */
  constructor(context: DeskContext, options: DeskAppOptions) {
    super(DEFAULT_TENANT, context);
    this.#options = options;
    this.fetch = async (request) => {
      requireRequest(request);
      return (await this.#load()).fetch(request);
    };
  }

  /**
   * Ends all event streams and opens no other, so that a server can end. `/readyz` fails from then on, and all other
   * requests are served. The store stays open.
   */
  async closeStreams(): Promise<void> {
    this.#isClosed = true;
    (await this.#app)?.closeStreams();
  }

  /** Ends event streams, stops the workers of this process, waits until they have stopped, and closes the store. */
  override async close(): Promise<void> {
    await this.closeStreams();
    await super.close();
  }

  /** A process that serves no requests does not load the HTTP modules. */
  #load(): Promise<DeskApp> {
    this.#app ??= import('./desk-app.ts').then(({ deskApp }) => {
      const app = deskApp(this, this.#options);
      if (this.#isClosed) app.closeStreams();
      return app;
    });
    return this.#app;
  }
}

/** Servers of Node pass their own objects to handlers. */
function requireRequest(request: unknown): void {
  const { url, headers } = Object(request);
  if (typeof url === 'string' && typeof Object(headers).get === 'function') return;
  throw new UserError(
    '`desk.fetch` was called without a `Request`. On Node, pass `desk.fetch` to `serve` of ' +
      '`@hono/node-server`. In Hono, call `desk.fetch(context.req.raw)`.',
  );
}
