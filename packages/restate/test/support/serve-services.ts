import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createEndpointHandler, type EndpointOptions } from '@restatedev/restate-sdk';

/** Services that a process serves on loopback. */
export interface ServedServices extends AsyncDisposable {
  readonly url: string;
}

/** Serves Restate services on loopback, on a free port unless one is given. */
export async function serveServices(
  services: EndpointOptions['services'],
  port = 0,
): Promise<ServedServices> {
  const sessions = new Set<{ destroy(): void }>();
  const server = createServer(createEndpointHandler({ services, logger: () => {} }));
  server.on('session', (session) => sessions.add(session));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  // A server on a TCP port has an address object.
  const { port: used } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${used}`,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
