import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { Agent as HttpAgent, get, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { closeConnections, rejectWhileStopping, stopAccepting } from './shut-down.ts';

async function listening(respond: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('There is no port.');
  return { server, url: `http://127.0.0.1:${address.port}/` };
}

function request(url: string, agent?: HttpAgent): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, resolve).on('error', reject);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

describe('a server that stops', () => {
  it('finishes a response in flight and accepts no new connection', async () => {
    let complete = () => {};
    const { server, url } = await listening((_, response) => {
      response.write('begun, ');
      complete = () => response.end('ended');
    });
    const response = await request(url);

    const stopped = stopAccepting(server);
    await expect(request(url, new HttpAgent())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    const closed = closeConnections(server, stopped, 60_000);
    complete();

    expect(await textOf(response)).toBe('begun, ended');
    await closed;
  });

  it('closes a connection whose response does not end in time', async () => {
    const { server, url } = await listening((_, response) => void response.write('begun'));
    const response = await request(url);

    await closeConnections(server, stopAccepting(server), 20);

    await expect(textOf(response)).rejects.toThrow('aborted');
  });

  it('rejects a request on an open connection', async () => {
    const { server, url } = await listening(rejectWhileStopping);

    const { statusCode, headers } = await request(url, new HttpAgent({ keepAlive: true }));

    expect(statusCode).toBe(503);
    expect(headers.connection).toBe('close');
    server.close();
  });
});
