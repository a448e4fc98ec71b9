// An agent of OpenAI Agents whose tool call is approved at a desk: the agent is killed between its request and the
// decision, and resumed three times. Its call executes once, with the edit of the approver.
//
//   node --conditions=holdpoint-source examples/requests/main-openai-agents.ts
import assert from 'node:assert/strict';
import { killAndResume, nodeProgram } from './kill-and-resume.ts';

const printed = await killAndResume(nodeProgram('openai-agents.ts'));
assert.deepEqual(
  printed,
  Array.from({ length: 3 }, () => 'The refund is on its way.'),
);
