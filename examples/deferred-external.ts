// The result comes from somewhere else: a slow task runs in the background while no run is under way,
// and what it found goes to the model in a second run.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Agent,
  CallDeferred,
  DeferredToolRequests,
  DeferredToolResults,
  ExternalToolset,
  ModelRetry,
  tool,
} from 'holdpoint';
import { withoutStepRecord } from 'holdpoint/messages';
import { calls, responds, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

const QUESTION = 'the ultimate question of life, the universe, and everything';
const ANSWER = `The answer to ${QUESTION} is 42.`;

const model = scriptedModel(
  responds(calls('calculate_answer', { question: QUESTION }, { id: 'pyd_ai_tool_call_id' }), {
    usage: { inputTokens: 63, outputTokens: 13 },
  }),
  responds(says(ANSWER), { usage: { inputTokens: 64, outputTokens: 28 } }),
);

// #region tool
const tasks = new Map<string, Promise<number>>();

const calculateAnswer = tool({
  name: 'calculate_answer',
  inputSchema: z.object({ question: z.string() }),
  execute({ question }) {
    const taskId = `task_${tasks.size}`;
    tasks.set(taskId, calculate(question)); // it starts, and nobody waits for it here
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
  tools: [calculateAnswer],
  output: [String, DeferredToolRequests],
});

const parked = await agent.run(`Calculate the answer to ${QUESTION}`);
assert.ok(parked.status === 'parked');
const requests = parked.output;
assert.deepEqual(requests.calls, [
  {
    kind: 'tool-call',
    toolName: 'calculate_answer',
    args: JSON.stringify({ question: QUESTION }),
    toolCallId: 'pyd_ai_tool_call_id',
  },
]);
assert.deepEqual(requests.approvals, []);
assert.deepEqual({ ...requests.metadata }, { pyd_ai_tool_call_id: { taskId: 'task_0' } });

// #region answer
const results = new DeferredToolResults();
for (const { toolCallId } of requests.calls) {
  const task = tasks.get(String(requests.metadata[toolCallId]?.['taskId']));
  results.calls[toolCallId] =
    task === undefined ? new ModelRetry('No result for this tool call was found.') : await task;
}

const done = await agent.resume(parked, results);
// #endregion
assert.ok(done.status === 'finished');
assert.equal(done.output, ANSWER);

const history = done.messages.map(withoutStepRecord);
assert.deepEqual(
  history.map(({ kind, parts }) => ({ kind, parts })),
  [
    {
      kind: 'request',
      parts: [{ kind: 'user-prompt', content: `Calculate the answer to ${QUESTION}` }],
    },
    {
      kind: 'response',
      parts: [
        {
          kind: 'tool-call',
          toolName: 'calculate_answer',
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
          toolName: 'calculate_answer',
          toolCallId: 'pyd_ai_tool_call_id',
          content: 42,
          outcome: 'success',
        },
      ],
    },
    { kind: 'response', parts: [{ kind: 'text', content: ANSWER }] },
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

// A tool that is always executed elsewhere, such as in the user's browser, is only a definition.
{
  // #region toolset
  const browser = new ExternalToolset([
    {
      name: 'get_location',
      description: 'Where the user is.',
      parametersJsonSchema: { type: 'object', properties: {} },
    },
  ]);
  const guide = new Agent({
    model: scriptedModel(calls('get_location'), says('You are in Lyon.')),
    toolsets: [browser],
    output: [String, DeferredToolRequests],
  });
  // #endregion

  const asked = await guide.run('Where am I?');
  assert.ok(asked.status === 'parked');
  const [location] = asked.output.calls;
  assert.ok(location);
  const answers = asked.output.buildResults({ calls: { [location.toolCallId]: 'Lyon' } });
  assert.equal((await guide.resume(asked, answers)).output, 'You are in Lyon.');
}

console.log(done.output);
