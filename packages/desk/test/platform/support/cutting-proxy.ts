import { createServer, type Socket, connect } from 'node:net';
import { once } from 'node:events';

/** A proxy that closes a connection right after it forwarded a text, so that no response arrives. */
export class CuttingProxy implements AsyncDisposable {
  port = 0;
  /** The text. No connection is closed while it is undefined. */
  text: string | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => this.#join(client));
  readonly #target: number;

  constructor(target: number) {
    this.#target = target;
  }

  async open(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1');
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('close', () => server.end());
    server.on('close', () => client.destroy());
    server.on('data', (data) => client.write(data));
    client.on('data', (data) => {
      server.write(data);
      if (this.text !== undefined && data.includes(this.text)) client.destroy();
    });
  }
}
