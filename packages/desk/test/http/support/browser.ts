/** The response that a browser received. */
export interface Page {
  readonly status: number;
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
  /** The body, if it is JSON. */
  readonly json: ReturnType<typeof JSON.parse>;
}

type Send = (request: Request) => Promise<Response>;

/**
 * A browser: it stores cookies by host, sends them with every request to the host, follows redirects as `GET`,
 * and reports the origin of a request.
 */
export class Browser {
  readonly cookies: Map<string, Map<string, string>> = new Map();
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Opens an address, also from a link on another site. */
  open(url: string, from: 'none' | 'cross-site' = 'none'): Promise<Page> {
    return this.#navigate(url, { method: 'GET' }, { 'sec-fetch-site': from });
  }

  /** Submits a form of a page of the desk. */
  submit(url: string, form: Record<string, string>): Promise<Page> {
    const headers = { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' };
    return this.#navigate(url, formOf(form), headers);
  }

  /** Sends a form from another site. The browser does not send `lax` cookies. */
  submitFrom(origin: string, url: string, form: Record<string, string>): Promise<Page> {
    const headers = { origin, 'sec-fetch-site': 'cross-site' };
    return this.#navigate(url, formOf(form), headers, { withCookies: false });
  }

  /** Sends a request of a script, with these headers and all cookies. */
  async ask(url: string, init: RequestInit = {}): Promise<Page> {
    return this.#once(url, init, {}, true);
  }

  /** Sends a request of a script of the page itself. */
  own(url: string, body?: unknown): Promise<Page> {
    return this.ask(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        'x-holdpoint-csrf': '1',
        'sec-fetch-site': 'same-origin',
        ...(body !== undefined && {
          'content-type': 'application/json',
          origin: new URL(url).origin,
        }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  cookie(url: string, name: string): string | undefined {
    return this.cookies.get(new URL(url).hostname)?.get(name);
  }

  async #navigate(
    url: string,
    init: RequestInit,
    headers: Record<string, string>,
    { withCookies = true } = {},
  ): Promise<Page> {
    let page = await this.#once(url, init, headers, withCookies);
    for (let hops = 0; hops < 10 && page.status >= 300 && page.status < 400; hops += 1) {
      const next = new URL(page.headers.get('location') ?? '', page.url).href;
      page = await this.#once(next, { method: 'GET' }, { 'sec-fetch-site': 'cross-site' }, true);
    }
    return page;
  }

  async #once(
    url: string,
    init: RequestInit,
    extra: Record<string, string>,
    withCookies: boolean,
  ): Promise<Page> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(extra)) headers.set(name, value);
    const kept = this.cookies.get(new URL(url).hostname);
    if (withCookies && kept !== undefined && kept.size > 0) {
      headers.set('cookie', [...kept].map(([name, value]) => `${name}=${value}`).join('; '));
    }
    const request = new Request(url, { ...init, headers, redirect: 'manual' });
    const response = await this.#send(request);
    this.#keep(url, response.headers);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const { status } = response;
    return {
      status,
      url,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : null,
    };
  }

  #keep(url: string, headers: Headers): void {
    const host = new URL(url).hostname;
    const kept = this.cookies.get(host) ?? new Map<string, string>();
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const [name = '', value = ''] = pair.split('=');
      const isGone = attributes.some((one) => /^max-age=0$|^expires=.* 1970 /i.test(one));
      if (isGone || value === '') kept.delete(name);
      else kept.set(name, value);
    }
    this.cookies.set(host, kept);
  }
}

function formOf(form: Record<string, string>): RequestInit {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method: 'POST', headers, body: new URLSearchParams(form).toString() };
}
