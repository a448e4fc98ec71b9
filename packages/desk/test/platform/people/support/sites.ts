import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';

/** A request that a server received. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
}

/** A server on this machine, with the requests that it received. */
export interface LocalSite extends AsyncDisposable {
  /** Its address by number. */
  readonly url: string;
  /** Its address by name, which is another site for a browser. */
  readonly otherUrl: string;
  readonly seen: readonly Seen[];
  respond: (request: Request) => Response | Promise<Response>;
}

export async function openSite(): Promise<LocalSite> {
  const seen: Seen[] = [];
  const listener = getRequestListener((request) => {
    const { method, url, headers } = request;
    seen.push({ method, path: url.slice(new URL(url).origin.length), headers });
    return site.respond(request);
  });
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens at a port.
  const { port } = server.address() as AddressInfo;
  const site: LocalSite = {
    url: `http://127.0.0.1:${port}`,
    otherUrl: `http://localhost:${port}`,
    seen,
    respond: () => new Response(null, { status: 404 }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
  return site;
}

/** A page of a site. */
export function htmlResponse(body: string): Response {
  const text = `<!doctype html><html lang="en"><title>Elsewhere</title><body>${body}</body></html>`;
  return new Response(text, { headers: { 'content-type': 'text/html; charset=utf-8' } });
}
