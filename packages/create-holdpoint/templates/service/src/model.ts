import { calls, functionModel, says } from 'holdpoint/testing';

/** Responds without a provider: it requests a refund for the order in the message, and reports the outcome. */
const script = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind === 'tool-return') return says(`refund: ${String(last.content)}`);
  const text = last?.kind === 'user-prompt' ? JSON.stringify(last.content) : '';
  const order = /\d+/.exec(text)?.[0] ?? '17';
  return calls('refund', { order, euros: 80 });
});

// To use a provider, install its package and name the model, for example:
//   npm install @ai-sdk/openai
//   OPENAI_API_KEY=… MODEL=openai:gpt-5 npm start
export const model = process.env['MODEL'] || script;
