// A graph of LangGraph whose node is approved at a desk: its process is killed between the request and the decision,
// the graph is resumed twice at the same time, and once more from an old checkpoint. Its call executes once, with the
// edit of the approver.
//
//   DATABASE_URL=postgres://… node --conditions=holdpoint-source examples/requests/langgraph/main.ts
import assert from 'node:assert/strict';
import { killAndResume, nodeProgram } from '../kill-and-resume.ts';

if (!process.env['DATABASE_URL']) {
  throw new Error('Set `DATABASE_URL` to the address of an empty PostgreSQL database.');
}
const printed = await killAndResume(
  nodeProgram('langgraph/agent.ts'),
  nodeProgram('langgraph/replay.ts'),
);
assert.deepEqual(
  printed,
  Array.from({ length: 3 }, () => 'The refund is on its way.'),
);
console.log('The graph executed its call once.');
