// MCP servers: their tools require approval unless the application trusts them.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SSEClientTransport } from '@modelcontextprotocol/client';
import { Agent, DeferredToolRequests, messageCodec } from 'holdpoint';
// #region stdio
import { mcpHttp, McpServerError, mcpStdio, McpToolset } from 'holdpoint/mcp';
// #endregion
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';

const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdpoint-example-')));
const path = join(folder, 'note.txt');
await writeFile(join(folder, 'plan.txt'), 'Write a note.');

// 1. A server as a child process. Reading executes at once; writing requires approval.
{
  const model = scriptedModel(
    responds(
      calls('read_text_file', { path: join(folder, 'plan.txt') }),
      calls('write_file', { path, content: 'Hello.' }, { id: 'write' }),
    ),
    says('Written.'),
  );
  // #region stdio
  const files = mcpStdio({
    id: 'files',
    command: 'npx',
    args: ['-y', '@modelcontextprotocol/server-filesystem', folder],
    stderr: 'ignore',
    trustReadOnlyHints: true,
  });
  const agent = new Agent({
    model,
    toolsets: [files],
    output: [String, DeferredToolRequests],
  });

  const parked = await agent.run('Follow the plan.');
  // #endregion

  assert.ok(parked.status === 'parked');
  assert.deepEqual(
    parked.output.approvals.map(({ toolName }) => toolName),
    ['write_file'],
  );
  assert.ok(!existsSync(path), 'nothing is written before an approver decides');

  // An approver decides later, and another process resumes the run.
  const messageHistory = messageCodec.parse(messageCodec.stringify(parked.messages));
  const done = await agent.run(undefined, {
    messageHistory,
    deferredToolResults: parked.output.buildResults({ approvals: { write: true } }),
  });

  assert.equal(done.output, 'Written.');
  assert.equal(readFileSync(path, 'utf8'), 'Hello.');
}

// 2. A server with a URL.
{
  const token = 'secret';
  // #region http
  const tickets = mcpHttp({
    id: 'tickets',
    url: 'https://tickets.example.com/mcp',
    headers: { authorization: `Bearer ${token}` },
    withoutApproval: ['find_ticket', 'list_tickets'],
    onProgress: ({ toolName, progress, total }) => console.log(toolName, progress, 'of', total),
  });
  const agent = new Agent({
    model: 'openai:gpt-5',
    toolsets: [tickets.prefixed('tickets')],
    output: [String, DeferredToolRequests],
  });
  // #endregion

  assert.equal(tickets.label, 'MCP server `tickets`');
  assert.ok(agent);
}

// 3. Another transport.
{
  // #region transport
  const legacy = new McpToolset({
    id: 'legacy',
    endpoint: 'https://legacy.example.com/sse',
    transport: () => new SSEClientTransport(new URL('https://legacy.example.com/sse')),
  });
  // #endregion

  assert.equal(legacy.id, 'legacy');
}

// 4. A server that does not start.
{
  const agent = new Agent({
    model: scriptedModel(says('unused')),
    toolsets: [mcpStdio({ id: 'missing', command: 'no-such-server' })],
  });
  // #region errors
  try {
    await agent.run('List the files.');
  } catch (error) {
    if (!(error instanceof McpServerError)) throw error;
    console.log(error.serverId, error.problem, error.toolCallId);
  }
  // #endregion
}

await rm(folder, { recursive: true });
console.log('Nothing was written before it was approved.');
