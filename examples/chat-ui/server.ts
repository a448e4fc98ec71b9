// The server: the page, and the endpoints of the chat.
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { serve, type ServerType } from '@hono/node-server';
import { build } from 'esbuild';
import { Hono } from 'hono';
import type { ChatHandler } from 'holdpoint/ai-sdk-ui';

/** Blocks scripts that a model or a user could place into the page. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; img-src data:";

/** The handlers that the server mounts. */
export interface Site {
  readonly chat: ChatHandler;
  /** Serves the inbox below `/desk`. */
  readonly desk?: { fetch(request: Request): Promise<Response> | Response };
}

/** Starts the server on a free port, and returns its address. */
export async function startServer({
  chat,
  desk,
}: Site): Promise<{ server: ServerType; url: string }> {
  const script = await bundlePage();
  const document = await readFile(new URL('page/index.html', import.meta.url), 'utf8');
  // #region routes
  const app = new Hono();
  app.all('/api/chat', (context) => chat(context.req.raw));
  app.all('/api/chat/*', (context) => chat(context.req.raw));
  // #endregion
  if (desk !== undefined) app.all('/desk/*', (context) => desk.fetch(context.req.raw));
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
