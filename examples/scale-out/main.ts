// Runs the examples of this folder on a Restate server from npm.
import assert from 'node:assert/strict';
import { createServer } from 'node:http2';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEndpointHandler } from '@restatedev/restate-sdk';
import { requestsCodec, resultsCodec } from 'holdpoint';
import { refunds } from './agent.ts';
import { notified, supportCall, supportRun } from './handlers.ts';
import { register, startNodes } from './restate-nodes.ts';

// These ports are probably free.
const [node] = await startNodes(1, 20_000 + 3 * (process.pid % 10_000));
assert.ok(node);

// A desk whose tasks Restate performs.
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-scale-out-'));
const settings = { DESK_FILE: join(folder, 'desk.db'), INGRESS: node.ingress, PORT: '0' };
Object.assign(process.env, settings);
const { desk, served, port } = await import('./serve.ts');
await register(node, `http://127.0.0.1:${port}`);
const { runId } = await import('./start-run.ts');
await desk.waitFor(runId, { timeoutMs: 30_000 });
const [hold] = (await desk.holds({ runId })).items;
assert.ok(hold);
await desk.decide(hold.id, { kind: 'approve' }, { by: { id: 'grace' }, digest: hold.digest });
const run = await desk.waitFor(runId, { timeoutMs: 30_000 });
assert.equal(run.output, 'The customer has the money back.');
await served.close();
await desk.close();
rmSync(folder, { recursive: true });

// Agents inside Restate services.
const server = createServer(
  createEndpointHandler({ services: [supportRun, supportCall], logger() {} }),
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
await register(node, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
const parked = await call('support-run/17/start', 'Refund order 17.');
assert.equal(parked.status, 'parked');
const requests = requestsCodec.parse(String(parked.requests));
const results = requests.buildResults({ approveAll: true });
const finished = await call('support-run/17/resume', resultsCodec.stringify(results));
assert.equal(finished.output, 'The customer has the money back.');

const calling = call('support-call/run', 'Refund order 17.');
while (notified.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
await call(`restate/awakeables/${notified[0]}/resolve`, true);
assert.equal(await calling, 'The customer has the money back.');
assert.deepEqual(refunds, ['17', '17', '17']);
console.log('Three refunds were approved.');
await node[Symbol.asyncDispose]();
process.exit();

async function call(path: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${node?.ingress}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.ok(response.ok, text);
  return text === '' ? {} : JSON.parse(text);
}
