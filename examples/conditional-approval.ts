// Which calls need approval can depend on their arguments and on the run: four places to say so, and
// two things to do instead of asking.
import assert from 'node:assert/strict';
import {
  Agent,
  ApprovalRequired,
  DeferredToolRequests,
  ModelRetry,
  type RunContext,
  ToolApproved,
  tool,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const output = [String, DeferredToolRequests] as const;

// 1. The tool finds out while it runs. The files that are not protected are written at once.
{
  const written: string[] = [];
  const PROTECTED = new Set(['.env', 'secrets.yaml']);
  const updateFile = tool({
    name: 'update_file',
    inputSchema: z.object({ path: z.string() }),
    execute({ path }, ctx) {
      if (PROTECTED.has(path) && !ctx.toolCallApproved) throw new ApprovalRequired();
      written.push(path); // not protected, or somebody has approved this very call
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

// 2. A function beside the tool decides, before the tool is called; it knows the checked arguments and
//    the deps of the run.
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

// 3. A policy of the agent looks at the calls to all of its tools. It adds to what the tools say, and
//    cannot take anything away.
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

// 4. Whoever approves may change the arguments. They are checked like those of the model, and the
//    history keeps what the model had asked for.
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
      const results = requests.buildResults();
      for (const call of requests.approvals) {
        if (!sendMail.matches(call)) continue;
        const { to } = requests.get(call).args; // typed and checked
        results.approvals[call.toolCallId] = to.startsWith('all@')
          ? new ToolApproved({ overrideArgs: { to: 'team@example.com' } })
          : true;
      }
      return results;
      // #endregion
    },
  });

  const { messages } = await agent.run('Tell everybody.');

  assert.deepEqual(sent, ['team@example.com']);
  assert.match(JSON.stringify(messages), /all@example\.com/);
}

// 5. Do not ask a person what has only one answer: send the model back, or tell it.
{
  const deleted: string[] = [];
  // #region instead
  const deleteFile = tool({
    name: 'delete_file',
    inputSchema: z.object({ path: z.string() }),
    argsValidator({ path }) {
      if (path.includes('..')) throw new ModelRetry('Only paths inside of the project.');
    },
    requiresApproval: ({ path }) => path !== 'gone.txt',
    execute({ path }) {
      if (path === 'gone.txt') return 'There is no such file, so nothing was deleted.';
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

  assert.equal(result.status, 'finished', 'nobody was asked');
  assert.deepEqual(deleted, []);
}

console.log('Only what needs a person asked for one.');
