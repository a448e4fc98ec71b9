// The server: the page, and the endpoints of the chat.
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { serve, type ServerType } from '@hono/node-server';
import { build } from 'esbuild';
import { Hono } from 'hono';
import { messageCodec } from 'holdpoint';
import { chatHandler } from 'holdpoint/ai-sdk-ui';
import { support } from './agent.ts';

/** The conversations as JSON, by their id. Use a table of your database. */
const conversations = new Map<string, string>();

/** Returns the user of a request. Use the session of your application. */
function userOf(request: Request): string | undefined {
  return request.headers.get('sec-fetch-site') === 'cross-site' ? undefined : 'ada';
}

// #region handler
const chat = chatHandler({
  agent: support,
  authorize(request, chatId) {
    const user = userOf(request);
    return user === undefined ? undefined : { conversationId: `${user}/${chatId}` };
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
app.all('/api/chat', (context) => chat(context.req.raw));
app.all('/api/chat/*', (context) => chat(context.req.raw));
// #endregion

/** Blocks scripts that a model or a user could place into the page. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; img-src data:";

/** Starts the server on a free port, and returns its address. */
export async function startServer(): Promise<{ server: ServerType; url: string }> {
  const script = await bundlePage();
  const document = await readFile(new URL('page/index.html', import.meta.url), 'utf8');
  app.get('/', (context) => context.html(document, 200, { 'content-security-policy': POLICY }));
  app.get('/page.js', (context) =>
    context.body(script, 200, { 'content-type': 'text/javascript' }),
  );
  return new Promise((resolve) => {
    const server = serve(
      { fetch: app.fetch, port: 0, hostname: '127.0.0.1' },
      ({ port }: AddressInfo) => resolve({ server, url: `http://127.0.0.1:${port}` }),
    );
  });
}

async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [new URL('page/main.tsx', import.meta.url).pathname],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    jsx: 'automatic',
    // The sources of this repository; leave it out in your own project.
    conditions: ['holdpoint-source'],
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.text ?? '';
}
