// `npm start`: an agent at work in the terminal. It needs no API key: the model's answers come from
// a script, everything else is real. To see it with a real model, install its provider's package and
// name it:  HOLDPOINT_MODEL=openai:gpt-5 OPENAI_API_KEY=… npm start
import { dumpMessages, loadMessages, type OutputSpec, type RunStream } from 'holdpoint';
import { makeSandbox, releaseAgent } from './demo/release-desk.ts';
import { Screen } from './demo/screen.ts';
import { makeScript } from './demo/script.ts';

const screen = new Screen();

/** Shows the events of a run as they come, and gives its result. */
async function follow<Output extends OutputSpec>(stream: RunStream<Output>) {
  for await (const event of stream) await screen.show(event);
  return stream.result;
}

async function main(): Promise<void> {
  const named = process.env['HOLDPOINT_MODEL'];
  const model = named || makeScript();
  screen.title('Holdpoint', named ? `· ${named}` : '· a scripted model, no API key needed');

  // The first run: tools in parallel, a retry after bad arguments, a structured output.
  const deps = makeSandbox();
  const task = 'Prepare the next release of the kettle.';
  screen.prompt(task);
  const first = await follow(releaseAgent.stream(task, { model, deps }));
  screen.heading('The output, as its schema says');
  screen.record(first.output);

  // The history is the state: plain JSON, from which another run can go on anywhere.
  const json = dumpMessages(first.messages);
  screen.heading('The history');
  const { requests, toolCalls, totalTokens } = first.usage;
  screen.fact(`${first.messages.length} messages, ${json.length} characters of JSON`);
  screen.fact(`${requests} model requests, ${toolCalls} tool calls, ${totalTokens} tokens`);

  screen.heading('A second run goes on from that JSON');
  const question = 'Who should review it?';
  screen.prompt(question);
  const second = await follow(
    releaseAgent.stream(question, {
      model,
      deps,
      output: String,
      messageHistory: loadMessages(json),
    }),
  );
  screen.heading('The same conversation');
  screen.fact(
    `${second.newMessages.length} new messages, ${second.messages.length} in all, ` +
      `conversation ${second.conversationId}`,
  );
}

try {
  await main();
} catch (error) {
  console.error(String(error)); // one line that says what to do; the demo needs no stack
  process.exitCode = 1;
}
