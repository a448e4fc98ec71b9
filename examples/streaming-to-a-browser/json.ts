import type { IncomingMessage, ServerResponse } from 'node:http';

/** Returns the parsed body, or `undefined` if it is not JSON or longer than the page sends. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  let body = '';
  for await (const piece of request.setEncoding('utf8')) {
    body += piece;
    if (body.length > 1_000_000) return undefined;
  }
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
