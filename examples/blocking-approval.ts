// Approval as in a terminal: the run waits while a person is asked, and goes on with the answer.
// Without a terminal the answers come from a script, so that the program can be tested.
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline/promises';
import {
  Agent,
  type DeferredToolHandler,
  DeferredToolResults,
  ToolApproved,
  ToolDenied,
  tool,
} from 'holdpoint';
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
const askInTheTerminal: DeferredToolHandler = async (requests, ctx) => {
  const results = new DeferredToolResults();
  for (const call of requests.approvals) {
    const shown = JSON.stringify(requests.get(call).args);
    const said = await ask(`${call.toolName} ${shown}? [y]es, [n]o, or why not: `, ctx.signal);
    results.approvals[call.toolCallId] = toAnswer(said);
  }
  return results;
};

function toAnswer(said: string): ToolApproved | ToolDenied {
  if (said === 'y') return new ToolApproved();
  return said === 'n' ? new ToolDenied() : new ToolDenied(said);
}
// #endregion

const interactive = process.stdin.isTTY === true;
const script = ['y', 'Not production. Ask for the test database instead.'];

async function ask(question: string, signal: AbortSignal): Promise<string> {
  if (!interactive) {
    const scripted = script.shift() ?? 'n';
    console.log(question + scripted);
    return scripted;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    // When the run is aborted, so is the question.
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
    says('I have done what you allowed.'),
  ),
  tools: [dropDatabase],
  deferredToolHandler: askInTheTerminal,
});

const result = await agent.run('Drop the databases that nobody needs.');
console.log(result.output);

if (!interactive) {
  assert.deepEqual(dropped, ['staging']);
  assert.equal(result.messages.length, 4, 'one run, from the prompt to the answer');
  const [, , results] = result.messages;
  assert.deepEqual(
    results?.parts.map((part) => part.kind === 'tool-return' && [part.outcome, part.content]),
    [
      ['success', "Database 'staging' is gone."],
      ['denied', 'Not production. Ask for the test database instead.'],
    ],
  );
}
