// Inline approval in the terminal: the run pauses until the user decides. Without a terminal the decisions come
// from a script, so that the program can be tested.
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline/promises';
import { Agent, type DecisionEntry, type DeferredToolHandler, tool } from 'holdpoint';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const dropped: string[] = [];
const dropDatabase = tool({
  name: 'drop_database',
  inputSchema: z.object({ name: z.string() }),
  requiresApproval: true,
  execute({ name }) {
    dropped.push(name);
    return `Database '${name}' is gone.`;
  },
});

// #region handler
const decideInTerminal: DeferredToolHandler = async (requests, ctx) => {
  const decisions: DecisionEntry[] = [];
  for (const call of requests) {
    const question = `${call.toolName} ${JSON.stringify(call.args)}? [y]es, or a reason: `;
    const input = await ask(question, ctx.signal);
    decisions.push(input === 'y' ? call.approve() : call.deny(input));
  }
  return requests.buildResults(decisions);
};
// #endregion

const interactive = process.stdin.isTTY === true;
const script = ['y', 'Not production. Ask for the test database instead.'];

async function ask(question: string, signal: AbortSignal): Promise<string> {
  if (!interactive) {
    const scripted = script.shift() ?? '';
    console.log(question + scripted);
    return scripted;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    // The prompt is aborted together with the run.
    return (await terminal.question(question, { signal })).trim();
  } finally {
    terminal.close();
  }
}

const agent = new Agent({
  model: scriptedModel(
    responds(
      calls('drop_database', { name: 'staging' }),
      calls('drop_database', { name: 'production' }),
    ),
    says('The approved databases are dropped.'),
  ),
  tools: [dropDatabase],
  deferredToolHandler: decideInTerminal,
});

const result = await agent.run('Drop the unused databases.');
console.log(result.output);

if (!interactive) {
  assert.deepEqual(dropped, ['staging']);
  assert.equal(result.messages.length, 4, 'one run, from the prompt to the text output');
  const [, , results] = result.messages;
  assert.deepEqual(
    results?.parts.map((part) => part.kind === 'tool-return' && [part.outcome, part.content]),
    [
      ['success', "Database 'staging' is gone."],
      ['denied', 'Not production. Ask for the test database instead.'],
    ],
  );
}
