// Files over MCP: reading needs no approval, and a person reviews each change as a diff. The
// approver can also edit the content that the model wants to write.
//
//   npx tsx --conditions=holdpoint-source examples/mcp-filesystem.ts
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Agent,
  type ApprovalDecision,
  DeferredToolRequests,
  type DeferredToolResults,
  ToolApproved,
  type ToolCallPart,
  ToolDenied,
} from 'holdpoint';
import { mcpStdio } from 'holdpoint/mcp';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const live = process.env['HOLDPOINT_MODEL'];
const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-')));
const at = (name: string) => join(folder, name);
await writeFile(at('notes.txt'), 'Buy milk.\n');
await writeFile(at('plan.txt'), 'Sell the house.\n');

const Write = z.object({ path: z.string(), content: z.string() });

const files = mcpStdio({
  id: 'files',
  command: 'npx',
  args: ['-y', '@modelcontextprotocol/server-filesystem', folder],
  stderr: 'ignore',
  trustReadOnlyHints: true, // this server annotates its read-only tools correctly
});
const agent = new Agent({
  model:
    live ||
    scriptedModel(
      responds(
        calls('read_text_file', { path: at('notes.txt') }),
        calls('write_file', { path: at('notes.txt'), content: 'Buy milk and bread.\n' }),
        calls('write_file', { path: at('shopping.txt'), content: 'To buy: everything\n' }),
        calls('move_file', { source: at('plan.txt'), destination: at('old-plan.txt') }),
      ),
      calls('write_file', { path: join(folder, '..', 'escaped.txt'), content: 'Hello.' }),
      says('Two files are written, the plan stays where it is.'),
    ),
  instructions: `Your files are in ${folder}.`,
  toolsets: [files],
  output: [String, DeferredToolRequests],
  durability: { digests: true },
});

try {
  await tidyUp();
} finally {
  await rm(folder, { recursive: true });
}

async function tidyUp(): Promise<void> {
  await using _held = await agent.open(); // one server for all runs, until the end of this function
  let result = await agent.run('Add bread to my notes, start a todo list, archive the plan.');
  if (!live) {
    assert.deepEqual(await filesNow(), ['notes.txt', 'plan.txt'], 'nothing is written yet');
    assert.equal(await readFile(at('notes.txt'), 'utf8'), 'Buy milk.\n');
  }
  while (result.status === 'parked') {
    result = await agent.resume(result, await reviewChanges(result.output));
  }
  console.log(result.output);
  if (live) return;

  assert.deepEqual(await filesNow(), ['notes.txt', 'plan.txt', 'shopping.txt']);
  assert.equal(await readFile(at('notes.txt'), 'utf8'), 'Buy milk and bread.\n');
  assert.equal(await readFile(at('shopping.txt'), 'utf8'), 'To buy: bread\n');
  // The call was approved, and the server itself restricts access to its folder.
  await assert.rejects(readFile(join(folder, '..', 'escaped.txt')), { code: 'ENOENT' });
}

/** Replaces an approver who reviews each change. */
async function reviewChanges(requests: DeferredToolRequests): Promise<DeferredToolResults> {
  const approvals: Record<string, ApprovalDecision> = {};
  for (const call of requests.approvals) {
    approvals[call.toolCallId] = await decide(call, requests.get(call).args);
  }
  return requests.buildResults({ approvals });
}

async function decide(call: ToolCallPart, args: unknown): Promise<ApprovalDecision> {
  const write = call.toolName === 'write_file' ? Write.safeParse(args).data : undefined;
  if (write === undefined) return new ToolDenied('Files stay where they are.');
  console.log(`${write.path}\n${await diff(write)}`);
  if (!write.content.startsWith('To buy')) return true;
  return new ToolApproved({ overrideArgs: { ...write, content: 'To buy: bread\n' } });
}

/** Returns the content of the file before and after the change. */
async function diff({ path, content }: z.infer<typeof Write>): Promise<string> {
  const now = await readFile(path, 'utf8').catch(() => '');
  const marked = (mark: string, text: string) => text.replace(/^(?=.)/gm, `${mark} `);
  return marked('-', now) + marked('+', content);
}

async function filesNow(): Promise<string[]> {
  return (await readdir(folder)).toSorted();
}
