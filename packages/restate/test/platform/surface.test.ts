import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serve } from '@hono/node-server';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { expect, it } from 'vitest';
import { serveDesk } from '../../src/index.ts';
import { RestateServer } from '../support/restate-server.ts';
import { type Effects, tellerAgent } from '../support/teller.ts';
import { until } from '../support/until.ts';

const CLI = join(import.meta.dirname, '../../../cli/src/bin.ts');

it('serves the HTTP API, the inbox and the CLI while Restate executes the runs', async () => {
  await using server = await RestateServer.start();
  const effects: Effects = { done: [] };
  await using desk = openDesk({
    store: await sqliteStore(),
    agents: { teller: { agent: tellerAgent(effects) } },
    authorize: (request) =>
      request.headers.get('authorization') === 'Bearer secret'
        ? { tenant: 'default', person: { id: 'grace' } }
        : undefined,
  });
  await using served = serveDesk(desk, {
    ingress: server.ingress,
    logger: () => {},
  });
  await server.register(`http://127.0.0.1:${await served.listen(0)}`);
  const http = serve({ fetch: desk.fetch, port: 0, hostname: '127.0.0.1' });
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' };
  const request = async (path: string, body?: object) => {
    const init = body && { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${url}/v1${path}`, { headers, ...init });
    return { status: response.status, body: await response.json() };
  };
  const cli = async (...args: string[]) => {
    const flags = ['--conditions=holdpoint-source', CLI];
    const env = { ...process.env, HOLDPOINT_URL: url, HOLDPOINT_TOKEN: 'secret' };
    return (await promisify(execFile)(process.execPath, [...flags, ...args], { env })).stdout;
  };

  const started = await request('/runs', { agent: 'teller', prompt: 'pay a, pay b' });
  const runId = String(started.body.id);
  await until(async () => {
    const { items } = (await request('/holds')).body;
    return items.length === 2 ? true : undefined;
  });
  const page = await fetch(`${url}/inbox`, { headers });
  const [first, second] = (await desk.holds({ runId })).items;
  const listed = await cli('holds');
  await cli('approve', first?.id ?? '', '--yes');
  const decided = await request(`/holds/${second?.id}/decision`, {
    decision: { kind: 'deny', reason: 'Not today.' },
    digest: second?.digest,
  });
  await until(async () => ((await desk.run(runId)).state === 'finished' ? true : undefined));
  const audit = await cli('audit', 'verify', runId);
  http.close();

  expect([started.status, page.status, decided.status]).toEqual([201, 200, 200]);
  expect(listed).toContain('Pay: a');
  expect(effects.done).toEqual(['a']);
  expect(audit).toMatch(/intact|valid|verified/i);
});
