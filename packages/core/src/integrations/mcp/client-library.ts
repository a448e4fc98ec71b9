import { UserError } from '../../errors/user-errors.ts';
import { messageOf } from '../../errors/thrown.ts';

/**
 * What is used of `@modelcontextprotocol/client`, by shape: the package is an optional peer, and our
 * published types import nothing. A test compiles the package against it.
 */
export interface ClientLibrary {
  readonly Client: new (info: { readonly name: string; readonly version: string }) => Client;
  readonly StreamableHTTPClientTransport: new (
    url: URL,
    options: {
      readonly requestInit: { readonly headers: Record<string, string> };
      readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
    },
  ) => McpTransport;
  /** A server's answer that is an error. */
  readonly ProtocolError: ErrorClass<{ readonly data?: unknown }>;
  /** Something that went wrong on this side. */
  readonly SdkError: ErrorClass<{ readonly code: string }>;
}

type ErrorClass<Fields> = abstract new (...args: never) => Error & Fields;

/** One connection to a server. */
export interface Client {
  onclose?: (() => void) | undefined;
  connect(transport: McpTransport, options: RequestOptions): Promise<void>;
  request(request: Request, resultSchema: AnyResult, options: RequestOptions): Promise<unknown>;
  setNotificationHandler(method: 'notifications/tools/list_changed', handler: () => void): void;
  getServerVersion(): { readonly name: string; readonly version: string } | undefined;
  getServerCapabilities(): { readonly tools?: object | undefined } | undefined;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

/** A request that servers understand. */
export interface Request {
  readonly method: 'tools/list' | 'tools/call';
  readonly params: Record<string, unknown>;
}

/** How long to wait for an answer, and who wants to know meanwhile. */
export interface RequestOptions {
  readonly timeout: number;
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
  readonly resetTimeoutOnProgress?: boolean;
}

/** How far a call has come. */
export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** A schema that lets everything pass: results are read by us, so that mistakes are told by their place. */
export interface AnyResult {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
  };
}

/** What carries messages to a server and back: any transport of `@modelcontextprotocol/client`. */
export interface McpTransport {
  /** Begins to carry messages. */
  start(): Promise<void>;
  /** Carries one message to the server. */
  send(message: object, options?: object): Promise<void>;
  /** Ends the connection, and what it started. */
  close(): Promise<void>;
}

/** A module with the transport that starts a server as a process. */
export interface StdioLibrary {
  readonly StdioClientTransport: new (options: {
    readonly command: string;
    readonly args: string[];
    readonly env?: Record<string, string>;
    readonly cwd?: string;
    readonly stderr: 'inherit' | 'ignore';
  }) => McpTransport;
}

/** The client of the protocol. */
export async function loadClient(): Promise<ClientLibrary> {
  try {
    // @ts-ignore: This must compile where the package is not installed; a test compares the types.
    return (await import('@modelcontextprotocol/client')) as ClientLibrary;
  } catch (cause) {
    throw missing(cause);
  }
}

/** The part of the client that starts processes. */
export async function loadStdio(): Promise<StdioLibrary> {
  try {
    // A name that bundlers cannot see through: it needs Node, and browsers get this file as well.
    const specifier = '@modelcontextprotocol/client/stdio';
    return await import(/* @vite-ignore */ /* webpackIgnore: true */ specifier);
  } catch (cause) {
    throw missing(cause);
  }
}

function missing(cause: unknown): UserError {
  const reason = messageOf(cause);
  return new UserError(
    `MCP servers need the package @modelcontextprotocol/client, which cannot be loaded: ${reason}\n` +
      'Install it with `npm install @modelcontextprotocol/client`.',
    { cause, code: 'missing-package' },
  );
}
