import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response of a receiver. With `silence` it never responds. */
export type ReceiverResponse =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | 'silence';

/** A local HTTP server that records its requests. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Its response to every request. */
  response: ReceiverResponse;
  /** Returns a copy of a request, as an attacker who recorded it would send it. */
  asRequest(received: Received): Request;
}

export async function openReceiver(path = '/hooks'): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, outgoing) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const single = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    const body = Buffer.concat(chunks).toString();
    received.push({ method, path: url, headers: Object.fromEntries(single), body });
    const { response } = receiver;
    if (response !== 'silence') outgoing.writeHead(response.status, response.headers).end('x');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens at a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const receiver: Receiver = {
    url,
    received,
    response: { status: 204 },
    asRequest: ({ headers, body }) => new Request(url, { method: 'POST', headers, body }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
  return receiver;
}
