import { calls, functionModel, says } from 'holdpoint/testing';

/** Responds without a provider: it lists the notes, deletes the draft, and reports the outcome. */
const script = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  if (last?.kind !== 'tool-return') return calls('list_notes');
  if (last.toolName === 'list_notes') return calls('delete_note', { name: 'draft.txt' });
  return says(`delete_note: ${String(last.content)}`);
});

// To use a provider, install its package and name the model, for example:
//   npm install @ai-sdk/openai
//   OPENAI_API_KEY=… MODEL=openai:gpt-5 npm start
export const model = process.env['MODEL'] || script;
