import { pageDocument } from './page-document.ts';
import { PAGE_FOLDER, type PageFile, type PageFiles, readPageFiles } from './page-files.ts';
import { PAGE_HEADERS } from './page-headers.ts';

/** Where the page is, below the beginning of the desk. */
export const INBOX_PATH = '/inbox';

const ASSETS = `${INBOX_PATH}/assets/`;

/**
 * The page for those who answer. It is the same for everybody, and nobody has to be let in to get it:
 * what is in it, it asks the desk for, which asks who wants to know.
 */
export class InboxPage {
  readonly #folder: string;
  #files: Promise<PageFiles | undefined> | undefined;

  constructor(folder: string = PAGE_FOLDER) {
    this.#folder = folder;
  }

  /**
   * Answers a request for the page.
   *
   * @param path - The address, from where the desk begins: `/inbox`, or something below it.
   */
  async respond(request: Request, path: string): Promise<Response> {
    const files = await this.#read();
    if (files === undefined) return text(503, 'The page was not built. Run `npm run build`.');
    if (!path.startsWith(ASSETS)) return documentResponse(files, path);
    const file = files.assets.get(path.slice(ASSETS.length));
    if (file === undefined) return text(404, 'There is no such file. Load the page again.');
    return fileResponse(file, request);
  }

  /** Once it is there it stays as it is. */
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
