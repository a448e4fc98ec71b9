/** Limits of an event stream. */
export interface EventStreamOptions {
  /** The interval of heartbeats, in milliseconds. */
  readonly heartbeatMs: number;
  /** The maximum duration, in milliseconds. A client that reconnects is authenticated again. */
  readonly maxStreamMs: number;
  /** Called once when the stream ends. */
  readonly onEnd: () => void;
}

/** The maximum number of unread events. A client that reads too slowly is disconnected, and resumes later. */
const MAX_UNREAD = 1_000;
/** A client that does not read this many heartbeats is considered gone. */
const MAX_UNREAD_HEARTBEATS = 3;

/**
 * A stream of text that a client reads at its own pace. The number of unread events and heartbeats is limited,
 * so that a client that does not read costs no memory.
 */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #options: EventStreamOptions;
  readonly #queue: string[] = [];
  readonly #encoder = new TextEncoder();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #end: NodeJS.Timeout;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Set while the client awaits the next text. */
  #deliver: (() => void) | undefined;
  #onDrained: (() => void) | undefined;
  #unreadHeartbeats = 0;
  #hasEnded = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#pull(),
        cancel: () => this.end(),
      },
      { highWaterMark: 0 },
    );
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs);
    this.#heartbeat.unref();
    this.#end = setTimeout(() => this.end(), options.maxStreamMs);
    this.#end.unref();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Sends a text as soon as the client reads. */
  send(text: string): void {
    if (this.#hasEnded) return;
    this.#queue.push(text);
    this.#deliver?.();
    if (this.#queue.length > MAX_UNREAD) this.#disconnect();
  }

  /** Resolves when the client has read everything, or the stream has ended. */
  async drained(): Promise<void> {
    if (this.#hasEnded || this.#queue.length === 0) return;
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
    });
  }

  /** Ends the stream. */
  end(): void {
    if (!this.#finish()) return;
    try {
      this.#controller?.close();
    } catch {
      // The client closed it already.
    }
  }

  /** Disconnects a client that does not read. Closing the stream would wait for the client. */
  #disconnect(): void {
    if (!this.#finish()) return;
    this.#controller?.error(
      new Error('The client does not read its events, so it was disconnected.'),
    );
  }

  #finish(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#end);
    this.#queue.length = 0;
    this.#deliver?.();
    this.#onDrained?.();
    this.#options.onEnd();
    return true;
  }

  #pull(): Promise<void> | undefined {
    this.#unreadHeartbeats = 0;
    if (this.#queue.length === 0) {
      return new Promise<void>((resolve) => {
        this.#deliver = () => {
          this.#deliver = undefined;
          this.#enqueue();
          resolve();
        };
      });
    }
    this.#enqueue();
    return undefined;
  }

  /** Passes all queued text to the client. */
  #enqueue(): void {
    if (this.#queue.length > 0) {
      this.#controller?.enqueue(this.#encoder.encode(this.#queue.splice(0).join('')));
    }
    this.#onDrained?.();
    this.#onDrained = undefined;
  }

  #beat(): void {
    this.#unreadHeartbeats += 1;
    if (this.#unreadHeartbeats > MAX_UNREAD_HEARTBEATS) return this.#disconnect();
    // A client that has not read the last text needs no heartbeat.
    if (this.#deliver !== undefined) this.send(': heartbeat\n\n');
  }
}
