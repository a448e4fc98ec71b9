// A parked run leaves the server as a token. The browser keeps it and gives it back with the answers;
// the server keeps nothing but the ledger.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  Agent,
  DeferredToolRequests,
  MemoryLedger,
  messageCodec,
  resultsCodec,
  tool,
} from 'holdpoint';
// #region setup
import { SealedRunError, sealedRuns } from 'holdpoint/sealed';

// #endregion
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { jwtDecrypt } from 'jose';
import { z } from 'zod';

const SEAL_KEY = randomBytes(32).toString('base64');

const refunded: number[] = [];
const refund = tool({
  name: 'refund',
  inputSchema: z.object({ euros: z.number() }),
  requiresApproval: true,
  execute({ euros }) {
    refunded.push(euros);
    return `${euros} euros were refunded.`;
  },
});

// #region setup
// The ledger is shared by all servers that resume runs; one in memory is for a single process.
const ledger = new MemoryLedger();
const sealed = sealedRuns({
  keys: { '2026-11': SEAL_KEY },
  audience: 'shop',
  expiresIn: 60 * 60 * 1000,
  ledger,
});
// #endregion

const agent = new Agent({
  model: scriptedModel(
    calls('refund', { euros: 40 }, { id: 'call-1' }),
    says('You get your 40 euros back.'),
    calls('refund', { euros: 15 }, { id: 'call-2' }),
    says('And another 15.'),
  ),
  tools: [refund],
  output: [String, DeferredToolRequests],
  durability: { ledger },
});

/** What the server answers to a question of a customer. */
async function ask(question: string) {
  // #region seal
  const result = await agent.run(question);
  if (result.status === 'finished') return { text: result.output };

  const token = await sealed.seal(result);
  const questions = Array.from(result.output, ({ toolName, args }) => ({ toolName, args }));
  return { token, questions };
  // #endregion
}

/** What the server shows of a token that comes back later. */
async function show(token: string) {
  // #region open
  const { requests, expiresAt } = await sealed.open(token);
  // #endregion
  assert.ok(expiresAt > Date.now());
  return requests;
}

/** What the server does with the answers. */
async function answer(token: string, answers: string) {
  // #region resume
  try {
    const result = await sealed.resume(agent, token, resultsCodec.parse(answers));
    return result.status === 'finished'
      ? { status: 200, text: result.output }
      : { status: 200, token: await sealed.seal(result) };
  } catch (error) {
    if (!(error instanceof SealedRunError)) throw error;
    return { status: 400, text: error.message, problem: error.problem };
  }
  // #endregion
}

// The browser asks, and gets a token that tells it nothing.
const { token = '', questions } = await ask('The lamp arrived broken.');
assert.deepEqual(questions, [{ toolName: 'refund', args: { euros: 40 } }]);
assert.ok(token.length > 1200 && token.length < 1500, `${token.length} characters`);
assert.equal((await show(token)).approvals.length, 1);

// Somebody has changed it: nothing happens.
const yes = JSON.stringify({
  holdpoint: 'results',
  version: 1,
  approvals: { 'call-1': true },
  calls: {},
  metadata: {},
});
const changed = await answer(token.replace(/.{9}$/, 'AAAAAAAAA'), yes);
assert.equal(changed.status, 400);
assert.ok(['tampered', 'malformed'].includes(changed.problem ?? ''));
assert.deepEqual(refunded, []);

// It comes back as it was: the run goes on.
const done = await answer(token, yes);
assert.equal(done.text, 'You get your 40 euros back.');
assert.deepEqual(refunded, [40]);

// It comes back a second time: the ledger knows it.
await assert.rejects(answer(token, yes), { code: 'already-resumed' });
assert.deepEqual(refunded, [40]);

// Keys change without a token getting lost.
{
  const { NEW_KEY, OLD_KEY } = { NEW_KEY: randomBytes(32), OLD_KEY: SEAL_KEY };
  // #region rotate
  const rotated = sealedRuns({
    keys: { '2026-11': OLD_KEY, '2026-12': NEW_KEY },
    sealWith: '2026-12',
    audience: 'shop',
    expiresIn: 60 * 60 * 1000,
    ledger,
  });
  // #endregion
  assert.equal((await rotated.open(token)).requests.approvals.length, 1);
}

// For one user only.
{
  const userId = 'ada';
  // #region user
  const ofUser = sealedRuns({
    keys: { '2026-11': SEAL_KEY },
    audience: `shop/${userId}`,
    expiresIn: 60 * 60 * 1000,
    ledger,
  });
  // #endregion
  await assert.rejects(ofUser.open(token), { problem: 'wrong-audience' });
}

// A stream goes on from a token, too.
{
  const { token: nextToken = '' } = await ask('So did the shade.');
  const { requests } = await sealed.open(nextToken);
  const results = requests.buildResults({ approveAll: true });
  // #region stream
  const stream = agent.stream(undefined, await sealed.resumeOptions(nextToken, results));
  for await (const text of stream.textStream) process.stdout.write(text);
  // #endregion
  process.stdout.write('\n');
  assert.equal((await stream.result).output, 'And another 15.');
  assert.deepEqual(refunded, [40, 15]);
}

// Without this library.
{
  const key = Buffer.from(SEAL_KEY, 'base64');
  // #region by-hand
  const { payload, protectedHeader } = await jwtDecrypt(token, key, { audience: 'shop' });
  const messages = messageCodec.fromJSON(payload['run']);
  // #endregion
  assert.equal(protectedHeader.kid, '2026-11');
  assert.equal(messages.length, 2);
}

console.log('The token went out and came back, and the money went out once.');
