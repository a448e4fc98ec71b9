// Runs an agent with the terminal handler and prints the output. The argument names the script of the model.
import {
  Agent,
  approveAll,
  type DeferredToolHandler,
  DeferredToolRequests,
  InputRequired,
  MemoryLedger,
  type Message,
  tool,
} from 'holdpoint';
import {
  calls,
  responds,
  type ResponseDraft,
  says,
  scriptedModel,
  type ScriptEntry,
} from 'holdpoint/testing';
import { z } from 'zod';
import { terminalHandler } from '../../../src/index.ts';
import { terminalPrompt } from '../../../src/terminal/terminal-handler.ts';
import { done, fileAgent } from './file-agent.ts';

const NEW = '# Kettle\n\nBoils water, fast.\n\n## Use\n\nPress the button.\n';
const LONG = `${Array.from({ length: 60 }, (_, index) => `Line ${index + 1} of a long text.`).join('\n')}\n`;

const remove = (path: string): ResponseDraft => calls('delete_file', { path });

/** Repeats the results that the model received. */
const repeat: ScriptEntry = ({ messages }) =>
  says(`received: ${JSON.stringify(resultsIn(messages))}`);

const SCRIPTS: Readonly<Record<string, readonly ScriptEntry[]>> = {
  one: [remove('old.log'), repeat],
  batch: [
    responds(
      calls('write_file', { path: 'README.md', content: NEW }),
      remove('old.log'),
      remove('older.log'),
      calls('ask_owner', { question: 'Who reviews it?' }),
    ),
    repeat,
  ],
  external: [calls('ask_owner', { question: 'Who reviews it?' }), repeat],
  edit: [calls('write_file', { path: 'a.md', content: 'Hi.' }), repeat],
  long: [calls('write_file', { path: 'README.md', content: LONG }), repeat],
  again: [remove('old.log'), remove('old.log'), repeat],
  repeated: [remove('old.log'), responds(remove('old.log'), remove('other.log')), repeat],
  hostile: [
    responds(
      remove('safe.log\u001B[2J\u001B[1;1H\u001B]0;owned\u0007\u001B[8m\r/etc/passwd'),
      remove('invoice\u202Efdp.exe\u200B'),
    ),
    repeat,
  ],
};

function resultsIn(messages: readonly Message[]): readonly unknown[] {
  return (messages.at(-1)?.parts ?? []).map((part) =>
    'content' in part ? part.content : part.kind,
  );
}

async function main(name: string): Promise<string> {
  const deferredToolHandler = terminalHandler();
  if (name === 'doubt') return inDoubt();
  if (name === 'question') return question(deferredToolHandler);
  if (name === 'nested') return nested(deferredToolHandler);
  if (name === 'parallel') {
    const both = ['first.log', 'second.log'].map((path) =>
      fileAgent(scriptedModel(remove(path), repeat)).run('Go.', { deferredToolHandler }),
    );
    return (await Promise.all(both)).map(({ output }) => output).join(' ');
  }
  const signal = name === 'aborted' ? AbortSignal.timeout(1500) : undefined;
  const script = SCRIPTS[name === 'aborted' ? 'one' : name] ?? [];
  const agent = fileAgent(scriptedModel(...script));
  return (await agent.run('Go.', { deferredToolHandler, signal })).output;
}

/** A tool that asks for values of several types. */
async function question(deferredToolHandler: DeferredToolHandler): Promise<string> {
  const book = tool({
    name: 'book_table',
    execute(_args, ctx) {
      if (ctx.input !== undefined) return ctx.input;
      throw new InputRequired({
        message: 'Which table do you want?',
        schema: z.object({
          name: z.string(),
          guests: z.int().min(1).max(8),
          outside: z.boolean(),
          room: z.enum(['hall', 'garden']),
          note: z.string().optional(),
        }),
      });
    },
  });
  const agent = new Agent({ model: scriptedModel(calls('book_table', {}), repeat), tools: [book] });
  return (await agent.run('Go.', { deferredToolHandler })).output;
}

/** Creates a call in doubt: it was approved, and its execution timed out. */
async function inDoubt(): Promise<string> {
  const pay = tool({
    name: 'pay',
    inputSchema: z.object({ euros: z.number() }),
    requiresApproval: true,
    timeout: 50,
    execute({ euros }, { signal }) {
      done.push(`pay ${euros}`);
      return new Promise<string>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  const model = scriptedModel(calls('pay', { euros: 40 }), repeat);
  const output = [String, DeferredToolRequests] as const;
  const agent = new Agent({
    model,
    tools: [pay],
    durability: { ledger: new MemoryLedger() },
    output,
  });
  const parked = await agent.run('Pay.', { deferredToolHandler: approveAll() });
  if (parked.status !== 'parked') throw new Error('The call is not in doubt.');

  const batch = { agent: undefined, signal: new AbortController().signal };
  const results = await terminalPrompt()(parked.output, batch);
  return String((await agent.resume(parked, results)).output);
}

/** Runs an agent with a sub-agent. */
async function nested(deferredToolHandler: DeferredToolHandler): Promise<string> {
  const janitor = fileAgent(scriptedModel(remove('old.log'), says('The file is deleted.')));
  const lead = new Agent({
    name: 'lead',
    model: scriptedModel(calls('ask_janitor', { prompt: 'Clean.' }), repeat),
    tools: [janitor.asTool({ name: 'ask_janitor' })],
  });
  return (await lead.run('Go.', { deferredToolHandler })).output;
}

try {
  console.log(await main(process.argv[2] ?? ''));
} catch (error) {
  console.log(`${Object(error).name}: ${Object(error).message}`);
  process.exitCode = 1;
} finally {
  console.log(`ran: ${done.join(', ') || 'nothing'};`);
}
