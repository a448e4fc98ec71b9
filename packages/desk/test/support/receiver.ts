import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that somebody has received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a receiver answers: a status, with a header maybe, or not at all. */
export type Reply =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | 'silence';

/** Somebody on this machine who receives requests. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** What it says to the requests that come. */
  reply: Reply;
  /** The same request once more, as whoever has recorded it would send it. */
  asRequest(received: Received): Request;
}

export async function openReceiver(path = '/hooks'): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const single = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    const body = Buffer.concat(chunks).toString();
    received.push({ method, path: url, headers: Object.fromEntries(single), body });
    const { reply } = receiver;
    if (reply !== 'silence') response.writeHead(reply.status, reply.headers).end('x');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens at a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const receiver: Receiver = {
    url,
    received,
    reply: { status: 204 },
    asRequest: ({ headers, body }) => new Request(url, { method: 'POST', headers, body }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}
