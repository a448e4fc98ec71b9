// A desk on a SQLite file: a run parks there without a process, an approver decides, and a worker resumes it
// from the file.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  exportAudit,
  fromAuditLines,
  HoldSettledError,
  openDesk,
  signTenantAudit,
  sqliteStore,
  toAuditLines,
  verifyAudit,
} from '@holdpoint/desk';
import { deskClient } from '@holdpoint/desk/client';
import { Agent, type RunContext, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'));
const path = join(folder, 'desk.sqlite');

/** The payments of the tools. */
const done: string[] = [];

interface Deps {
  readonly pay: (order: string, euros: number) => void;
}

// #region agent
const refund = tool({
  name: 'refund',
  inputSchema: z.object({ order: z.string(), euros: z.number().positive() }),
  requiresApproval: true,
  preview: ({ order, euros }) => `Refund €${euros} for order ${order}`,
  execute({ order, euros }, { deps }: RunContext<Deps>) {
    deps.pay(order, euros);
    return `Refunded €${euros} for order ${order}.`;
  },
});
// #endregion

// #region marks
const readOrder = tool({
  name: 'read_order',
  inputSchema: z.object({ order: z.string() }),
  readOnly: true,
  execute: ({ order }) => `Order ${order}: a lamp, €40.`,
});
// #endregion

/** Reads the order, then refunds it. */
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind === 'user-prompt') return calls('read_order', { order: '17' });
  if (last?.kind === 'tool-return' && last.toolName === 'read_order') {
    return calls('refund', { order: '17', euros: 40 });
  }
  const isExpired = last?.kind === 'tool-return' && last.outcome === 'expired';
  return says(isExpired ? 'The refund was not decided in time.' : 'Done.');
});

// #region agent
const agent = new Agent({ model, tools: [refund, readOrder] });
// #endregion
const pay: Deps['pay'] = (order, euros) => done.push(`${euros} for ${order}`);

// #region open
const store = await sqliteStore({ path });
const desk = openDesk({
  store,
  agents: { support: { agent, deps: () => ({ pay }) } },
});
const runId = await desk.start('support', 'The lamp in order 17 is broken.', {
  requester: { id: 'ada', name: 'Ada' },
});
// #endregion

assert.equal((await desk.run(runId)).state, 'ready', 'the run is stored, and nothing was executed');

{
  // #region work
  const run = await desk.work({ runId });
  // #endregion
  assert.equal(run.state, 'parked');
}

// #region decide
const { items } = await desk.holds();
for (const hold of items) {
  // Show hold.toolName, hold.args and hold.preview to an approver, and send their digest with the decision.
  const { id, digest } = hold;
  await desk.decide(id, { kind: 'approve' }, { by: { id: 'grace' }, digest });
}
// #endregion

assert.deepEqual(done, [], 'a decision executes nothing by itself');

{
  // #region decided-twice
  const [{ id, digest } = assert.fail()] = items;
  try {
    await desk.decide(id, { kind: 'deny' }, { by: { id: 'eve' }, digest });
  } catch (error) {
    if (!(error instanceof HoldSettledError)) throw error;
    console.log(`${error.decision?.by.id} decided first: ${error.decision?.decision.kind}`);
  }
  // #endregion
}

{
  // #region start-worker
  const stop = new AbortController();
  const working = desk.startWorker({ signal: stop.signal, concurrency: 8 });
  // #endregion
  while ((await desk.run(runId)).state !== 'finished') await new Promise(setImmediate);
  stop.abort();
  await working;
}
assert.deepEqual(done, ['40 for 17']);
assert.equal((await desk.run(runId)).output, 'Done.');

{
  // #region idempotent
  const order = { requester: { id: 'ada' }, idempotencyKey: 'mail-4711' };
  const first = await desk.start('support', 'The shade is broken too.', order);
  const second = await desk.start('support', 'The shade is broken too.', order);
  assert.equal(first, second);
  // #endregion
  await desk.work({ runId: first });

  const { conversationId } = await desk.run(first);
  await assert.rejects(desk.message(conversationId, 'Never mind.'), { code: 'open-holds' });
  // #region supersede
  await desk.message(conversationId, 'Never mind, it works again.', {
    requester: { id: 'ada' },
    onOpenHolds: 'supersede',
  });
  // #endregion
  await desk.cancel(first, { by: { id: 'ada' } });
}

{
  // #region expiry
  const expiring = openDesk({
    store,
    agents: { support: { agent, deps: () => ({ pay }) } },
    expiresAfter: ({ toolName }) => (toolName === 'refund' ? 1 : undefined),
  });
  // #endregion
  const id = await expiring.start('support', 'And the bulb.');
  await expiring.work({ runId: id });
  await new Promise((resolve) => {
    setTimeout(resolve, 5);
  });
  assert.equal((await expiring.work({ runId: id })).output, 'The refund was not decided in time.');
  const { items: expired } = await expiring.holds({ runId: id, states: ['consumed'] });
  assert.equal(expired[0]?.outcome, 'expired');
}

{
  // #region notify
  const notifying = openDesk({
    store,
    agents: { support: { agent, deps: () => ({ pay }) } },
    async notify({ kind, runId: about }) {
      if (kind === 'hold-opened') console.log(`Run ${about} needs a decision.`);
    },
  });
  // #endregion
  await notifying.drain();
}

{
  // #region tenants
  const acme = desk.forTenant('acme');
  await assert.rejects(acme.run(runId), { code: 'not-found' });
  // #endregion
}

{
  // #region audit
  for (const { number, kind, by } of await desk.audit(runId)) {
    console.log(number, kind, by?.id ?? '');
  }
  // #endregion
}

{
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const file = join(folder, 'audit.jsonl');
  // #region checkpoint
  const key = { id: '2026-11', privateKey };
  const checkpoint = await signTenantAudit(store, { tenant: 'default', key });
  await writeFile(file, toAuditLines(exportAudit(store, { tenant: 'default' })));
  // #endregion

  // #region verify
  const report = await verifyAudit({
    tenant: 'default',
    entries: fromAuditLines(createReadStream(file)),
    checkpoints: [checkpoint],
    publicKeys: { '2026-11': publicKey },
  });
  for (const { message } of report.problems) console.log(message);
  for (const sentence of report.blindSpots) console.log(sentence);
  // #endregion
  assert.equal(report.status, 'intact');
  assert.equal(report.signedEntries, report.entries);
}

{
  const sessions = new Map([['Bearer of-grace', { id: 'grace' }]]);
  // #region http
  const served = openDesk({
    store,
    agents: { support: { agent, deps: () => ({ pay }) } },
    authorize(request) {
      const person = sessions.get(request.headers.get('authorization') ?? '');
      return person && { tenant: 'default', person };
    },
    redact: { refund: ['order'] },
    http: { notRequester: true },
  });
  // #endregion
  const fetchRun = (headers: Record<string, string>) =>
    served.fetch(new Request(`http://localhost/v1/runs/${runId}`, { headers }));
  assert.equal((await fetchRun({})).status, 401);
  assert.equal((await fetchRun({ authorization: 'Bearer of-grace' })).status, 200);

  const parked = await served.start('support', 'And the cable.', { requester: { id: 'ada' } });
  await served.work({ runId: parked });
  const url = 'http://desk.example';
  const token = 'of-grace';
  const { fetch } = served;
  // #region client
  const client = deskClient({ url, headers: { authorization: `Bearer ${token}` }, fetch });
  const { person } = await client.me();
  for (const { id, digest, toolName } of (await client.holds()).items) {
    console.log(`${person.id} denies ${toolName}.`);
    await client.decide(id, { digest, decision: { kind: 'deny', reason: 'Not today.' } });
  }
  // #endregion
  assert.equal((await served.work({ runId: parked })).state, 'finished');
}

assert.deepEqual(done, ['40 for 17'], 'exactly one refund');
await desk.close();
rmSync(folder, { recursive: true });
console.log('The run was parked in a file, and the refund was paid once.');
