import { type AgentOutputItem, type Model, Usage } from '@openai/agents';

const call: AgentOutputItem = {
  type: 'function_call',
  callId: 'call-1',
  name: 'refund',
  arguments: JSON.stringify({ order: '17', euros: 20 }),
  status: 'completed',
};
const text: AgentOutputItem = {
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'The refund is on its way.' }],
};

/** A scripted model of OpenAI Agents, which refunds 20 euros. */
export const model: Model = {
  async getResponse({ input }) {
    const last = typeof input === 'string' ? undefined : input.at(-1);
    const isDone = last?.type === 'function_call_result';
    return { usage: new Usage(), output: [isDone ? text : call] };
  },
  getStreamedResponse() {
    throw new Error('This script does not stream.');
  },
};
