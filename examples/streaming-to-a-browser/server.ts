// The server: a page with its scripts, and POST /chat.
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { chat, type Ending } from './chat.ts';
import { sendJson } from './json.ts';

const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript'],
  '/read-events.js': ['read-events.js', 'text/javascript'],
};

/** The page inserts text only, and this policy blocks scripts of the model. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'";

export function chatServer(onEnd: (ending: Ending) => void): Server {
  return createServer((request, response) => {
    route(request, response, onEnd).catch((error: unknown) => {
      console.error(error); // for the operator only
      if (!response.headersSent) sendJson(response, 500, { error: 'Something went wrong.' });
      response.end();
    });
  });
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  onEnd: (ending: Ending) => void,
): Promise<void> {
  const { method, url = '' } = request;
  if (method === 'POST' && url === '/chat') return chat(request, response, onEnd);
  const file = Object.hasOwn(FILES, url) ? FILES[url] : undefined;
  if (method !== 'GET' || file === undefined) {
    return sendJson(response, 404, { error: 'There is nothing here.' });
  }
  const [name, type] = file;
  const content = await readFile(new URL(`public/${name}`, import.meta.url));
  response.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY }).end(content);
}
