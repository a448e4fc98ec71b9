// Deletions of files and updates of protected files need approval. The run parks with its pending calls, an
// approver decides, and a second run resumes it, here with a new prompt as well.
import assert from 'node:assert/strict';
import { Agent, ApprovalRequired, DeferredToolRequests, tool } from 'holdpoint';
import { withoutStepRecord } from 'holdpoint/messages';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const SUMMARY = `Here's what I've done:
- Attempted to delete __init__.py, but deletion is not allowed.
- Updated README.md with: Hello, world!
- Cleared .env (set to empty).
- Created a backup at README.md.bak containing: Hello, world!

If you want a different backup name or format (e.g., timestamped like README_2025-11-24.bak), let me know.`;

const model = scriptedModel(
  responds(
    calls('delete_file', { path: '__init__.py' }, { id: 'delete_file' }),
    calls(
      'update_file',
      { path: 'README.md', content: 'Hello, world!' },
      { id: 'update_file_readme' },
    ),
    calls('update_file', { path: '.env', content: '' }, { id: 'update_file_dotenv' }),
    { usage: { inputTokens: 63, outputTokens: 21 } },
  ),
  responds(
    calls(
      'update_file',
      { path: 'README.md.bak', content: 'Hello, world!' },
      { id: 'update_file_backup' },
    ),
    { usage: { inputTokens: 86, outputTokens: 31 } },
  ),
  responds(says(SUMMARY), { usage: { inputTokens: 93, outputTokens: 89 } }),
);

// #region tools
const PROTECTED_FILES = new Set(['.env']);

const updateFile = tool({
  name: 'update_file',
  inputSchema: z.object({ path: z.string(), content: z.string() }),
  execute({ path, content }, ctx) {
    if (PROTECTED_FILES.has(path) && !ctx.toolCallApproved) {
      throw new ApprovalRequired({ reason: 'protected' });
    }
    return `File '${path}' updated: '${content}'`;
  },
});

const deleteFile = tool({
  name: 'delete_file',
  inputSchema: z.object({ path: z.string() }),
  requiresApproval: true,
  execute: ({ path }) => `File '${path}' deleted`,
});

const agent = new Agent({
  model,
  tools: [updateFile, deleteFile],
  output: [String, DeferredToolRequests],
});
// #endregion

// #region park
const parked = await agent.run(
  'Delete `__init__.py`, write `Hello, world!` to `README.md`, and clear `.env`',
);
assert.ok(parked.status === 'parked');
const requests = parked.output;
// #endregion

const { calls: external, approvals, metadata } = requests;
assert.deepEqual(external, []);
assert.deepEqual(approvals, [
  callPart('update_file', { path: '.env', content: '' }, 'update_file_dotenv'),
  callPart('delete_file', { path: '__init__.py' }, 'delete_file'),
]);
assert.deepEqual({ ...metadata }, { update_file_dotenv: { reason: 'protected' } });

// #region decide
const decisions = [...requests].map((call) =>
  call.is(updateFile) ? call.approve() : call.deny('Deleting files is not allowed'),
);
const results = requests.buildResults(decisions);
// #endregion

// #region resume
const done = await agent.run('Now create a backup of README.md', {
  messageHistory: parked.messages,
  deferredToolResults: results,
});
// #endregion
assert.ok(done.status === 'finished');
assert.equal(done.output, SUMMARY);

// Returns the parts of the conversation without the step record, which is the data about pending
// calls in the metadata of the parked response.
const history = done.messages.map(withoutStepRecord);
assert.deepEqual(
  history.map(({ kind, parts }) => ({ kind, parts })),
  [
    {
      kind: 'request',
      parts: [
        {
          kind: 'user-prompt',
          content: 'Delete `__init__.py`, write `Hello, world!` to `README.md`, and clear `.env`',
        },
      ],
    },
    {
      kind: 'response',
      parts: [
        callPart('delete_file', { path: '__init__.py' }, 'delete_file'),
        callPart(
          'update_file',
          { path: 'README.md', content: 'Hello, world!' },
          'update_file_readme',
        ),
        callPart('update_file', { path: '.env', content: '' }, 'update_file_dotenv'),
      ],
    },
    {
      kind: 'request',
      parts: [
        {
          kind: 'tool-return',
          toolName: 'update_file',
          toolCallId: 'update_file_readme',
          content: "File 'README.md' updated: 'Hello, world!'",
          outcome: 'success',
        },
      ],
    },
    {
      kind: 'request',
      // In the order of the calls, not of the decisions.
      parts: [
        {
          kind: 'tool-return',
          toolName: 'delete_file',
          toolCallId: 'delete_file',
          content: 'Deleting files is not allowed',
          outcome: 'denied',
        },
        {
          kind: 'tool-return',
          toolName: 'update_file',
          toolCallId: 'update_file_dotenv',
          content: "File '.env' updated: ''",
          outcome: 'success',
        },
        { kind: 'user-prompt', content: 'Now create a backup of README.md' },
      ],
    },
    {
      kind: 'response',
      parts: [
        callPart(
          'update_file',
          { path: 'README.md.bak', content: 'Hello, world!' },
          'update_file_backup',
        ),
      ],
    },
    {
      kind: 'request',
      parts: [
        {
          kind: 'tool-return',
          toolName: 'update_file',
          toolCallId: 'update_file_backup',
          content: "File 'README.md.bak' updated: 'Hello, world!'",
          outcome: 'success',
        },
      ],
    },
    { kind: 'response', parts: [{ kind: 'text', content: SUMMARY }] },
  ],
);
assert.deepEqual(
  history.flatMap((message) => (message.kind === 'response' ? [message.usage] : [])),
  [
    { inputTokens: 63, outputTokens: 21 },
    { inputTokens: 86, outputTokens: 31 },
    { inputTokens: 93, outputTokens: 89 },
  ],
);
assert.deepEqual(
  history.map((message) => (message.runId === parked.runId ? 'first run' : 'second run')),
  [...Array(3).fill('first run'), ...Array(4).fill('second run')],
);
assert.ok(history.every((message) => message.metadata === undefined));
console.log(done.output);

function callPart(toolName: string, args: Record<string, string>, toolCallId: string) {
  return { kind: 'tool-call', toolName, args: JSON.stringify(args), toolCallId };
}
