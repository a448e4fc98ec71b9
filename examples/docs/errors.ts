// Errors and their codes. Each part causes the error that it handles.
import assert from 'node:assert/strict';
import {
  Agent,
  AgentError,
  captureRunMessages,
  type DecisionEntry,
  DeferredToolRequests,
  DeferredToolResults,
  fallbackModel,
  LedgerError,
  MemoryLedger,
  type Message,
  ModelError,
  type PendingCall,
  requestsFromMessages,
  tool,
  UserError,
} from 'holdpoint';
import { calls, responds, type ScriptEntry, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const deleted: string[] = [];
const deleteFile = tool({
  name: 'delete_file',
  inputSchema: z.object({ path: z.string() }),
  requiresApproval: true,
  execute({ path }) {
    deleted.push(path);
    return `${path} deleted`;
  },
});

/** Returns an agent whose scripted model calls `delete_file` first. */
function janitor(...rest: ScriptEntry[]) {
  const call = responds(calls('delete_file', { path: 'a.txt' }, { id: 'a' }));
  return new Agent({
    model: scriptedModel(call, ...rest),
    tools: [deleteFile],
    output: [String, DeferredToolRequests],
  });
}

// By code, and as JSON.
{
  const agent = new Agent({ model: scriptedModel(says('Hello.')) });
  const prompt = 'Hi.';
  const respond = (body: unknown) => JSON.stringify(body);
  const runOnce = async (usageLimits?: { requestLimit: number }) => {
    // #region by-code
    try {
      const { output } = await agent.run(prompt, { usageLimits });
      return respond({ output });
    } catch (error) {
      if (!(error instanceof AgentError)) throw error; // from a tool or another library
      if (error.code === 'usage-limit-exceeded')
        return respond({ output: 'The request is too complex.' });
      return respond({ error }); // { name, code, message }
    }
    // #endregion
  };
  assert.equal(
    await runOnce({ requestLimit: 0 }),
    respond({ output: 'The request is too complex.' }),
  );
  assert.equal(await runOnce(), respond({ output: 'Hello.' }));
  const failed = JSON.parse(await runOnce()) as { error: Record<string, string> };
  assert.deepEqual(Object.keys(failed.error), ['name', 'code', 'message']);
  assert.equal(failed.error['code'], 'user-error', 'the script has ended');
}

// `cannot-park`: a call needs approval, and the run has no handler.
{
  const script = [responds(calls('delete_file', { path: 'a.txt' })), says('Done.')];
  const options = { model: scriptedModel(...script), tools: [deleteFile] };
  await assert.rejects(new Agent(options).run('Delete a.txt.'), { code: 'cannot-park' });

  const agent = new Agent({ ...options, model: scriptedModel(...script) });
  const prompt = 'Delete a.txt.';
  const ask = async (call: PendingCall) => call.toolName === 'delete_file';
  // #region handler
  const { output } = await agent.run(prompt, {
    async deferredToolHandler(requests) {
      const decisions: DecisionEntry[] = [];
      for (const call of requests) {
        decisions.push((await ask(call)) ? call.approve() : call.deny('Keep this file.'));
      }
      return requests.buildResults(decisions);
    },
  });
  // #endregion
  assert.equal(output, 'Done.');
}

// `pending-calls`: a new prompt while calls are pending.
{
  const agent = janitor(says('It stays.'));
  const { messages } = await agent.run('Delete a.txt.');
  const prompt = 'Leave it.';
  const show = (requests: DeferredToolRequests | undefined) => requests?.approvals.length;
  const next = async () => {
    // #region pending-calls
    try {
      return await agent.run(prompt, { messageHistory: messages });
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'pending-calls') throw error;
      return show(requestsFromMessages(messages));
    }
    // #endregion
  };
  assert.equal(await next(), 1);

  const cancelled = await agent.run(prompt, { messageHistory: messages, onPendingCalls: 'cancel' });
  assert.equal(cancelled.output, 'It stays.');
}

// `missing-results`, `invalid-results` and `nothing-pending`: results that do not match the calls.
{
  const agent = janitor(says('Done.'));
  const parked = await agent.run('Delete a.txt.');
  assert.ok(parked.status === 'parked');
  const resume = (results: DeferredToolResults) => agent.resume(parked, results);
  await assert.rejects(resume(new DeferredToolResults({})), { code: 'missing-results' });
  await assert.rejects(resume(new DeferredToolResults({ calls: { a: 'deleted' } })), {
    code: 'invalid-results',
    toolCallIds: ['a'],
  });

  const done = await resume(parked.output.buildResults({ approveAll: true }));
  assert.equal(done.output, 'Done.');
  const approval = parked.output.buildResults({ approveAll: true });
  await assert.rejects(agent.resume(done, approval), { code: 'nothing-pending' });
}

// `already-resumed`: with a ledger, a parked run can be resumed once.
{
  const ledger = new MemoryLedger();
  const agent = janitor(says('Done.'), says('Done.'));
  const parked = await agent.run('Delete a.txt.', { durability: { ledger } });
  assert.ok(parked.status === 'parked');
  const results = parked.output.buildResults({ approveAll: true });
  const before = deleted.length;
  const resume = async () => {
    // #region already-resumed
    try {
      const { output } = await agent.resume(parked, results, { durability: { ledger } });
      return { status: 200, output };
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      switch (error.code) {
        case 'already-resumed':
        case 'nothing-pending':
          return { status: 409, output: 'This request was already decided.' };
        case 'call-busy':
          return { status: 409, output: 'The call is executing. Try again later.' };
        case 'invalid-results':
        case 'missing-results':
          return { status: 422, output: error.message };
        default:
          throw error;
      }
    }
    // #endregion
  };
  assert.deepEqual(await resume(), { status: 200, output: 'Done.' });
  assert.equal((await resume()).status, 409);
  assert.equal(deleted.length, before + 1);

  const replayed = await agent.resume(parked, results, {
    durability: { ledger, onAlreadyResumed: 'replay' },
  });
  assert.equal(replayed.output, 'Done.');
  assert.equal(deleted.length, before + 1, 'recorded calls do not execute again');
}

// `outcome-not-settled`: the call executed, and the ledger could not record its outcome.
{
  const ledger = new MemoryLedger();
  const agent = janitor(says('Done.'));
  const parked = await agent.run('Delete a.txt.', { durability: { ledger } });
  assert.ok(parked.status === 'parked');
  const results = parked.output.buildResults({ approveAll: true });
  ledger.settle = async () => {
    throw new Error('The connection is gone.');
  };
  const stored: unknown[] = [];
  const store = (entry: object) => stored.push(entry);
  const resuming = async () => {
    // #region outcome-not-settled
    try {
      return await agent.resume(parked, results, { durability: { ledger } });
    } catch (error) {
      if (error instanceof LedgerError && error.code === 'outcome-not-settled') {
        store({ toolCallId: error.toolCallId, outcome: error.outcome });
      }
      throw error;
    }
    // #endregion
  };
  await assert.rejects(resuming(), { code: 'outcome-not-settled' });
  assert.deepEqual(stored, [
    { toolCallId: 'a', outcome: { kind: 'value', value: 'a.txt deleted' } },
  ]);
}

// `model-error` and `all-models-failed`: use another model.
{
  const first = scriptedModel(new ModelError('It is down.', { modelName: 'first' }));
  const second = scriptedModel(says('Hello.'));
  // #region fallback
  const agent = new Agent({ model: fallbackModel(first, second) });
  // #endregion
  assert.equal((await agent.run('Hi.')).output, 'Hello.');
}

// `unexpected-model-behavior`: the history up to the failure is available.
{
  const agent = new Agent({
    model: scriptedModel(responds(calls('look_up', {})), responds(calls('look_up', {}))),
    tools: [deleteFile],
  });
  const prompt = 'Look it up.';
  const report = (reason: unknown, messages: readonly Message[]) =>
    assert.ok(reason instanceof AgentError && messages.length >= 3);
  // #region captured
  const run = await captureRunMessages(() => agent.run(prompt));
  if (run.status === 'rejected') report(run.reason, run.messages);
  // #endregion
  assert.ok(run.status === 'rejected');
  assert.ok(run.reason instanceof AgentError);
  assert.equal(run.reason.code, 'unexpected-model-behavior');
}

console.log('Every error has its code.');
