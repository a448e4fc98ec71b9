// The same approval in the AI SDK 7.0 and in Holdpoint, for docs/from-ai-sdk.md.
import assert from 'node:assert/strict';
import { isStepCount, type ModelMessage, ToolLoopAgent, tool as aiTool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { Agent, DeferredToolRequests, MemoryLedger, tool } from 'holdpoint';
import { fromAiSdkTools } from 'holdpoint/ai-sdk';
import { z } from 'zod';

const deleted: string[] = [];
const remove = (path: string) => {
  deleted.push(path);
  return `${path} deleted`;
};

/** A model that deletes a.txt, for both libraries. */
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const isDone = prompt.at(-1)?.role === 'tool';
    const input = JSON.stringify({ path: 'a.txt' });
    return {
      content: isDone
        ? [{ type: 'text', text: 'Done.' }]
        : [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'delete_file', input }],
      finishReason: { unified: isDone ? 'stop' : 'tool-calls', raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    };
  },
});

// AI SDK.
const aiSdkTool = aiTool({
  description: 'Deletes a file.',
  inputSchema: z.object({ path: z.string() }),
  execute: ({ path }) => remove(path),
});
{
  // #region ai-sdk
  const agent = new ToolLoopAgent({
    model,
    tools: { delete_file: aiSdkTool },
    toolApproval: { delete_file: 'user-approval' },
    stopWhen: isStepCount(10),
  });

  const messages: ModelMessage[] = [{ role: 'user', content: 'Delete a.txt.' }];
  const first = await agent.generate({ messages });
  messages.push(...first.response.messages);
  for (const part of first.content) {
    if (part.type !== 'tool-approval-request') continue;
    messages.push({
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId: part.approvalId, approved: true }],
    });
  }
  const { text } = await agent.generate({ messages });
  // #endregion
  assert.equal(text, 'Done.');
  assert.deepEqual(deleted, ['a.txt']);
  await agent.generate({ messages });
  assert.deepEqual(deleted, ['a.txt', 'a.txt'], 'the same messages delete it again');
}

// Holdpoint.
deleted.length = 0;
{
  const deleteFile = tool({
    name: 'delete_file',
    description: 'Deletes a file.',
    inputSchema: z.object({ path: z.string() }),
    requiresApproval: true,
    execute: ({ path }) => remove(path),
  });
  const ledger = new MemoryLedger();
  // #region holdpoint
  const agent = new Agent({
    model,
    tools: [deleteFile], // requiresApproval: true
    output: [String, DeferredToolRequests],
    durability: { ledger },
  });

  const parked = await agent.run('Delete a.txt.');
  if (parked.status === 'parked') {
    const decisions = Array.from(parked.output, (call) => call.approve());
    const { output } = await agent.resume(parked, parked.output.buildResults(decisions));
    console.log(output);
  }
  // #endregion
  assert.ok(parked.status === 'parked');
  assert.deepEqual(deleted, ['a.txt']);
  const again = parked.output.buildResults({ approveAll: true });
  await assert.rejects(agent.resume(parked, again));
  assert.deepEqual(deleted, ['a.txt'], 'the second resume is rejected');
}

// Tools of the AI SDK in an agent.
deleted.length = 0;
{
  // #region tools
  const { tools } = fromAiSdkTools({ delete_file: aiSdkTool });
  const agent = new Agent({
    model,
    tools,
    output: [String, DeferredToolRequests],
    approvalPolicy: (_ctx, { name }) => name === 'delete_file',
  });
  // #endregion
  const parked = await agent.run('Delete a.txt.');
  assert.equal(parked.status, 'parked');
  assert.deepEqual(deleted, []);
}
