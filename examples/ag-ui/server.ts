// The server: one endpoint for AG-UI clients.
import type { AddressInfo } from 'node:net';
import { serve, type ServerType } from '@hono/node-server';
import { Hono } from 'hono';
import { messageCodec } from 'holdpoint';
import { agUiHandler } from 'holdpoint/ag-ui';
import { support } from './agent.ts';

/** The threads as JSON, by their id. Use a table of your database. */
const conversations = new Map<string, string>();

/** Returns the user of a request. Use the session of your application. */
function userOf(request: Request): string | undefined {
  return request.headers.get('authorization') === 'Bearer ada' ? 'ada' : undefined;
}

// #region handler
const handle = agUiHandler({
  agent: support,
  authorize(request, threadId) {
    const user = userOf(request);
    return user === undefined ? undefined : { conversationId: `${user}/${threadId}` };
  },
  load({ conversationId }) {
    const text = conversations.get(conversationId);
    return text === undefined ? undefined : messageCodec.parse(text);
  },
  save({ conversationId }, messages) {
    conversations.set(conversationId, messageCodec.stringify(messages));
  },
  onError: (error) => console.error(error),
});

const app = new Hono();
app.post('/agent', (context) => handle(context.req.raw));
app.get('/agent/:threadId', (context) => handle(context.req.raw));
// #endregion

/** Starts the server on a free port, and returns its address. */
export function startServer(): Promise<{ server: ServerType; url: string }> {
  return new Promise((resolve) => {
    const server = serve(
      { fetch: app.fetch, port: 0, hostname: '127.0.0.1' },
      ({ port }: AddressInfo) => resolve({ server, url: `http://127.0.0.1:${port}/agent` }),
    );
  });
}
