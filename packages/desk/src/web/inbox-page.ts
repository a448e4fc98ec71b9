import { pageDocument } from './page-document.ts';
import { PAGE_FOLDER, type PageFile, type PageFiles, readPageFiles } from './page-files.ts';
import { PAGE_HEADERS } from './page-headers.ts';

/** The path of the inbox, from the root of the desk. */
export const INBOX_PATH = '/inbox';

const ASSETS = `${INBOX_PATH}/assets/`;

/**
 * The inbox page for approvers. It is the same for all visitors and needs no credentials: the page reads its data
 * from the API, which authenticates the caller.
 */
export class InboxPage {
  readonly #folder: string;
  #files: Promise<PageFiles | undefined> | undefined;

  constructor(folder: string = PAGE_FOLDER) {
    this.#folder = folder;
  }

  /**
   * Responds to a request for the page.
   *
   * @param path - The path from the root of the desk: `/inbox`, or a path below it.
   */
  async respond(request: Request, path: string): Promise<Response> {
    const files = await this.#read();
    if (files === undefined) return text(503, 'The inbox page is not built. Run `npm run build`.');
    if (!path.startsWith(ASSETS)) return documentResponse(files, path);
    const file = files.assets.get(path.slice(ASSETS.length));
    if (file === undefined) return text(404, 'File not found. Reload the page.');
    return fileResponse(file, request);
  }

  /** Reads the files once. If the page is not built yet, the next request reads them again. */
  async #read(): Promise<PageFiles | undefined> {
    this.#files ??= readPageFiles(this.#folder);
    const files = await this.#files;
    if (files === undefined) this.#files = undefined;
    return files;
  }
}

function documentResponse(files: PageFiles, path: string): Response {
  const upwards = '../'.repeat(path.split('/').length - 2);
  return new Response(pageDocument(files, upwards === '' ? './' : upwards), {
    headers: {
      ...PAGE_HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
    },
  });
}

function fileResponse({ mediaType, bytes, gzipped }: PageFile, { headers }: Request): Response {
  const takesGzip = /\bgzip\b/.test(headers.get('accept-encoding') ?? '');
  return new Response(takesGzip ? gzipped : bytes, {
    headers: {
      ...PAGE_HEADERS,
      'content-type': mediaType,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      ...(takesGzip && { 'content-encoding': 'gzip' }),
    },
  });
}

function text(status: number, message: string): Response {
  const headers = { ...PAGE_HEADERS, 'content-type': 'text/plain; charset=utf-8' };
  return new Response(message, { status, headers: { ...headers, 'cache-control': 'no-store' } });
}
