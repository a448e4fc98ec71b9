// Tools of the AI SDK in an agent, and tools of an agent in the AI SDK.
import assert from 'node:assert/strict';
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, type ModelMessage, tool as aiTool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { fromAiSdkTools, toAiSdkTools } from 'holdpoint/ai-sdk';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const deleted: string[] = [];

// 1. Tools of the AI SDK in an agent.
{
  const model = scriptedModel(calls('delete_file', { path: '.env' }), says('Deleted.'), {
    supportsNative: ['provider'],
  });

  // #region from
  const { tools, nativeTools } = fromAiSdkTools({
    delete_file: aiTool({
      description: 'Deletes a file.',
      inputSchema: z.object({ path: z.string() }),
      needsApproval: ({ path }) => path.startsWith('.'),
      execute: ({ path }) => {
        deleted.push(path);
        return `${path} deleted`;
      },
    }),
    web_search: openai.tools.webSearch({ searchContextSize: 'low' }),
  });

  const agent = new Agent({ model, tools, nativeTools, output: [String, DeferredToolRequests] });
  const parked = await agent.run('Delete .env');
  // #endregion

  assert.ok(parked.status === 'parked');
  assert.equal(deleted.length, 0);
  await agent.resume(parked, parked.output.buildResults({ approveAll: true }));
  assert.deepEqual(deleted, ['.env']);
}

/** A model of the AI SDK that deletes a file. */
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const isDone = prompt.at(-1)?.role === 'tool';
    const input = JSON.stringify({ path: '.env' });
    return {
      content: isDone
        ? [{ type: 'text', text: 'Deleted.' }]
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

// 2. Tools of an agent in the AI SDK.
{
  deleted.length = 0;

  // #region to
  const deleteFile = tool({
    name: 'delete_file',
    description: 'Deletes a file.',
    inputSchema: z.object({ path: z.string() }),
    requiresApproval: true,
    execute: ({ path }) => {
      deleted.push(path);
      return `${path} deleted`;
    },
  });

  const tools = toAiSdkTools([deleteFile]);
  const messages: ModelMessage[] = [{ role: 'user', content: 'Delete .env' }];
  const first = await generateText({ model, tools, messages, stopWhen: isStepCount(5) });
  // #endregion

  assert.equal(deleted.length, 0);
  const request = first.content.find((part) => part.type === 'tool-approval-request');
  assert.ok(request?.type === 'tool-approval-request');
  const { approvalId } = request;
  messages.push(...first.response.messages, {
    role: 'tool',
    content: [{ type: 'tool-approval-response', approvalId, approved: true }],
  });
  const { text } = await generateText({ model, tools, messages, stopWhen: isStepCount(5) });
  assert.equal(text, 'Deleted.');
  assert.deepEqual(deleted, ['.env']);
}
