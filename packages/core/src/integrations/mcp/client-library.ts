import { messageOf } from '../../errors/thrown.ts';
import { UserError } from '../../errors/user-errors.ts';

/**
 * The used part of `@modelcontextprotocol/client`, described structurally: the package is an optional peer,
 * and the published types import nothing. A test compiles the package against this interface.
 */
export interface ClientLibrary {
  readonly Client: new (
    info: { readonly name: string; readonly version: string },
    options: {
      readonly versionNegotiation: {
        readonly mode: 'auto' | 'legacy';
        readonly probe: { readonly timeoutMs: number };
      };
      readonly inputRequired: { readonly autoFulfill: boolean };
    },
  ) => Client;
  readonly StreamableHTTPClientTransport: new (
    url: URL,
    options: {
      readonly requestInit: { readonly headers: Record<string, string> };
      readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
    },
  ) => McpTransport;
  /** An error that the server sent. */
  readonly ProtocolError: ErrorClass<{ readonly data?: unknown }>;
  /** An error of the client itself. */
  readonly SdkError: ErrorClass<{ readonly code: string }>;
}

type ErrorClass<Fields> = abstract new (...args: never) => Error & Fields;

/** The client of one connection. */
export interface Client {
  onclose?: (() => void) | undefined;
  connect(transport: McpTransport, options: RequestOptions): Promise<void>;
  request(request: McpRequest, resultSchema: AnyResult, options: RequestOptions): Promise<unknown>;
  setNotificationHandler(method: 'notifications/tools/list_changed', handler: () => void): void;
  getServerVersion(): { readonly name: string; readonly version: string } | undefined;
  getServerCapabilities(): { readonly tools?: object | undefined } | undefined;
  getInstructions(): string | undefined;
  /** `modern` for the revision 2026-07-28 and later. */
  getProtocolEra(): 'modern' | 'legacy' | undefined;
  close(): Promise<void>;
}

/** A request to a server. */
export interface McpRequest {
  readonly method: 'tools/list' | 'tools/call';
  readonly params: Record<string, unknown>;
}

/** Options of one request. */
export interface RequestOptions {
  readonly timeout: number;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
  readonly resetTimeoutOnProgress?: boolean;
  /** Returns a response that requires input, in place of an error. */
  readonly allowInputRequired?: boolean;
}

/** The progress of a call. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** A schema that accepts everything. Results are validated later, with the path of each mistake. */
export interface AnyResult {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
  };
}

/** A transport of `@modelcontextprotocol/client`: it carries messages to a server and back. */
export interface McpTransport {
  /** Opens the connection. */
  start(): Promise<void>;
  /** Sends one message to the server. */
  send(message: object, options?: object): Promise<void>;
  /** Closes the connection, and stops a process that it started. */
  close(): Promise<void>;
}

/** The module with the transport that starts a server as a process. */
export interface StdioLibrary {
  readonly StdioClientTransport: new (options: {
    readonly command: string;
    readonly args: string[];
    readonly env?: Record<string, string>;
    readonly cwd?: string;
    readonly stderr: 'inherit' | 'ignore';
  }) => McpTransport;
}

/** Imports the client of the protocol. */
export async function loadClient(): Promise<ClientLibrary> {
  try {
    // @ts-ignore: This must compile without the package; a test compares the types.
    return (await import('@modelcontextprotocol/client')) as ClientLibrary;
  } catch (cause) {
    throw missingClient(cause);
  }
}

/** Imports the part of the client that starts processes. */
export async function loadStdio(): Promise<StdioLibrary> {
  try {
    // Bundlers must not resolve the name: the module needs Node, and this file also runs in browsers.
    const specifier = '@modelcontextprotocol/client/stdio';
    return await import(/* @vite-ignore */ /* webpackIgnore: true */ specifier);
  } catch (cause) {
    throw missingClient(cause);
  }
}

function missingClient(cause: unknown): UserError {
  const reason = messageOf(cause);
  return new UserError(
    `MCP servers need the package \`@modelcontextprotocol/client\`, which cannot be loaded: ${reason}\n` +
      'Install it with `npm install @modelcontextprotocol/client`.',
    { cause, code: 'missing-package' },
  );
}

/** Optional members of transports. */
interface TransportExtras {
  onmessage?: ((message: object) => void) | undefined;
  /** Notifies the server of the end of the session. */
  terminateSession?(): Promise<void>;
  /** Returns true if the connection must be replaced. */
  isStale?(): boolean;
}

/** A transport of {@link watchTransport}. */
export interface WatchedTransport extends McpTransport {
  /** Returns true if the connection must be replaced. */
  isStale(): boolean;
  /** Returns true if the handshake of the revisions up to 2025-11-25 has begun. */
  hasInitialized(): boolean;
  /** Waits until the server has received all notifications, and ends the session. */
  terminate(): Promise<void>;
}

/** Marks the error responses that {@link watchTransport} creates. */
export const CUT_OFF: object = Object.freeze({});

/**
 * Adds an error response if the stream of a response ends before the response, because the client would
 * wait for it until the timeout. Also tracks notifications, so that closing does not drop them.
 */
export function watchTransport(transport: McpTransport & TransportExtras): WatchedTransport {
  const notifications = new Set<Promise<void>>();
  const send = transport.send.bind(transport);
  let hasInitialized = false;
  const isStale = transport.isStale?.bind(transport) ?? (() => false);
  return Object.assign(transport, {
    isStale,
    hasInitialized: () => hasInitialized,
    send(message: { readonly id?: unknown; readonly method?: unknown }, options?: object) {
      hasInitialized ||= message.method === 'initialize';
      const isRequest = message.id !== undefined && message.method !== undefined;
      const sending = send(message, {
        ...options,
        // The client ignores this response if it already received one.
        onRequestStreamEnd: () => isRequest && transport.onmessage?.(cutOffResponse(message.id)),
      });
      if (!isRequest) {
        const done = sending.catch(() => {}).then(() => void notifications.delete(done));
        notifications.add(done);
      }
      return sending;
    },
    async terminate() {
      for (const notification of notifications) await notification;
      await transport.terminateSession?.();
    },
  });
}

function cutOffResponse(id: unknown): object {
  const error = { code: -32_000, message: 'The stream ended before the response.', data: CUT_OFF };
  return { jsonrpc: '2.0', id, error };
}
