import { parse, serialize } from 'hono/utils/cookie';
import { isLoopback } from '../desk/check-url.ts';

/** The cookies of a desk. Scripts and other sites cannot read them. */
export class Cookies {
  readonly #isSecure: boolean;

  /** @param url - The public address of the desk. */
  constructor(url: string) {
    const address = new URL(url);
    // Browsers reject the prefix `__Host-` for an address without TLS.
    this.#isSecure = !(address.protocol === 'http:' && isLoopback(address));
  }

  /** Returns the value of a cookie of a request. */
  read({ headers }: Request, name: string): string | undefined {
    const full = this.#nameOf(name);
    return parse(headers.get('cookie') ?? '', full)[full];
  }

  /**
   * Returns the header that sets a cookie. Browsers send the cookie when a person follows a link
   * from an e-mail or a chat. They do not send it with other requests that another site causes.
   */
  keep(name: string, value: string, maxAgeMs: number): string {
    return this.#serialize(name, value, Math.floor(maxAgeMs / 1_000));
  }

  /** Returns the header that removes a cookie. */
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
