import { UserError } from 'holdpoint';
import { checkOptions } from '../../model/check-keys.ts';

/** The address of a desk, and the credentials of the caller. */
export interface DeskClientOptions {
  /** The address of the desk, such as `https://example.com/desk`. */
  readonly url: string;
  /** Headers of every request, such as `{ authorization: 'Bearer …' }`. A function is called for each request. */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>) | undefined;
  /** Sends requests; the global `fetch` by default. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** Throws for unknown options, and for an address that no request could be sent to. */
export function checkClientOptions(options: DeskClientOptions): void {
  checkOptions<DeskClientOptions>('`deskClient`', options, {
    url: true,
    headers: true,
    fetch: true,
  });
  const { url } = options;
  // In a browser, an address is relative to that of the page.
  const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  if (typeof url === 'string' && URL.canParse(url, page)) return;
  throw new UserError(
    `The \`url\` of \`deskClient\` is ${typeof url === 'string' ? `\`${url}\`` : 'not a text'}. ` +
      'Pass the address of the desk, such as `https://example.com/desk`.',
  );
}
