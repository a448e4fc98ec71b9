import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a server on this machine. Subclasses forward the data. */
export abstract class Proxy implements AsyncDisposable {
  port = 0;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((client) => this.#accept(client));

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

  /** Joins the connection of a client and a new one to the server. */
  protected abstract join(client: Socket, server: Socket): void;

  #accept(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1');
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      // Messages are forwarded one by one, and must not wait for each other.
      socket.setNoDelay(true);
      socket.on('error', () => {});
    }
    this.join(client, server);
  }
}
