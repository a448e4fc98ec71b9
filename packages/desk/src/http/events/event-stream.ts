/** How an event stream behaves. */
export interface EventStreamOptions {
  /** How often it shows that it is alive, in milliseconds. */
  readonly heartbeatMs: number;
  /** How long it is open at most: whoever comes again is asked again who they are. */
  readonly longestMs: number;
  /** Called once, when it has ended, whoever has ended it. */
  readonly onEnd: () => void;
}

/** What may wait for a client that reads slowly; it comes again and goes on where it was. */
const MOST_WAITING = 1_000;
/** After so many heartbeats that nobody has read, nobody is there. */
const MOST_UNREAD_HEARTBEATS = 3;

/** Texts that are sent to a client as it takes them. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #options: EventStreamOptions;
  readonly #waiting: string[] = [];
  readonly #encoder = new TextEncoder();
  readonly #heartbeat: NodeJS.Timeout;
  readonly #longest: NodeJS.Timeout;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Has the client take what comes next, if it has taken all that there was. */
  #take: (() => void) | undefined;
  #onDrained: (() => void) | undefined;
  #unread = 0;
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
    this.#longest = setTimeout(() => this.end(), options.longestMs);
    this.#longest.unref();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Sends a text as soon as the client takes it. */
  send(text: string): void {
    if (this.#hasEnded) return;
    this.#waiting.push(text);
    this.#take?.();
    if (this.#waiting.length > MOST_WAITING) this.#giveUp();
  }

  /** Resolves when the client has taken all that was sent, or the stream has ended. */
  async drained(): Promise<void> {
    if (this.#hasEnded || this.#waiting.length === 0) return;
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
      // The client has closed it.
    }
  }

  /** The client does not read: to end properly would wait for it, so the connection is broken off. */
  #giveUp(): void {
    if (!this.#finish()) return;
    this.#controller?.error(new Error('A client does not read its events. It was disconnected.'));
  }

  #finish(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#longest);
    this.#waiting.length = 0;
    this.#take?.();
    this.#onDrained?.();
    this.#options.onEnd();
    return true;
  }

  #pull(): Promise<void> | undefined {
    this.#unread = 0;
    if (this.#waiting.length === 0) {
      return new Promise<void>((resolve) => {
        this.#take = () => {
          this.#take = undefined;
          this.#enqueue();
          resolve();
        };
      });
    }
    this.#enqueue();
    return undefined;
  }

  /** Gives the client all that there is. */
  #enqueue(): void {
    if (this.#waiting.length > 0) {
      this.#controller?.enqueue(this.#encoder.encode(this.#waiting.splice(0).join('')));
    }
    this.#onDrained?.();
    this.#onDrained = undefined;
  }

  #beat(): void {
    this.#unread += 1;
    if (this.#unread > MOST_UNREAD_HEARTBEATS) return this.#giveUp();
    // A client that has not taken the last one needs no other.
    if (this.#take !== undefined) this.send(': still here\n\n');
  }
}
