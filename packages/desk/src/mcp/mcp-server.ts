import type { Readable, Writable } from 'node:stream';
import { createMcpHandler, type McpRequestContext, Server } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { UserError } from 'holdpoint';
import { contextOf } from '../desk/desk-reader.ts';
import type { Desk } from '../desk/desk.ts';
import { checkFunction, checkOptions } from '../model/check-keys.ts';
import { CallStates } from './call-state.ts';
import { supportOf } from './client-support.ts';
import { Forms } from './forms.ts';
import {
  checkCaller,
  checkMcpOptions,
  type McpCaller,
  type McpHttpServerOptions,
  type McpServerOptions,
  type McpSettings,
} from './mcp-options.ts';
import { type ServedTools, servedTools } from './served-tools.ts';
import { errorResult, ToolCalls } from './tool-calls.ts';

/** An MCP server for the agents of a desk. */
export interface McpServer {
  /** Returns a handler for requests over HTTP, in both eras of the protocol. */
  http(options: McpHttpServerOptions): (request: Request) => Promise<Response>;
  /** Serves the standard input and output of this process to one caller, until the client disconnects or `close`. */
  stdio(caller: McpCaller, streams?: McpStreams): McpConnection;
}

/** Streams in place of the standard input and output. */
export interface McpStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/** A connection over standard input and output. */
export interface McpConnection {
  close(): Promise<void>;
}

/**
 * Returns an MCP server: each agent is a tool, and each tool of an `approvalGateway` is one. A call is a run of the desk
 * in the name of the caller. While it needs a decision, the client receives the address of the hold, a form if `forms`
 * permits it, or a handle for a later call. Start a worker, too.
 *
 * @example
 * const server = mcpServer(desk, { stateKey })
 * serve({ fetch: server.http({ authorize }) })
 */
export function mcpServer<Name extends string>(
  desk: Desk<Name>,
  options: McpServerOptions<Name>,
): McpServer {
  contextOf(desk);
  const settings = checkMcpOptions(options as McpServerOptions, desk.agents);
  // The names of the agents do not matter from here on.
  const served = desk as Desk;
  let listing: Promise<ServedTools> | undefined;
  const tools = async () => {
    listing ??= servedTools(served, settings);
    try {
      return await listing;
    } catch (error) {
      // The server of a gateway may be available later.
      listing = undefined;
      throw error;
    }
  };
  const connect = (caller: McpCaller, context: McpRequestContext) =>
    createServer({ desk: served, caller, settings, tools }, context);
  return {
    http(httpOptions) {
      checkOptions<McpHttpServerOptions>('`server.http`', httpOptions, { authorize: true });
      const authorize = checkFunction('authorize', httpOptions.authorize);
      if (authorize === undefined) {
        throw new UserError('`server.http` needs `authorize`, which identifies the caller.');
      }
      return async (request) => {
        const found = await authorize(request);
        if (found === undefined) return new Response(null, { status: 401 });
        const caller = checkCaller(found);
        const handler = createMcpHandler((context) => connect(caller, context), {
          onerror: contextOf(desk).onError,
        });
        return handler.fetch(request);
      };
    },
    stdio(caller, { input, output } = { input: process.stdin, output: process.stdout }) {
      const checked = checkCaller(caller);
      return serveStdio((context) => connect(checked, context), {
        onerror: contextOf(desk).onError,
        transport: new StdioServerTransport(input, output),
      });
    },
  };
}

interface ServerDeps {
  readonly desk: Desk;
  readonly caller: McpCaller;
  readonly settings: McpSettings;
  readonly tools: () => Promise<ServedTools>;
}

function createServer(
  { desk, caller, settings, tools }: ServerDeps,
  context: McpRequestContext,
): Server {
  const states = new CallStates(desk, caller, settings);
  const forms = new Forms(desk, caller, settings);
  const server = new Server(
    { name: settings.name, version: '1' },
    {
      capabilities: { tools: {} },
      requestState: { verify: (token, ctx) => states.verify(token, ctx) },
    },
  );
  server.setRequestHandler('tools/list', async () => ({
    tools: [...(await tools()).definitions],
  }));
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const { name, arguments: args } = params;
    const support = supportOf(context, server, ctx);
    try {
      const calls = new ToolCalls({ desk, caller, settings, states, forms, tools: await tools() });
      return await calls.call({ name, args, support, ctx });
    } catch (error) {
      ctx.mcpReq.signal.throwIfAborted();
      const result = errorResult(error);
      contextOf(desk).onError(error);
      return result;
    }
  });
  return server;
}
