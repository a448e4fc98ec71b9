// What goes wrong, told apart by code. Each part provokes the error that it handles.
import assert from 'node:assert/strict';
import {
  Agent,
  AgentError,
  captureRunMessages,
  DeferredToolRequests,
  DeferredToolResults,
  fallbackModel,
  LedgerError,
  MemoryLedger,
  type Message,
  ModelError,
  requestsFromMessages,
  type ToolCallPart,
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
    return `${path} is deleted.`;
  },
});

/** An agent that deletes files, as its script says. */
function janitor(...afterwards: ScriptEntry[]) {
  const asks = responds(calls('delete_file', { path: 'a.txt' }, { id: 'a' }));
  return new Agent({
    model: scriptedModel(asks, ...afterwards),
    tools: [deleteFile],
    output: [String, DeferredToolRequests],
  });
}

// By code, and as JSON.
{
  const agent = new Agent({ model: scriptedModel(says('Hello.')) });
  const prompt = 'Hi.';
  const respond = (body: unknown) => JSON.stringify(body);
  const answer = async (usageLimits?: { requestLimit: number }) => {
    // #region by-code
    try {
      const { output } = await agent.run(prompt, { usageLimits });
      return respond({ output });
    } catch (error) {
      if (!(error instanceof AgentError)) throw error; // from a tool, or from elsewhere
      if (error.code === 'usage-limit-exceeded') return respond({ output: 'That was too much.' });
      return respond({ error }); // { name, code, message }
    }
    // #endregion
  };
  assert.equal(await answer({ requestLimit: 0 }), respond({ output: 'That was too much.' }));
  assert.equal(await answer(), respond({ output: 'Hello.' }));
  const failed = JSON.parse(await answer()) as { error: Record<string, string> };
  assert.deepEqual(Object.keys(failed.error), ['name', 'code', 'message']);
  assert.equal(failed.error['code'], 'user-error', 'the script is over');
}

// `cannot-park`: somebody has to be there for the calls that wait.
{
  const script = [responds(calls('delete_file', { path: 'a.txt' })), says('Done.')];
  const asking = { model: scriptedModel(...script), tools: [deleteFile] };
  await assert.rejects(new Agent(asking).run('Go.'), { code: 'cannot-park' });

  const agent = new Agent({ ...asking, model: scriptedModel(...script) });
  const prompt = 'Go.';
  const ask = async (call: ToolCallPart) => call.toolName === 'delete_file';
  // #region handler
  const { output } = await agent.run(prompt, {
    async deferredToolHandler(requests) {
      const approvals: Record<string, boolean> = {};
      for (const call of requests.approvals) approvals[call.toolCallId] = await ask(call);
      return requests.buildResults({ approvals });
    },
  });
  // #endregion
  assert.equal(output, 'Done.');
}

// `open-calls`: a new prompt while calls wait.
{
  const agent = janitor(says('As you like.'));
  const { messages } = await agent.run('Delete a.txt.');
  const prompt = 'Leave it.';
  const show = (requests: DeferredToolRequests | undefined) => requests?.approvals.length;
  const next = async () => {
    // #region open-calls
    try {
      return await agent.run(prompt, { messageHistory: messages });
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'open-calls') throw error;
      return show(requestsFromMessages(messages));
    }
    // #endregion
  };
  assert.equal(await next(), 1);

  const closed = await agent.run(prompt, { messageHistory: messages, onPendingCalls: 'cancel' });
  assert.equal(closed.output, 'As you like.');
}

// `unanswered-calls`, `refused-answers` and `nothing-waits`: answers that do not fit the calls.
{
  const agent = janitor(says('Done.'));
  const parked = await agent.run('Delete a.txt.');
  assert.ok(parked.status === 'parked');
  const resume = (results: DeferredToolResults) => agent.resume(parked, results);
  await assert.rejects(resume(new DeferredToolResults({})), { code: 'unanswered-calls' });
  await assert.rejects(resume(new DeferredToolResults({ calls: { a: 'gone' } })), {
    code: 'refused-answers',
    toolCallIds: ['a'],
  });

  const done = await resume(parked.output.buildResults({ approveAll: true }));
  assert.equal(done.output, 'Done.');
  const yes = parked.output.buildResults({ approveAll: true });
  await assert.rejects(agent.resume(done, yes), { code: 'nothing-waits' });
}

// `already-resumed`: with a ledger, a parked run goes on once.
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
        case 'nothing-waits':
          return { status: 409, output: 'Somebody has answered before.' };
        case 'call-busy':
          return { status: 409, output: 'It is being done. Look again in a moment.' };
        case 'refused-answers':
        case 'unanswered-calls':
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
  assert.equal(deleted.length, before + 1, 'what is recorded is not run again');
}

// `outcome-not-settled`: the call has run, and the ledger could not be told.
{
  const ledger = new MemoryLedger();
  const agent = janitor(says('Done.'));
  const parked = await agent.run('Delete a.txt.', { durability: { ledger } });
  assert.ok(parked.status === 'parked');
  const results = parked.output.buildResults({ approveAll: true });
  ledger.settle = async () => {
    throw new Error('The connection is gone.');
  };
  const written: unknown[] = [];
  const writeDown = (entry: object) => written.push(entry);
  const resuming = async () => {
    // #region outcome-not-settled
    try {
      return await agent.resume(parked, results, { durability: { ledger } });
    } catch (error) {
      if (error instanceof LedgerError && error.code === 'outcome-not-settled') {
        writeDown({ toolCallId: error.toolCallId, outcome: error.outcome });
      }
      throw error;
    }
    // #endregion
  };
  await assert.rejects(resuming(), { code: 'outcome-not-settled' });
  assert.deepEqual(written, [
    { toolCallId: 'a', outcome: { kind: 'value', value: 'a.txt is deleted.' } },
  ]);
}

// `model-error` and `all-models-failed`: another model may do.
{
  const first = scriptedModel(new ModelError('It is down.', { modelName: 'first' }));
  const second = scriptedModel(says('Hello.'));
  // #region fallback
  const agent = new Agent({ model: fallbackModel(first, second) });
  // #endregion
  assert.equal((await agent.run('Hi.')).output, 'Hello.');
}

// `unexpected-model-behavior`: what the run had until then is not lost.
{
  const agent = new Agent({
    model: scriptedModel(responds(calls('look_up', {})), responds(calls('look_up', {}))),
    tools: [deleteFile],
  });
  const prompt = 'Go.';
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

console.log('Every error said what it was.');
