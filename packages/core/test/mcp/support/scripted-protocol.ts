/** A JSON-RPC message. */
export interface RpcMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
    readonly cursor?: string;
    readonly _meta?: { readonly progressToken?: unknown };
  };
}

/** The script of a server, as plain JSON. */
export interface Script {
  readonly info?: { readonly name: string; readonly version: string };
  readonly instructions?: string;
  /** Pages of the tool list, sent unchanged. */
  readonly pages?: readonly unknown[];
  /** Tools of a list with one page, sent unchanged. */
  readonly tools?: readonly unknown[];
  /** True for a server that does not respond to unknown requests. */
  readonly isSilent?: boolean;
  /** True for a server that exits after an unknown request. */
  readonly exitsOnUnknown?: boolean;
  /** Results of calls by tool name, sent unchanged. */
  readonly results?: Readonly<Record<string, unknown>>;
}

/** Operations of a scripted server. */
export interface Peer {
  /** Sends a message to the client. `toMessage` is the message that it belongs to, if any. */
  send(message: object, toMessage?: RpcMessage): void;
  /** Ends the server immediately. */
  exit(): void;
}

/** A tool that accepts any arguments. */
export function looseTool(name: string, more: object = {}): object {
  return { name, inputSchema: { type: 'object' }, ...more };
}

/**
 * A server that follows its script. Tools without a scripted result behave as follows:
 *
 * - `echo` returns its arguments
 * - `grow` adds the tool `grown` to the list, and notifies the client
 * - `slow` reports progress before it returns
 * - `hang` never returns
 * - `die` stops the server
 */
export class ScriptedProtocol {
  readonly #script: Script;
  readonly #peer: Peer;
  #grown = false;

  constructor(script: Script, peer: Peer) {
    this.#script = script;
    this.#peer = peer;
  }

  receive(message: RpcMessage): void {
    const { method, params = {} } = message;
    if (method === 'initialize') this.#respond(message, this.#initialized());
    else if (method === 'tools/list')
      this.#respond(message, this.#list(Number(params.cursor ?? 0)));
    else if (method === 'tools/call') this.#call(message, params);
    else if (message.id !== undefined && !this.#script.isSilent) this.#reject(message);
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

  #call(message: RpcMessage, params: NonNullable<RpcMessage['params']>): void {
    const { name = '' } = params;
    const { results = {} } = this.#script;
    if (Object.hasOwn(results, name)) return this.#respond(message, results[name]);
    switch (name) {
      case 'die':
        return this.#peer.exit();
      case 'hang':
        return;
      case 'grow':
        this.#grown = true;
        this.#peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, message);
        return this.#respond(message, text('grew'));
      case 'slow':
        return this.#progress(message, params._meta?.progressToken, 1);
      case 'echo':
      case 'grown':
        return this.#respond(message, text(JSON.stringify(params.arguments)));
      default:
        this.#peer.send(
          { jsonrpc: '2.0', id: message.id, error: { code: -32_602, message: `No tool ${name}` } },
          message,
        );
    }
  }

  /**
   * Sends five progress reports and then the result. The total time exceeds the timeouts of the
   * tests.
   */
  #progress(message: RpcMessage, progressToken: unknown, progress: number): void {
    setTimeout(() => {
      if (progress > 5) return this.#respond(message, text('slow but sure'));
      const params = { progressToken, progress, total: 5, message: `part ${progress}` };
      this.#peer.send({ jsonrpc: '2.0', method: 'notifications/progress', params }, message);
      this.#progress(message, progressToken, progress + 1);
    }, 100);
  }

  #reject(message: RpcMessage): void {
    if (this.#script.exitsOnUnknown) return this.#peer.exit();
    const error = { code: -32_601, message: 'Method not found' };
    this.#peer.send({ jsonrpc: '2.0', id: message.id, error }, message);
  }

  #respond(message: RpcMessage, result: unknown): void {
    this.#peer.send({ jsonrpc: '2.0', id: message.id, result }, message);
  }
}

/** Returns a result with one text. */
export function text(content: string): object {
  return { content: [{ type: 'text', text: content }] };
}
