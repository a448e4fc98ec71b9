// The result comes from outside the run: a slow task executes in the background after the run has parked, and
// a second run passes its result to the model.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Agent,
  CallDeferred,
  type DecisionEntry,
  DeferredToolRequests,
  ExternalToolset,
  tool,
} from 'holdpoint';
import { withoutStepRecord } from 'holdpoint/messages';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const QUESTION = 'the ultimate question of life, the universe, and everything';
const RESULT = `The value of ${QUESTION} is 42.`;

const model = scriptedModel(
  responds(calls('calculate_value', { question: QUESTION }, { id: 'pyd_ai_tool_call_id' }), {
    usage: { inputTokens: 63, outputTokens: 13 },
  }),
  responds(says(RESULT), { usage: { inputTokens: 64, outputTokens: 28 } }),
);

// #region tool
const tasks = new Map<string, Promise<number>>();

const calculateValue = tool({
  name: 'calculate_value',
  inputSchema: z.object({ question: z.string() }),
  execute({ question }) {
    const taskId = `task_${tasks.size}`;
    tasks.set(taskId, calculate(question)); // starts the task without waiting for it
    throw new CallDeferred({ taskId });
  },
});
// #endregion

async function calculate(_question: string): Promise<number> {
  await sleep(20);
  return 42;
}

const agent = new Agent({
  model,
  tools: [calculateValue],
  output: [String, DeferredToolRequests],
});

const parked = await agent.run(`Calculate ${QUESTION}`);
assert.ok(parked.status === 'parked');
const requests = parked.output;
assert.deepEqual(requests.calls, [
  {
    kind: 'tool-call',
    toolName: 'calculate_value',
    args: JSON.stringify({ question: QUESTION }),
    toolCallId: 'pyd_ai_tool_call_id',
  },
]);
assert.deepEqual(requests.approvals, []);
assert.deepEqual({ ...requests.metadata }, { pyd_ai_tool_call_id: { taskId: 'task_0' } });

// #region result
const results: DecisionEntry[] = [];
for (const call of requests) {
  const task = tasks.get(String(call.metadata?.['taskId']));
  results.push(task === undefined ? call.retry('The task is unknown.') : call.resolve(await task));
}

const done = await agent.resume(parked, requests.buildResults(results));
// #endregion
assert.ok(done.status === 'finished');
assert.equal(done.output, RESULT);

const history = done.messages.map(withoutStepRecord);
assert.deepEqual(
  history.map(({ kind, parts }) => ({ kind, parts })),
  [
    {
      kind: 'request',
      parts: [{ kind: 'user-prompt', content: `Calculate ${QUESTION}` }],
    },
    {
      kind: 'response',
      parts: [
        {
          kind: 'tool-call',
          toolName: 'calculate_value',
          args: JSON.stringify({ question: QUESTION }),
          toolCallId: 'pyd_ai_tool_call_id',
        },
      ],
    },
    {
      kind: 'request',
      parts: [
        {
          kind: 'tool-return',
          toolName: 'calculate_value',
          toolCallId: 'pyd_ai_tool_call_id',
          content: 42,
          outcome: 'success',
        },
      ],
    },
    { kind: 'response', parts: [{ kind: 'text', content: RESULT }] },
  ],
);
assert.deepEqual(
  history.flatMap((message) => (message.kind === 'response' ? [message.usage] : [])),
  [
    { inputTokens: 63, outputTokens: 13 },
    { inputTokens: 64, outputTokens: 28 },
  ],
);
assert.ok(history.every((message) => message.metadata === undefined));

// A tool whose result always comes from outside the run, such as from the user's browser, needs
// only a definition.
{
  // #region toolset
  const browser = new ExternalToolset([
    {
      name: 'get_location',
      description: 'Returns the location of the user.',
      parametersJsonSchema: { type: 'object', properties: {} },
    },
  ]);
  const guide = new Agent({
    model: scriptedModel(calls('get_location'), says('You are in Lyon.')),
    toolsets: [browser],
    output: [String, DeferredToolRequests],
  });
  // #endregion

  const waiting = await guide.run('Where am I?');
  assert.ok(waiting.status === 'parked');
  const locations = [...waiting.output].map((call) => call.resolve('Lyon'));
  const located = await guide.resume(waiting, waiting.output.buildResults(locations));
  assert.equal(located.output, 'You are in Lyon.');
}

console.log(done.output);
