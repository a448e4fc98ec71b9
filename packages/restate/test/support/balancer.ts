import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A load balancer: one address for many processes. It forwards each connection to one of them. */
export class Balancer implements AsyncDisposable {
  /** The port to which Restate sends requests. */
  readonly port: number;
  /** The port to which a process connects to be one of the backends. */
  readonly control: number;
  readonly #servers: readonly Server[];
  readonly #sockets: Set<Socket>;

  private constructor(servers: readonly [Server, Server], sockets: Set<Socket>) {
    this.#servers = servers;
    this.#sockets = sockets;
    [this.port = 0, this.control = 0] = servers.map(portOf);
  }

  static async start(): Promise<Balancer> {
    const sockets = new Set<Socket>();
    const backends = new Map<Socket, number>();
    let next = 0;
    const track = (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    };
    const front = createServer((client) => {
      track(client);
      const ports = [...backends.values()];
      const port = ports[next++ % Math.max(ports.length, 1)];
      if (port === undefined) {
        client.destroy();
        return;
      }
      const backend = connect(port, '127.0.0.1');
      track(backend);
      backend.on('close', () => client.destroy());
      client.on('close', () => backend.destroy());
      client.pipe(backend).pipe(client);
    });
    // A process sends its port, and is a backend for as long as the connection is open.
    const control = createServer((socket) => {
      track(socket);
      socket.on('data', (data) => backends.set(socket, Number(String(data))));
      socket.on('close', () => backends.delete(socket));
    });
    for (const server of [front, control]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
    return new Balancer([front, control], sockets);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    for (const server of this.#servers) {
      server.close();
      await once(server, 'close');
    }
  }
}

/** Makes the process that serves on a port a backend, until the process ends. */
export function joinBalancer(control: number, port: number): void {
  const socket = connect(control, '127.0.0.1', () => socket.write(String(port)));
  socket.on('error', () => process.exit());
}

function portOf(server: Server): number {
  // A server on a TCP port has an address object.
  return (server.address() as AddressInfo).port;
}
