/** A message of JSON-RPC, as it is on the wire. */
export interface WireMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly cursor?: string;
    readonly _meta?: { readonly progressToken?: unknown };
  };
}

/** What a scripted server is, and what it says to whom it pleases. Plain JSON. */
export interface Script {
  readonly info?: { readonly name: string; readonly version: string };
  readonly instructions?: string;
  /** What is listed, as it is: the pages of the list. */
  readonly pages?: readonly unknown[];
  /** What is listed in one page, as it is. */
  readonly tools?: readonly unknown[];
  /** What calls are answered with, as it is, by the name of the tool. */
  readonly answers?: Readonly<Record<string, unknown>>;
}

/** What a scripted server can do. */
export interface Peer {
  /** Sends a message to the client; `toMessage` is the one that it belongs to, if it does. */
  send(message: object, toMessage?: WireMessage): void;
  /** Ends the server, at once. */
  exit(): void;
}

/** A tool that takes anything. */
export function looseTool(name: string, more: object = {}): object {
  return { name, inputSchema: { type: 'object' }, ...more };
}

/**
 * A server that keeps to its script. Without an answer there, these tools do something:
 *
 * - `echo` says its arguments
 * - `grow` has the tool `grown` listed from then on, and says so
 * - `slow` reports progress before it answers
 * - `hang` never answers, `die` ends the server
 */
export class ScriptedProtocol {
  readonly #script: Script;
  readonly #peer: Peer;
  #grown = false;

  constructor(script: Script, peer: Peer) {
    this.#script = script;
    this.#peer = peer;
  }

  receive(message: WireMessage): void {
    const { method, params = {} } = message;
    if (method === 'initialize') this.#answer(message, this.#initialized());
    else if (method === 'tools/list') this.#answer(message, this.#list(Number(params.cursor ?? 0)));
    else if (method === 'tools/call') this.#call(message, params);
  }

  #initialized(): object {
    const { info = { name: 'scripted', version: '1.0.0' }, instructions } = this.#script;
    return {
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: true } },
      serverInfo: info,
      instructions,
    };
  }

  #list(page: number): unknown {
    const { pages, tools = [] } = this.#script;
    if (pages !== undefined) return pages[Math.min(page, pages.length - 1)];
    return { tools: this.#grown ? [...tools, looseTool('grown')] : tools };
  }

  #call(message: WireMessage, params: NonNullable<WireMessage['params']>): void {
    const { name = '' } = params;
    const { answers = {} } = this.#script;
    if (Object.hasOwn(answers, name)) return this.#answer(message, answers[name]);
    switch (name) {
      case 'die':
        return this.#peer.exit();
      case 'hang':
        return;
      case 'grow':
        this.#grown = true;
        this.#peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, message);
        return this.#answer(message, text('grew'));
      case 'slow':
        return this.#progress(message, params._meta?.progressToken, 1);
      case 'echo':
      case 'grown':
        return this.#answer(message, text(JSON.stringify(params.arguments)));
      default:
        this.#peer.send(
          { jsonrpc: '2.0', id: message.id, error: { code: -32_602, message: `No tool ${name}` } },
          message,
        );
    }
  }

  /** Five reports, further apart than the timeouts of tests, and then the answer. */
  #progress(message: WireMessage, progressToken: unknown, progress: number): void {
    setTimeout(() => {
      if (progress > 5) return this.#answer(message, text('slow but sure'));
      const params = { progressToken, progress, total: 5, message: `part ${progress}` };
      this.#peer.send({ jsonrpc: '2.0', method: 'notifications/progress', params }, message);
      this.#progress(message, progressToken, progress + 1);
    }, 100);
  }

  #answer(message: WireMessage, result: unknown): void {
    this.#peer.send({ jsonrpc: '2.0', id: message.id, result }, message);
  }
}

/** A result that is one text. */
export function text(content: string): object {
  return { content: [{ type: 'text', text: content }] };
}
