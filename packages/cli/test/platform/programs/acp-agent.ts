// The agent of the editor tests: the last prompt selects the response of the model.
import {
  Agent,
  askUser,
  CallDeferred,
  DeferredToolRequests,
  InputRequired,
  type Message,
  tool,
} from 'holdpoint';
import { calls, functionModel, responds, says } from 'holdpoint/testing';
import { z } from 'zod';

const written: string[] = [];

const writeFile = tool({
  name: 'write_file',
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  requiresApproval: true,
  preview: ({ path, text }) => ({ path, before: 'old\n', after: text }),
  execute({ path }) {
    written.push(path);
    console.log('A tool that prints to standard output.');
    return `${path} written`;
  },
});

const listWritten = tool({
  name: 'list_written',
  inputSchema: z.object({}),
  execute: () => written,
});

const scan = tool({
  name: 'scan',
  inputSchema: z.object({}),
  execute() {
    throw new CallDeferred();
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

const remove = tool({
  name: 'remove',
  inputSchema: z.object({ name: z.string() }),
  requiresApproval: true,
  execute: ({ name }) => `${name} removed`,
});

const register = tool({
  name: 'register',
  inputSchema: z.object({}),
  execute(_args, { inputs: [person, reason] }) {
    if (person === undefined) {
      const schema = z.object({ name: z.string(), age: z.int().min(18) });
      throw new InputRequired({ message: 'Who\u202E are you?', schema });
    }
    if (reason === undefined) throw new InputRequired('Why?');
    return JSON.stringify([person, reason]);
  },
});

const helper = new Agent({
  name: 'helper',
  model: functionModel(({ messages }) =>
    messages.length > 1 ? says('Removed.') : calls('remove', { name: 'cellar' }),
  ),
  tools: [remove],
});

/** Bidirectional controls and an escape sequence hide text; the backticks try to end a code block. */
const HOSTILE = 'a\u202Etxt.exe\u001B[2K ```` ![x](http://example.com/leak)';

const model = functionModel(({ messages }) => {
  const { prompt, results } = lastTurn(messages);
  if (prompt === 'Fail.') throw new Error('secret-token');
  if (results > 0) return says(`Done, ${messages.length} messages.`);
  switch (prompt) {
    case 'Write.':
      return responds('I will write.', calls('write_file', { path: 'a.txt', text: 'new\n' }));
    case 'Write two.':
      return responds(
        calls('write_file', { path: 'b.txt', text: 'b\n' }),
        calls('write_file', { path: 'c.txt', text: 'c\n' }),
      );
    case 'List.':
      return calls('list_written', {});
    case 'Scan.':
      return calls('scan', {});
    case 'Register.':
      return calls('register', {});
    case 'Choose.':
      return calls('ask_user', { question: 'Which colour?', options: ['red', 'blue'] });
    case 'Wait.':
      return calls('slow', {});
    case 'Delegate.':
      return calls('helper', { prompt: 'Clean up.' });
    case 'Deceive.':
      return calls('remove', { name: HOSTILE });
    default:
      return says(`You wrote: ${prompt}`);
  }
});

/** Returns the last prompt, and the number of requests with results since then. */
function lastTurn(messages: readonly Message[]): { prompt: string; results: number } {
  const index = messages.findLastIndex(({ parts }) =>
    parts.some(({ kind }) => kind === 'user-prompt'),
  );
  const part = messages[index]?.parts.find(({ kind }) => kind === 'user-prompt');
  const prompt = part?.kind === 'user-prompt' ? String(part.content) : '';
  return { prompt, results: messages.length - 1 - index };
}

export default new Agent({
  name: 'writer',
  model,
  // A tool that asks twice parks the run after the first input.
  output: [String, DeferredToolRequests],
  tools: [
    writeFile,
    listWritten,
    scan,
    slow,
    remove,
    register,
    askUser(),
    helper.asTool({ name: 'helper' }),
  ],
});

export const acp = { toolKinds: { list_written: 'read' } };
