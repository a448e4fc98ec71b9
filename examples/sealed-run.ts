// The server returns a parked run as an encrypted token. The browser stores it and sends it back with
// the decisions; the server stores only the ledger.
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
// All servers that resume runs share one ledger. `MemoryLedger` works within a single process.
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
    says('Nothing else.'),
  ),
  tools: [refund],
  output: [String, DeferredToolRequests],
  durability: { ledger },
});

/** Runs the agent, and returns its text or a token. */
async function handlePrompt(prompt: string) {
  // #region seal
  const result = await agent.run(prompt);
  if (result.status === 'finished') return { text: result.output };

  const token = await sealed.seal(result);
  const pendingCalls = Array.from(result.output, ({ toolName, args }) => ({ toolName, args }));
  return { token, pendingCalls };
  // #endregion
}

/** Reads the pending calls from a token. */
async function show(token: string) {
  // #region open
  const { requests, expiresAt } = await sealed.open(token);
  // #endregion
  assert.ok(expiresAt > Date.now());
  return requests;
}

/** Resumes the run of a token with decisions. */
async function handleDecisions(token: string, decisions: string) {
  // #region resume
  try {
    const result = await sealed.resume(agent, token, resultsCodec.parse(decisions));
    return result.status === 'finished'
      ? { status: 200, text: result.output }
      : { status: 200, token: await sealed.seal(result) };
  } catch (error) {
    if (!(error instanceof SealedRunError)) throw error;
    return { status: 400, text: error.message, problem: error.problem };
  }
  // #endregion
}

// The browser receives a token that it cannot read.
const { token = '', pendingCalls } = await handlePrompt('The lamp arrived broken.');
assert.deepEqual(pendingCalls, [{ toolName: 'refund', args: { euros: 40 } }]);
assert.ok(token.length > 1200 && token.length < 1500, `${token.length} characters`);
assert.equal((await show(token)).approvals.length, 1);

// A changed token is rejected, and nothing executes.
const approval = JSON.stringify({
  holdpoint: 'results',
  version: 1,
  approvals: { 'call-1': true },
  calls: {},
  metadata: {},
});
const changed = await handleDecisions(token.replace(/.{9}$/, 'AAAAAAAAA'), approval);
assert.equal(changed.status, 400);
assert.ok(['tampered', 'malformed'].includes(changed.problem ?? ''));
assert.deepEqual(refunded, []);

// The original token resumes the run.
const done = await handleDecisions(token, approval);
assert.equal(done.text, 'You get your 40 euros back.');
assert.deepEqual(refunded, [40]);

// The ledger rejects a second use of the token.
await assert.rejects(handleDecisions(token, approval), { code: 'already-resumed' });
assert.deepEqual(refunded, [40]);

// Tokens stay valid while keys rotate.
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

// A token for one user.
{
  const userId = 'ada';
  // #region user
  const sealedForUser = sealedRuns({
    keys: { '2026-11': SEAL_KEY },
    audience: `shop/${userId}`,
    expiresIn: 60 * 60 * 1000,
    ledger,
  });
  // #endregion
  await assert.rejects(sealedForUser.open(token), { problem: 'wrong-audience' });
}

// A stream also resumes from a token.
{
  const { token: nextToken = '' } = await handlePrompt('So did the shade.');
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

// A finished conversation continues from a token.
{
  const model = scriptedModel(says('Hello.'));
  const finished = await agent.run('Hi.', { model });
  // #region continue
  const conversation = await sealed.seal(finished);
  const next = await agent.run('Thanks.', await sealed.continueOptions(conversation));
  // #endregion
  assert.equal(next.output, 'Nothing else.');
}

// Decryption without Holdpoint.
{
  const key = Buffer.from(SEAL_KEY, 'base64');
  // #region by-hand
  const { payload, protectedHeader } = await jwtDecrypt(token, key, { audience: 'shop' });
  const messages = messageCodec.fromJSON(payload['run']);
  // #endregion
  assert.equal(protectedHeader.kid, '2026-11');
  assert.equal(messages.length, 2);
}

console.log('The token resumed the run once.');
