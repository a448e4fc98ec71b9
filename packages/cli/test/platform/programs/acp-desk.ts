// The desk of the editor tests. The last prompt selects the response of the model. Ada of engineering uses the editor.
import { sqliteStore } from '@holdpoint/desk';
import { Agent, InputRequired, type Message, tool } from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';

const write = tool({
  name: 'write',
  inputSchema: z.object({ path: z.string() }),
  requiresApproval: true,
  execute: ({ path }) => `${path} written`,
});

const pay = tool({
  name: 'pay',
  inputSchema: z.object({ euros: z.number() }),
  requiresApproval: true,
  preview: ({ euros }) => `Pays ${euros} euros.`,
  execute: ({ euros }) => `${euros} paid`,
});

const book = tool({
  name: 'book',
  inputSchema: z.object({}),
  execute(_args, { input }) {
    if (input === undefined) {
      throw new InputRequired({ message: 'How many guests?', schema: z.int().min(1) });
    }
    return `${String(input)} guests`;
  },
});

const slow = tool({
  name: 'slow',
  inputSchema: z.object({}),
  execute: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
    }),
});

const cashier = new Agent({
  name: 'cashier',
  model: functionModel(({ messages }) =>
    messages.length > 1 ? says('Paid.') : calls('pay', { euros: 7 }),
  ),
  tools: [pay],
});

const model = functionModel(({ messages }) => {
  const index = messages.findLastIndex(({ parts }) =>
    parts.some(({ kind }) => kind === 'user-prompt'),
  );
  const part = messages[index]?.parts.find(({ kind }) => kind === 'user-prompt');
  const prompt = part?.kind === 'user-prompt' ? String(part.content) : '';
  const results = resultsAfter(messages, index);
  if (results.length > 0) return says(`Results: ${results.join(', ')}.`);
  switch (prompt) {
    case 'Write.':
      return responds('I will write.', calls('write', { path: 'a.txt' }));
    case 'Pay.':
      return calls('pay', { euros: 40 });
    case 'Delegate.':
      return calls('cashier', { prompt: 'Pay.' });
    case 'Book.':
      return calls('book', {});
    case 'Wait.':
      return calls('slow', {});
    default:
      return says(`You wrote: ${prompt}`);
  }
});

function resultsAfter(messages: readonly Message[], index: number): string[] {
  return messages
    .slice(index + 1)
    .flatMap(({ parts }) =>
      parts.flatMap((part) => (part.kind === 'tool-return' ? [String(part.content)] : [])),
    );
}

export default {
  store: await sqliteStore({ path: process.env['ACP_DESK_FILE'] }),
  url: 'https://desk.test',
  agents: {
    writer: {
      agent: new Agent({
        name: 'writer',
        model,
        tools: [write, pay, book, slow, cashier.asTool({ name: 'cashier' })],
      }),
    },
  },
  approvers: {
    write: { roles: ['engineering'], grants: 'agent' as const },
    pay: { roles: ['accounting'] },
    slow: {},
  },
};

const id = process.env['ACP_PERSON'] ?? 'ada';

export const acp = { person: { id }, roles: ['engineering'], toolKinds: { write: 'edit' } };
