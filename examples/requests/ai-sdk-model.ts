import { MockLanguageModelV4 } from 'ai/test';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A scripted model of the AI SDK, which refunds 20 euros. */
export const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const isDone = prompt.at(-1)?.role === 'tool';
    const input = JSON.stringify({ order: '17', euros: 20 });
    return {
      content: isDone
        ? [{ type: 'text', text: 'The refund is on its way.' }]
        : [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'refund', input }],
      finishReason: { unified: isDone ? 'stop' : 'tool-calls', raw: undefined },
      usage,
      warnings: [],
    };
  },
});
