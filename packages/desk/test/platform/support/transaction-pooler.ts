import type { Socket } from 'node:net';
import { Proxy } from './proxy.ts';

/** A connection to the server, which serves one transaction of a client at a time. */
interface Backend {
  readonly socket: Socket;
  /** The names of the statements that it has parsed. */
  readonly statements: Set<string>;
  client: Client | undefined;
}

/** A connection of an application. */
interface Client {
  readonly socket: Socket;
  /** The `Parse` messages of its named statements. */
  readonly statements: Map<string, Buffer>;
  /** The messages that wait for a connection to the server. */
  readonly waiting: Buffer[];
  backend: Backend | undefined;
  /** For each `Parse` that was sent: true if the client did not send it on this connection. */
  readonly parses: boolean[];
}

/** Options of a {@link TransactionPooler}. */
export interface PoolerOptions {
  /** The port of the server. */
  readonly target: number;
  /** The number of connections to the server that all clients share. */
  readonly max: number;
  /** True to parse named statements again on each connection that needs them, as PgBouncer does since 1.21. */
  readonly tracksStatements: boolean;
}

/**
 * A pooler in transaction mode: each transaction of a client uses any free connection to the server, so nothing that
 * belongs to a session outlasts a transaction. Notifications are not forwarded.
 */
export class TransactionPooler extends Proxy {
  /** The transactions that used another connection than the one before of the same client. */
  moves = 0;
  readonly #options: PoolerOptions;
  readonly #backends: Backend[] = [];
  readonly #queue: Client[] = [];
  readonly #last = new WeakMap<Client, Backend>();

  constructor(options: PoolerOptions) {
    super(options.target);
    this.#options = options;
  }

  /** Passes the sign-in of a client through. Afterwards its connection to the server is shared, or closed. */
  protected override join(socket: Socket, server: Socket): void {
    const backend: Backend = { socket: server, statements: new Set(), client: undefined };
    const client: Client = {
      socket,
      statements: new Map(),
      waiting: [],
      backend: undefined,
      parses: [],
    };
    let isSignedIn = false;
    const fromClient = framesOf((frame) => this.#receive(client, frame));
    socket.on('data', (data) => (isSignedIn ? fromClient(data) : backend.socket.write(data)));
    socket.on('close', () => {
      if (!isSignedIn || client.backend !== undefined) (client.backend ?? backend).socket.destroy();
    });
    const fromServer = framesOf((frame) => {
      if (isSignedIn) return this.#respond(backend, frame);
      socket.write(frame);
      if (!isReady(frame)) return;
      isSignedIn = true;
      if (this.#backends.length >= this.#options.max) backend.socket.end(TERMINATE);
      else this.#release(backend, true);
    });
    backend.socket.on('data', fromServer);
    backend.socket.on('close', () => {
      const index = this.#backends.indexOf(backend);
      if (index >= 0) this.#backends.splice(index, 1);
      if (!isSignedIn || backend.client !== undefined) (backend.client?.socket ?? socket).destroy();
    });
  }

  #receive(client: Client, frame: Buffer): void {
    if (typeOf(frame) === 'X') {
      client.socket.end();
      return;
    }
    if (client.backend !== undefined) return this.#forward(client, client.backend, frame);
    client.waiting.push(frame);
    if (!this.#queue.includes(client)) this.#queue.push(client);
    this.#assign();
  }

  /** Gives waiting clients connections, if possible others than before. */
  #assign(): void {
    for (let client = this.#queue[0]; client !== undefined; client = this.#queue[0]) {
      const last = this.#last.get(client);
      const free = this.#backends.filter((backend) => backend.client === undefined);
      const backend = free.find((one) => one !== last) ?? free[0];
      if (backend === undefined) return;
      this.#queue.shift();
      if (last !== undefined && last !== backend) this.moves += 1;
      this.#last.set(client, backend);
      client.backend = backend;
      backend.client = client;
      for (const frame of client.waiting.splice(0)) this.#forward(client, backend, frame);
    }
  }

  #forward(client: Client, backend: Backend, frame: Buffer): void {
    const name = statementOf(frame);
    if (this.#options.tracksStatements && name !== '') {
      if (typeOf(frame) === 'P') {
        client.statements.set(name, frame);
        // A name depends only on the text, so a statement of another client is the same one.
        if (backend.statements.has(name)) backend.socket.write(closeOf(name));
      } else if (!backend.statements.has(name)) {
        const parse = client.statements.get(name);
        if (parse !== undefined) this.#parse(client, backend, name, parse, true);
      }
    }
    if (typeOf(frame) === 'P') this.#parse(client, backend, name, frame, false);
    else backend.socket.write(frame);
  }

  #parse(client: Client, backend: Backend, name: string, frame: Buffer, isHidden: boolean): void {
    client.parses.push(isHidden);
    backend.statements.add(name);
    backend.socket.write(frame);
  }

  #respond(backend: Backend, frame: Buffer): void {
    const { client } = backend;
    const type = typeOf(frame);
    // Notifications, and responses to messages that the client did not send.
    if (client === undefined || type === 'A' || type === '3') return;
    if (type === '1' && client.parses.shift() === true) return;
    client.socket.write(frame);
    if (!isReady(frame)) return;
    client.parses.splice(0);
    this.#release(backend, frame[5] === IDLE);
  }

  /** Ends the use of a connection by its client after a transaction. */
  #release(backend: Backend, isIdle: boolean): void {
    if (!isIdle) return;
    if (!this.#backends.includes(backend)) this.#backends.push(backend);
    if (backend.client !== undefined) backend.client.backend = undefined;
    backend.client = undefined;
    this.#assign();
  }
}

const IDLE = 'I'.charCodeAt(0);
const TERMINATE = Buffer.from([...Buffer.from('X'), 0, 0, 0, 4]);

/** Returns a function that splits data into messages: a letter, a length and the rest. */
function framesOf(receive: (frame: Buffer) => void): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (data) => {
    rest = Buffer.concat([rest, data]);
    for (
      let length = lengthOf(rest);
      length !== undefined && rest.length >= length;
      length = lengthOf(rest)
    ) {
      const frame = rest.subarray(0, length);
      rest = rest.subarray(length);
      receive(Buffer.from(frame));
    }
  };
}

function lengthOf(data: Buffer): number | undefined {
  return data.length < 5 ? undefined : data.readInt32BE(1) + 1;
}

function typeOf(frame: Buffer): string {
  return String.fromCharCode(frame[0] ?? 0);
}

function isReady(frame: Buffer): boolean {
  return typeOf(frame) === 'Z';
}

/** Returns the name of the statement that a message parses, describes or binds; empty if it has none. */
function statementOf(frame: Buffer): string {
  const type = typeOf(frame);
  if (type === 'P') return textAt(frame, 5);
  // The name of the portal comes first.
  if (type === 'B') return textAt(frame, 5 + textAt(frame, 5).length + 1);
  return type === 'D' && frame[5] === 'S'.charCodeAt(0) ? textAt(frame, 6) : '';
}

function textAt(frame: Buffer, start: number): string {
  return frame.toString('latin1', start, frame.indexOf(0, start));
}

/** Returns a message that closes a statement. */
function closeOf(name: string): Buffer {
  const body = Buffer.from(`S${name}\0`, 'latin1');
  const head = Buffer.alloc(5);
  head.write('C');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
