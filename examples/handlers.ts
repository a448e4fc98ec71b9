// The handlers of the package, and the handler chain.
import assert from 'node:assert/strict';
import {
  Agent,
  decideByRules,
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

/**
 * Creates an agent that deletes two files, requests its location, and returns the results as text.
 */
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

const locate = decideByRules([{ tool: 'get_location', decision: 'Lyon' }]);

// 1. The same decision for every call. An external call cannot be approved or denied, so another handler supplies
//    its result.
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

// 2. Rules: the first rule that matches a call decides it.
{
  // #region rules
  const isDraft = (args: unknown) => String(Object(args).path).startsWith('/drafts/');
  const rules = decideByRules([
    { tool: 'delete_file', args: isDraft, decision: true },
    { tool: 'delete_file', decision: new ToolDenied('Only drafts.') },
    { tool: 'get_location', decision: async (_call, _args, ctx) => lookUp(ctx.signal) },
  ]);
  // #endregion

  async function lookUp(_signal: AbortSignal): Promise<string> {
    return 'Lyon';
  }

  const { output } = await makeAgent().run('Go.', { deferredToolHandler: rules });
  assert.equal(output, 'deleted, Only drafts., Lyon');
  assert.deepEqual(deleted, ['/drafts/a']);
}

// 3. A handler must decide every call, or the run fails. Handlers of capabilities need not.
{
  await assert.rejects(makeAgent().run('Go.', { deferredToolHandler: locate }), {
    code: 'missing-results',
    toolCallIds: ['draft', 'etc'],
  });
  assert.deepEqual(deleted, []);

  const seen: string[][] = [];
  const decideInTerminal: DeferredToolHandler = (requests, ctx) => {
    seen.push([...requests.approvals, ...requests.calls].map((call) => call.toolCallId));
    return denyAll()(requests, ctx);
  };
  const agent = makeAgent();
  // #region chain
  const { output } = await agent.run('Go.', {
    capabilities: [handleDeferredToolCalls(locate)], // decides the calls that it knows
    deferredToolHandler: decideInTerminal, // decides all others
  });
  // #endregion
  assert.deepEqual(seen, [['draft', 'etc']], 'the calls that the chain left pending, in one batch');
  assert.match(output, /denied.*denied.*Lyon/);
}

// 4. Calls that the chain leaves pending park the run.
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

// 5. An error in a handler ends the run. The calls stay pending and can be decided later.
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

// 6. An aborted run does not wait for its handler, and ignores its decisions.
{
  const agent = makeAgent();
  const controller = new AbortController();
  let decideLate = () => {};
  const running = agent.run('Go.', {
    signal: controller.signal,
    deferredToolHandler: async (requests, ctx) => {
      queueMicrotask(() => controller.abort());
      await new Promise<void>((resolve) => {
        decideLate = resolve;
      });
      assert.ok(ctx.signal.aborted);
      return requests.buildResults({ approveAll: true, calls: { location: 'Lyon' } });
    },
  });

  await assert.rejects(running, { name: 'AbortError' });
  decideLate();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(deleted, []);
}

console.log('Every call received its own decision.');
