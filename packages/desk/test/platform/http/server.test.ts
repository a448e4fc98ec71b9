import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getRequestListener, serve } from '@hono/node-server';
import { sqliteStore, type Store } from '@holdpoint/desk';
import { deskClient } from '@holdpoint/desk/client';
import { contextOf } from '../../../src/desk/desk-reader.ts';
import type { DeskAppOptions } from '../../../src/http/desk-app-options.ts';
import { describe, expect, it } from 'vitest';
import { headersOf, type Site, siteOn } from '../../http/support/site.ts';

interface Served extends AsyncDisposable {
  readonly site: Site;
  readonly store: Store;
  /** The number of connected clients. */
  readonly connections: () => Promise<number>;
  readonly port: number;
  readonly url: string;
}

async function served(options: DeskAppOptions = {}): Promise<Served> {
  const store = await sqliteStore();
  const site = siteOn(store, options);
  const server = serve({ fetch: site.app.fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    site,
    store,
    connections: promisify(server.getConnections.bind(server)),
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      await site.app.closeStreams();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A connection that requests events. */
class RawStream {
  readonly socket: Socket;
  text = '';

  constructor(port: number, who: string, path = '/v1/events') {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => {});
    this.socket.write(`GET ${path} HTTP/1.1\r\nhost: desk\r\nauthorization: Bearer ${who}\r\n\r\n`);
  }

  read(): this {
    this.socket.on('data', (data) => {
      this.text += data.toString();
    });
    return this;
  }

  get status(): number {
    return Number(this.text.split(' ')[1]);
  }
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempts = 0; !(await isSo()); attempts++) {
    if (attempts > 3_000) throw new Error('It never came to be so.');
    await sleep(20);
  }
}

async function usedHeap(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let turn = 0; turn < 5; turn++) {
    collect();
    await sleep(20);
  }
  return process.memoryUsage().heapUsed;
}

/**
 * Sends a body in pieces, and returns the status. The server may respond before the end of the
 * body.
 */
async function post(url: string, headers: object, pieces: number, size: number): Promise<number> {
  const piece = Buffer.alloc(size, 0x20);
  const request = httpRequest(`${url}/v1/runs`, {
    method: 'POST',
    headers: { ...headersOf('acme/ada'), 'content-type': 'application/json', ...headers },
  });
  const decided = new Promise<number>((resolve, reject) => {
    request.on('response', (response: IncomingMessage) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
  });
  const write = async () => {
    for (let sent = 0; sent < pieces && request.writable; sent++) {
      if (!request.write(piece)) await once(request, 'drain');
    }
    request.end();
  };
  // The server may close the connection before the end of the body.
  void write().catch(() => {});
  return decided.finally(() => request.destroy());
}

describe('a desk on a real server', () => {
  it('is used through the client, with events', async () => {
    await using here = await served();
    const client = deskClient({ url: here.url, headers: headersOf('acme/ada') });
    const stop = new AbortController();
    const kinds: string[] = [];
    const reading = (async () => {
      for await (const { kind } of client.events({ signal: stop.signal })) {
        kinds.push(kind);
        if (kind === 'run-finished') stop.abort();
      }
    })();
    await sleep(200);

    const { id } = await client.start({ agent: 'teller', prompt: 'pay acme' });
    const desk = here.site.desk.forTenant('acme');
    await desk.work({ runId: id });
    const [hold] = (await client.holds()).items;
    await client.decide(hold!.id, { digest: hold!.digest, decision: { kind: 'approve' } });
    await desk.work({ runId: id });
    await reading;

    expect(kinds.toSorted()).toEqual([
      'hold-opened',
      'hold-settled',
      'run-finished',
      'run-started',
    ]);
    expect((await client.run(id)).state).toBe('finished');
  });

  it('is mounted under a path of another server', async () => {
    const { app } = siteOn(await sqliteStore(), { basePath: '/desk' });
    const decision = getRequestListener(app.fetch);
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/desk/') === true) void decision(request, response);
      else response.end('something else');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/desk`;

    const health = await deskClient({ url, headers: headersOf('acme/ada') }).health();

    expect(health).toEqual({ status: 'ok' });
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('something else');
    server.close();
  });

  it('limits 1,000 event streams, sends events to all accepted ones, and frees their memory', async () => {
    await using here = await served({ events: { perTenant: 300, perPerson: 2 } });
    const { site, port } = here;
    const flood = async () => {
      const streams = Array.from({ length: 1_000 }, (_, index) =>
        new RawStream(port, `acme/person-${index}`).read(),
      );
      await until(() => streams.every(({ status }) => status > 0));
      const open = streams.filter(({ status }) => status === 200);
      expect(open).toHaveLength(300);
      expect(streams.filter(({ status }) => status === 429)).toHaveLength(700);

      await site.desk.forTenant('acme').start('teller', 'Hi');
      await until(() => open.every(({ text }) => text.includes('run-started')));
      for (const { socket } of streams) socket.destroy();
      // All streams are free again.
      await until(async () => {
        const after = Array.from({ length: 300 }, (_, index) =>
          new RawStream(port, `acme/later-${index}`).read(),
        );
        await until(() => after.every(({ status }) => status > 0));
        const all = after.every(({ status }) => status === 200);
        for (const { socket } of after) socket.destroy();
        await sleep(100);
        return all;
      });
    };

    await flood();
    const before = await usedHeap();
    await flood();
    await flood();
    const grown = (await usedHeap()) - before;

    expect(grown).toBeLessThan(4_000_000);
  });

  it('streams a run to 1,000 readers, and frees everything when they leave', async () => {
    await using here = await served({ events: { perTenant: 1_000, perPerson: 2 } });
    const { site, port } = here;
    const desk = site.desk.forTenant('acme');
    const { streams } = contextOf(desk);
    const flood = async (count: number) => {
      const runId = await desk.start('teller', 'pay acme');
      const path = `/v1/runs/${runId}/stream?continueWhenParked=true`;
      const readers = Array.from({ length: count }, (_, index) =>
        new RawStream(port, `acme/person-${index}`, path).read(),
      );
      await until(() => readers.every(({ text }) => text.includes('"state":"ready"')));
      expect(streams.feedCount).toBe(1);

      await desk.work({ runId });
      await until(() => readers.every(({ text }) => text.includes('"state":"parked"')));
      // Half of the readers do not read any more.
      for (const { socket } of readers.slice(0, count / 2)) socket.pause();
      await desk.cancel(runId, { by: { id: 'ada' } });
      await until(() => readers.slice(count / 2).every(({ text }) => text.includes('cancelled')));
      expect(readers.at(-1)!.text.match(/event: message/g)).toHaveLength(2);
      for (const { socket } of readers) socket.destroy();
      await until(async () => streams.feedCount === 0 && (await here.connections()) === 0);
    };

    await flood(50);
    const before = await usedHeap();
    await flood(1_000);
    const grown = (await usedHeap()) - before;

    expect(grown).toBeLessThan(4_000_000);
  });

  it('rejects a body of 50 MB without reading it, and serves other requests', async () => {
    await using here = await served();
    const before = process.memoryUsage().rss;
    const MB = 1_000_000;

    expect(await post(here.url, { 'content-length': String(50 * MB) }, 50, MB)).toBe(413);
    expect(await post(here.url, { 'transfer-encoding': 'chunked' }, 50, MB)).toBe(413);

    expect(process.memoryUsage().rss - before).toBeLessThan(60 * MB);
    const client = deskClient({ url: here.url, headers: headersOf('acme/ada') });
    expect(await client.health()).toEqual({ status: 'ok' });
    expect((await client.runs()).items).toEqual([]);
  });

  it('serves other requests while it waits for slow bodies, and ignores incomplete ones', async () => {
    const errors: unknown[] = [];
    await using here = await served({ onError: (error) => errors.push(error) });
    const head = 'POST /v1/runs HTTP/1.1\r\nhost: desk\r\nauthorization: Bearer acme/ada\r\n';
    const slow = Array.from({ length: 50 }, (_, index) => {
      const socket = connect(here.port, '127.0.0.1').on('error', () => {});
      const length = index % 2 === 0 ? 'content-length: 38' : 'transfer-encoding: chunked';
      socket.write(`${head}content-type: application/json\r\n${length}\r\n\r\n`);
      socket.write(index % 2 === 0 ? '{"agent":"teller",' : '12\r\n{"agent":"teller",\r\n');
      return socket;
    });
    await until(async () => (await here.connections()) === 50);
    const client = deskClient({ url: here.url, headers: headersOf('acme/ada') });

    expect(await client.health()).toEqual({ status: 'ok' });
    for (const socket of slow) socket.destroy();
    await until(async () => (await here.connections()) <= 1);
    await sleep(100);

    expect((await client.runs()).items).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('disconnects a client that does not read, and frees its stream', async () => {
    await using here = await served({ events: { perPerson: 1, heartbeatMs: 200 } });
    const { site, port, store } = here;
    const stuck = new RawStream(port, 'acme/ada');
    stuck.socket.pause();
    const other = new RawStream(port, 'acme/grace').read();
    await until(() => other.status === 200);
    expect((await site.ask('acme/ada', 'GET', '/v1/events')).status).toBe(429);
    expect(await here.connections()).toBe(2);

    // More than the buffers of both sides can contain.
    const data = { text: 'x'.repeat(100_000) };
    const runId = await site.desk.forTenant('acme').start('teller', 'Hi');
    for (let index = 0; index < 200; index++) {
      await store.write(async (tx) => {
        const event = { tenant: 'acme', id: `event-${index}`, runId, at: await tx.now() };
        await tx.outbox.insert({ ...event, kind: 'run-started', data });
      });
    }
    await until(async () => (await here.connections()) === 1);

    const again = new RawStream(port, 'acme/ada').read();
    await until(() => again.status === 200);
    await until(() => other.text.includes('"id":"event-199"'));
    for (const { socket } of [stuck, other, again]) socket.destroy();
  });
});
