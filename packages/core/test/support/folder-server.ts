import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { started, type StaticServer } from './static-server.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** Serves the files of a folder on a free port, as a web server does; dispose of it at the end of the test. */
export async function serveFolder(folder: string): Promise<StaticServer> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const path =
      normalize(decodeURIComponent(pathname)) + (pathname.endsWith('/') ? 'index.html' : '');
    try {
      const body = await readFile(join(folder, path));
      response.writeHead(200, { 'content-type': MEDIA_TYPES[extname(path)] ?? 'text/plain' });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return started(server);
}
