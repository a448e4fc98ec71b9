// Building blocks for handlers, and the chain in which they can stand.
import assert from 'node:assert/strict';
import {
  Agent,
  answerByRules,
  approveAll,
  captureRunMessages,
  type DeferredToolHandler,
  DeferredToolRequests,
  denyAll,
  ExternalToolset,
  chainHandlers,
  requestsFromMessages,
  ToolDenied,
  tool,
} from 'holdpoint';
import { handleDeferredToolCalls } from 'holdpoint/capabilities';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

let deleted: string[] = [];
const deleteFile = tool({
  name: 'delete_file',
  inputSchema: z.object({ path: z.string() }),
  requiresApproval: true,
  execute({ path }) {
    deleted.push(path);
    return 'deleted';
  },
});
const browser = new ExternalToolset([{ name: 'get_location' }]);

/** An agent that deletes two files and asks where it is, and then says what it was told. */
function makeAgent() {
  deleted = [];
  return new Agent({
    model: scriptedModel(
      responds(
        calls('delete_file', { path: '/drafts/a' }, { id: 'draft' }),
        calls('delete_file', { path: '/etc/b' }, { id: 'etc' }),
        calls('get_location', {}, { id: 'location' }),
      ),
      ({ messages }) =>
        says(
          (messages.at(-1)?.parts ?? [])
            .map((part) => (part.kind === 'tool-return' ? String(part.content) : part.kind))
            .join(', '),
        ),
    ),
    tools: [deleteFile],
    toolsets: [browser],
  });
}

const locate = answerByRules([{ tool: 'get_location', answer: 'Lyon' }]);

// 1. Everybody gets the same answer. A result from elsewhere is nothing that can be approved or
//    denied, so it needs somebody else to answer.
{
  const approved = await makeAgent().run('Go.', {
    deferredToolHandler: chainHandlers(approveAll(), locate),
  });
  assert.equal(approved.output, 'deleted, deleted, Lyon');
  assert.deepEqual(deleted, ['/drafts/a', '/etc/b']);

  const denied = await makeAgent().run('Go.', {
    deferredToolHandler: chainHandlers(denyAll('Read only.'), locate),
  });
  assert.equal(denied.output, 'Read only., Read only., Lyon');
  assert.deepEqual(deleted, []);
}

// 2. Rules: the first that matches a call answers it.
{
  // #region rules
  const isDraft = (args: unknown) => String(Object(args).path).startsWith('/drafts/');
  const rules = answerByRules([
    { tool: 'delete_file', args: isDraft, answer: true },
    { tool: 'delete_file', answer: new ToolDenied('Only drafts.') },
    { tool: 'get_location', answer: async (_call, _args, ctx) => lookUp(ctx.signal) },
  ]);
  // #endregion

  async function lookUp(_signal: AbortSignal): Promise<string> {
    return 'Lyon';
  }

  const { output } = await makeAgent().run('Go.', { deferredToolHandler: rules });
  assert.equal(output, 'deleted, Only drafts., Lyon');
  assert.deepEqual(deleted, ['/drafts/a']);
}

// 3. A handler answers all of it, or the run fails. The chain in front of it need not.
{
  await assert.rejects(makeAgent().run('Go.', { deferredToolHandler: locate }), {
    code: 'unanswered-calls',
    toolCallIds: ['draft', 'etc'],
  });
  assert.deepEqual(deleted, []);

  const seen: string[][] = [];
  const askInTheTerminal: DeferredToolHandler = (requests, ctx) => {
    seen.push([...requests.approvals, ...requests.calls].map((call) => call.toolCallId));
    return denyAll()(requests, ctx);
  };
  const agent = makeAgent();
  // #region chain
  const { output } = await agent.run('Go.', {
    capabilities: [handleDeferredToolCalls(locate)], // answers what it knows
    deferredToolHandler: askInTheTerminal, // answers everything else
  });
  // #endregion
  assert.deepEqual(seen, [['draft', 'etc']], 'what the chain has left, in one batch');
  assert.match(output, /denied.*denied.*Lyon/);
}

// 4. What the chain leaves open, and nobody has to answer, parks the run. Then only the rest is asked.
{
  const agent = makeAgent();
  const parked = await agent.run('Go.', {
    output: [String, DeferredToolRequests],
    capabilities: [handleDeferredToolCalls(locate)],
  });

  assert.ok(parked.status === 'parked');
  assert.deepEqual(
    parked.output.approvals.map((call) => call.toolCallId),
    ['draft', 'etc'],
  );
  assert.deepEqual(parked.output.calls, []);
}

// 5. A handler that fails ends the run with its error. The calls still wait, and can be answered later.
{
  const agent = makeAgent();
  // #region failure
  const captured = await captureRunMessages(() =>
    agent.run('Go.', {
      deferredToolHandler: () => {
        throw new Error('The terminal was closed.');
      },
    }),
  );
  assert.ok(captured.status === 'rejected');

  const requests = requestsFromMessages(captured.messages);
  // #endregion
  assert.match(String(captured.reason), /The terminal was closed/);
  assert.ok(requests);
  assert.deepEqual(deleted, []);

  const results = requests.buildResults({ approveAll: true, calls: { location: 'Lyon' } });
  assert.equal((await agent.resume(captured, results)).output, 'deleted, deleted, Lyon');
}

// 6. An aborted run does not wait for its handler, and takes no answer from it any more.
{
  const agent = makeAgent();
  const controller = new AbortController();
  let answerLate = () => {};
  const running = agent.run('Go.', {
    signal: controller.signal,
    deferredToolHandler: async (requests, ctx) => {
      queueMicrotask(() => controller.abort());
      await new Promise<void>((resolve) => {
        answerLate = resolve;
      });
      assert.ok(ctx.signal.aborted);
      return requests.buildResults({ approveAll: true, calls: { location: 'Lyon' } });
    },
  });

  await assert.rejects(running, { name: 'AbortError' });
  answerLate();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(deleted, []);
}

console.log('Every call got its answer, and only its own.');
