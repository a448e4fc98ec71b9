// Agents that delegate to other agents: as tools, from a tool, and with inherited toolsets.
import assert from 'node:assert/strict';
import {
  Agent,
  approveAll,
  DeferredToolRequests,
  FunctionToolset,
  inherit,
  type RunContext,
  tool,
} from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

let deleted: string[] = [];
const deleteFile = tool({
  name: 'delete_file',
  inputSchema: z.object({ path: z.string() }),
  execute({ path }) {
    deleted.push(path);
    return 'deleted';
  },
});

// 1. An agent as a tool. Its calls that need approval park together with the parent run.
{
  const cleaning = scriptedModel(calls('delete_file', { path: 'a.tmp' }), says('Clean.'));
  const leading = scriptedModel(calls('janitor', { prompt: 'Clean up.' }), says('All clean.'));
  // #region as-tool
  const janitor = new Agent({
    name: 'janitor',
    model: cleaning,
    toolsets: [new FunctionToolset([deleteFile]).approvalRequired()],
  });
  const lead = new Agent({
    model: leading,
    tools: [janitor.asTool({ description: 'Removes temporary files.' })],
    output: [String, DeferredToolRequests],
  });

  const parked = await lead.run('Get everything ready.');
  // #endregion

  assert.ok(parked.status === 'parked');
  assert.deepEqual(deleted, []);
  // #region as-tool-resume
  const decisions = [...parked.output].map((call) => {
    console.log(call.path.map(({ toolName }) => toolName).join(' > '), call.toolName, call.args);
    return call.approve();
  });
  const done = await lead.resume(parked, parked.output.buildResults(decisions));
  // #endregion
  assert.equal(done.output, 'All clean.');
  assert.deepEqual(deleted, ['a.tmp']);
  assert.equal(done.usage.requests, 2, 'one more request of each agent');
}

// 2. A tool with its own schema and dependencies.
{
  interface Tenant {
    readonly tenant: string;
  }
  const invoices = tool({
    name: 'invoices',
    execute: (_args, ctx: RunContext<Tenant>) => `none for ${ctx.deps.tenant}`,
  });
  const model = scriptedModel(calls('invoices'), says('Nothing is open.'));
  // #region schema
  const accountant = new Agent({ name: 'accountant', model, tools: [invoices] });
  const openInvoices = accountant.asTool({
    name: 'open_invoices',
    inputSchema: z.object({ year: z.number() }),
    prompt: ({ year }) => `Which invoices of ${year} are open?`,
    deps: (ctx: RunContext<{ user: { tenant: string } }>) => ({ tenant: ctx.deps.user.tenant }),
  });
  // #endregion
  const lead = new Agent({
    model: scriptedModel(calls('open_invoices', { year: 2026 }), says('None.')),
    tools: [openInvoices],
  });

  await lead.run('What is open?', { deps: { user: { tenant: 'acme' } } });

  assert.equal(model.calls[0]?.messages[0]?.parts[0]?.kind, 'user-prompt');
}

// Events of a sub-agent, with the calls that led to them.
{
  const shown: string[] = [];
  const show = (agents: string, text: string) => shown.push(`${agents}: ${text}`);
  const accountant = new Agent({ name: 'accountant', model: scriptedModel(says('Two are open.')) });
  const lead = new Agent({
    model: scriptedModel(calls('accountant', { prompt: 'What is open?' }), says('Two.')),
    tools: [accountant.asTool()],
  });
  // #region events
  const stream = lead.stream('What is open?', { events: { subAgents: true } });
  for await (const event of stream) {
    if (event.kind !== 'sub-agent-event') continue;
    const agents = event.path.map(({ toolName }) => toolName).join(' > ');
    if (event.event.kind === 'text-delta') show(agents, event.event.text);
  }
  // #endregion
  assert.deepEqual(shown, ['accountant: Two are open.']);
}

// 3. A tool that runs an agent itself.
{
  const reviewing = scriptedModel(
    calls('delete_file', { path: 'draft.md' }),
    says('Looks good.'),
    says('Still looks good.'),
  );
  const reviewer = new Agent({
    model: reviewing,
    toolsets: [new FunctionToolset([deleteFile]).approvalRequired()],
  });
  // #region parent
  const review = tool({
    name: 'review',
    inputSchema: z.object({ text: z.string() }),
    async execute({ text }, ctx) {
      const first = await reviewer.run(`Review this: ${text}`, { parent: ctx });
      const second = await reviewer.run('Are you sure?', {
        parent: ctx,
        messageHistory: first.messages,
      });
      return second.output;
    },
  });
  // #endregion
  const lead = new Agent({
    model: scriptedModel(calls('review', { text: 'Hello.' }), says('Reviewed.')),
    tools: [review],
    deferredToolHandler: approveAll(),
  });
  deleted = [];

  const { output, usage } = await lead.run('Have it reviewed.');

  assert.equal(output, 'Reviewed.');
  assert.equal(usage.requests, 2 + 3, 'the usage of both agents');
  assert.deepEqual(deleted, ['draft.md'], 'approved by the handler of the parent run');
}

// 4. An inherited toolset keeps its approval requirements and its dependencies.
{
  interface User {
    readonly user: string;
  }
  const whose = tool({
    name: 'whose',
    execute: (_args, ctx: RunContext<User>) => `the files of ${ctx.deps.user}`,
  });
  const helping = scriptedModel(
    responds(calls('whose'), calls('delete_file', { path: 'b.tmp' })),
    says('Done.'),
  );
  const leading = scriptedModel(calls('helper', { prompt: 'Help.' }), says('Done.'));
  // #region inherit
  const helper = new Agent({ name: 'helper', model: helping, toolsets: [inherit('files')] });
  const lead = new Agent({
    model: leading,
    tools: [helper.asTool({ deps: () => 'the dependencies of the helper' })],
    toolsets: [
      new FunctionToolset([whose, deleteFile], { id: 'files' }).approvalRequired(
        (_ctx, { name }) => name === 'delete_file',
      ),
    ],
    output: [String, DeferredToolRequests],
  });

  const parked = await lead.run('Go.', { deps: { user: 'ada' } });
  // #endregion
  assert.ok(parked.status === 'parked');
  assert.deepEqual(
    parked.output.approvals.map(({ toolName }) => toolName),
    ['delete_file'],
  );

  await lead.resume(parked, parked.output.buildResults({ approveAll: true }), {
    deps: { user: 'ada' },
  });

  const received = helping.calls.at(-1)?.messages.at(-1)?.parts;
  assert.ok(
    received?.some((part) => part.kind === 'tool-return' && part.content === 'the files of ada'),
  );
  assert.deepEqual(deleted, ['draft.md', 'b.tmp']);
}

console.log('Every call that needed approval was approved.');
