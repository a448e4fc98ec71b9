import { Desk, type DeskInsides } from '../desk/desk.ts';
import type { DeskApp } from './desk-app.ts';
import type { DeskAppOptions } from './desk-app-options.ts';

/** The tenant of a desk that nobody has named one for. */
const DEFAULT_TENANT = 'default';

/** A desk that can be served over HTTP: what `openDesk` gives. */
export class ServedDesk<Name extends string = string> extends Desk<Name> {
  /**
   * Answers a request, for whichever tenant `authorize` says. It can be passed on as it is: every server that
   * knows `Request` and `Response` can mount it.
   *
   * @example
   * serve({ fetch: desk.fetch, port: 8080 }) // of @hono/node-server
   */
  readonly fetch: (request: Request) => Promise<Response>;
  readonly #options: DeskAppOptions;
  #isClosed = false;
  #app: Promise<DeskApp> | undefined;

  /** @internal Use `openDesk`. */
  constructor(insides: DeskInsides, options: DeskAppOptions) {
    super(DEFAULT_TENANT, insides);
    this.#options = options;
    this.fetch = async (request) => (await this.#load()).fetch(request);
  }

  /** Ends all event streams and opens no other, so that a server can end. The store stays open. */
  async closeStreams(): Promise<void> {
    this.#isClosed = true;
    (await this.#app)?.closeStreams();
  }

  /** Whoever does not serve the desk loads nothing for it. */
  #load(): Promise<DeskApp> {
    this.#app ??= import('./desk-app.ts').then(({ deskApp }) => {
      const app = deskApp(this, this.#options);
      if (this.#isClosed) app.closeStreams();
      return app;
    });
    return this.#app;
  }
}
