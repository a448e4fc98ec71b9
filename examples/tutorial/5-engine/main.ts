// Step 5: Restate performs the tasks of the desk. The program starts a Restate server from npm.
//
//   npx tsx --conditions=holdpoint-source examples/tutorial/5-engine/main.ts
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
// #region engine
import { sqliteStore } from '@holdpoint/desk';
import { serveDesk } from '@holdpoint/restate';
// #endregion
import { register, startNodes } from '../../scale-out/restate-nodes.ts';
import { ADA } from '../2-desk/desk.ts';
import { press } from '../3-channel/channel.ts';
import { openSupportBot } from '../3-channel/support-bot.ts';

// Free ports, most likely.
const [restate = assert.fail()] = await startNodes(1, 20_000 + 3 * (process.pid % 10_000));
// #region engine
const store = await sqliteStore(); // in memory; several machines need `postgresStore`
const { desk, channel, payments, close } = await openSupportBot(store);

// Instead of `desk.startWorker()` or `desk.drain()`:
const served = serveDesk(desk, { ingress: restate.ingress, logger() {} });
const port = await served.listen(0);
await register(restate, `http://127.0.0.1:${port}`);
// #endregion

// #region run
const runId = await desk.start('support', 'Please refund order 42.', { requester: ADA });
assert.equal((await desk.waitFor(runId, { timeoutMs: 30_000 })).state, 'parked');

// Restate delivers the webhook soon after.
while (channel.messages.length === 0) await sleep(50);
await press(desk, channel.messages[0] ?? assert.fail(), 'approve');
const run = await desk.waitFor(runId, { timeoutMs: 30_000 });
assert.equal(run.output, 'Refunded €400 for order 42.');
// #endregion

assert.equal(payments(), '42: 400\n');
await served.close();
await close();
await restate[Symbol.asyncDispose]();
console.log('The same on Restate: one message in the channel, one payment.');
