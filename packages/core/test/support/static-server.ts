import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on this machine with a few fixed files. */
export interface StaticServer extends AsyncDisposable {
  /** Its address, without a slash at the end. */
  readonly url: string;
}

/** One file of a {@link StaticServer}. */
export interface StaticFile {
  readonly mediaType: string;
  readonly text: string;
}

/**
 * Serves files by their path on a free port; dispose of it at the end of the test.
 *
 * The pages may only load scripts of this server, and may not evaluate text as code.
 */
export async function serveFiles(
  files: Readonly<Record<string, StaticFile>>,
): Promise<StaticServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const file = Object.hasOwn(files, pathname) ? files[pathname] : undefined;
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': `${file.mediaType}; charset=utf-8`,
      'content-security-policy': "default-src 'none'; script-src 'self'",
    });
    response.end(file.text);
  });
  return started(server);
}

/** Starts a server on a free port of this machine. */
export async function started(server: Server): Promise<StaticServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
