// Calls that need approval depending on their arguments or on the run: three places to decide this, edited
// arguments, and two alternatives to an approval request.
import assert from 'node:assert/strict';
import {
  Agent,
  ApprovalRequired,
  DeferredToolRequests,
  ModelRetry,
  type RunContext,
  tool,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const output = [String, DeferredToolRequests] as const;

// 1. The tool decides while it executes. Files that are not protected are written immediately.
{
  const written: string[] = [];
  const PROTECTED = new Set(['.env', 'secrets.yaml']);
  const updateFile = tool({
    name: 'update_file',
    inputSchema: z.object({ path: z.string() }),
    execute({ path }, ctx) {
      if (PROTECTED.has(path) && !ctx.toolCallApproved) throw new ApprovalRequired();
      written.push(path); // not protected, or approved
      return `Updated ${path}`;
    },
  });
  const agent = new Agent({
    model: scriptedModel(
      responds(
        calls('update_file', { path: 'README.md' }),
        calls('update_file', { path: '.env' }, { id: 'env' }),
      ),
      says('Both are up to date.'),
    ),
    tools: [updateFile],
    output,
  });

  const parked = await agent.run('Update README.md and .env');

  assert.ok(parked.status === 'parked');
  assert.deepEqual(written, ['README.md']);

  const done = await agent.resume(parked, parked.output.buildResults({ approvals: { env: true } }));
  assert.equal(done.output, 'Both are up to date.');
  assert.deepEqual(written, ['README.md', '.env']);
}

// 2. A function decides before the tool executes. It receives the validated arguments and the dependencies of
//    the run.
{
  interface Account {
    readonly limit: number;
  }
  // #region function
  const transfer = tool({
    name: 'transfer',
    inputSchema: z.object({ euros: z.number().positive() }),
    requiresApproval: ({ euros }, ctx: RunContext<Account>) => euros > ctx.deps.limit,
    execute: ({ euros }) => `${euros} transferred`,
  });
  // #endregion
  const agent = new Agent({
    model: scriptedModel(
      responds(
        calls('transfer', { euros: 20 }),
        calls('transfer', { euros: 2_000 }, { id: 'big' }),
      ),
    ),
    tools: [transfer],
    output,
  });

  const parked = await agent.run('Pay the bills.', { deps: { limit: 100 } });

  assert.ok(parked.status === 'parked');
  assert.deepEqual(
    parked.output.approvals.map((call) => call.toolCallId),
    ['big'],
  );
}

// 3. A policy of the agent applies to the calls of all its tools. It can add a requirement, never remove one.
{
  const drop = tool({ name: 'drop_table', metadata: { writes: true }, execute: () => 'dropped' });
  const count = tool({ name: 'count_rows', execute: () => 3 });
  // #region policy
  const agent = new Agent({
    model: scriptedModel(responds(calls('drop_table'), calls('count_rows'))),
    tools: [drop, count],
    output: [String, DeferredToolRequests],
    approvalPolicy: (_ctx, definition) => definition.metadata?.['writes'] === true,
  });
  // #endregion

  const parked = await agent.run('Count the rows, then drop the table.');

  assert.ok(parked.status === 'parked');
  assert.deepEqual(
    parked.output.approvals.map((call) => call.toolName),
    ['drop_table'],
  );
}

// 4. The approver may edit the arguments. They are validated like those of the model, and the history keeps the
//    arguments that the model sent.
{
  const sent: string[] = [];
  const sendMail = tool({
    name: 'send_mail',
    inputSchema: z.object({ to: z.email() }),
    requiresApproval: true,
    execute: ({ to }) => void sent.push(to),
  });
  const agent = new Agent({
    model: scriptedModel(calls('send_mail', { to: 'all@example.com' }), says('Sent.')),
    tools: [sendMail],
    deferredToolHandler: (requests) => {
      // #region override
      const decisions = [...requests].map((call) => {
        // `is` types `call.args`.
        const isMassMail = call.is(sendMail) && call.args.to.startsWith('all@');
        return isMassMail ? call.approve({ args: { to: 'team@example.com' } }) : call.approve();
      });
      return requests.buildResults(decisions);
      // #endregion
    },
  });

  const { messages } = await agent.run('Send it to all.');

  assert.deepEqual(sent, ['team@example.com']);
  assert.match(JSON.stringify(messages), /all@example\.com/);
}

// 5. Do not request approval if only one decision is right: send a retry or a result to the model.
{
  const deleted: string[] = [];
  // #region instead
  const deleteFile = tool({
    name: 'delete_file',
    inputSchema: z.object({ path: z.string() }),
    argsValidator({ path }) {
      if (path.includes('..')) throw new ModelRetry('Only paths inside the project are allowed.');
    },
    requiresApproval: ({ path }) => path !== 'gone.txt',
    execute({ path }) {
      if (path === 'gone.txt') return 'The file does not exist, so nothing was deleted.';
      deleted.push(path);
      return `Deleted ${path}`;
    },
  });
  // #endregion
  const agent = new Agent({
    model: scriptedModel(
      calls('delete_file', { path: '../secrets' }),
      calls('delete_file', { path: 'gone.txt' }),
      says('There was nothing to delete.'),
    ),
    tools: [deleteFile],
    output,
  });

  const result = await agent.run('Clean up.');

  assert.equal(result.status, 'finished', 'no approval was requested');
  assert.deepEqual(deleted, []);
}

console.log('Only the calls that need an approver were deferred.');
