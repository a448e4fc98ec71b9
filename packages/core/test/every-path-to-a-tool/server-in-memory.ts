import type { McpTransport } from 'holdpoint/mcp';
import { looseTool, ScriptedProtocol, type RpcMessage } from '../mcp/support/scripted-protocol.ts';

/** Creates a transport to an in-process server with one tool; calls `called` when the tool is called. */
export function serverInMemory(toolName: string, called: () => void): () => McpTransport {
  return () => new MemoryTransport(toolName, called);
}

class MemoryTransport implements McpTransport {
  /** Set by the client that the transport is given to. */
  onmessage: ((message: object) => void) | undefined;
  onclose: (() => void) | undefined;
  readonly #called: () => void;
  readonly #protocol: ScriptedProtocol;

  constructor(toolName: string, called: () => void) {
    this.#called = called;
    this.#protocol = new ScriptedProtocol(
      { tools: [looseTool(toolName)] },
      { send: (message) => this.onmessage?.(message), exit: () => this.onclose?.() },
    );
  }

  async start(): Promise<void> {}

  async send(message: object): Promise<void> {
    const { method } = message as RpcMessage;
    if (method === 'tools/call') this.#called();
    // As with a network transport, the response arrives after `send` resolves.
    queueMicrotask(() => this.#protocol.receive(message as RpcMessage));
  }

  async close(): Promise<void> {
    this.onclose?.();
  }
}
