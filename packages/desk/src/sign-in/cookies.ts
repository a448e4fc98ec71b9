import { parse, serialize } from 'hono/utils/cookie';
import { isLoopback } from '../desk/check-url.ts';

/** Cookies of a desk: for scripts invisible, for other sites of no use. */
export class Cookies {
  readonly #isSecure: boolean;

  /** @param url - Where people reach the desk. */
  constructor(url: string) {
    const address = new URL(url);
    // Browsers keep no cookie with the prefix for an address without TLS.
    this.#isSecure = !(address.protocol === 'http:' && isLoopback(address));
  }

  /** The value of a cookie of a request. */
  read({ headers }: Request, name: string): string | undefined {
    const full = this.#nameOf(name);
    return parse(headers.get('cookie') ?? '', full)[full];
  }

  /**
   * What has a browser keep a cookie. It is sent along when somebody follows a link from a mail or a chat,
   * and never with what another site makes the browser send otherwise.
   */
  keep(name: string, value: string, maxAgeMs: number): string {
    return this.#serialize(name, value, Math.floor(maxAgeMs / 1_000));
  }

  /** What has a browser forget a cookie. */
  forget(name: string): string {
    return this.#serialize(name, '', 0);
  }

  #serialize(name: string, value: string, maxAge: number): string {
    const secure = this.#isSecure;
    const options = { path: '/', httpOnly: true, sameSite: 'Lax', secure, maxAge } as const;
    return serialize(this.#nameOf(name), value, options);
  }

  #nameOf(name: string): string {
    return this.#isSecure ? `__Host-${name}` : name;
  }
}
