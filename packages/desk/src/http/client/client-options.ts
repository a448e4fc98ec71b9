import { DeskClientError } from './desk-client-error.ts';

/** The address of a desk, and the credentials of the caller. */
export interface DeskClientOptions {
  /** The address of the desk, such as `https://example.com/desk`. */
  readonly url: string;
  /** Headers of every request, such as `{ authorization: 'Bearer …' }`. A function is called for each request. */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>) | undefined;
  /** Sends requests; the global `fetch` by default. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

const KNOWN = ['url', 'headers', 'fetch'];

/**
 * Throws for unknown options, and for an address that no request could be sent to. The error is that of the client,
 * because pages load it without the other modules of a desk.
 */
export function checkClientOptions(options: DeskClientOptions): void {
  // Programs without types pass anything.
  const given: unknown = options;
  if (typeof given !== 'object' || given === null) {
    throw invalid('`deskClient` needs options. Pass an object: { url }.');
  }
  const unknown = Object.keys(given).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    throw invalid(
      `Unknown option \`${unknown}\` of \`deskClient\`. Use one of: ${KNOWN.join(', ')}.`,
    );
  }
  const { url } = options;
  // In a browser, an address is relative to that of the page.
  const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  if (typeof url === 'string' && URL.canParse(url, page)) return;
  const shown = typeof url === 'string' ? `\`${url}\`` : 'not a text';
  throw invalid(
    `The \`url\` of \`deskClient\` is ${shown}. Pass the address of the desk, such as \`https://example.com/desk\`.`,
  );
}

/** No request was sent, so the error has no status of HTTP. */
function invalid(detail: string): DeskClientError {
  return new DeskClientError(0, { code: 'user-error', detail });
}
