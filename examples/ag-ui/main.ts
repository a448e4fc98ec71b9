// An AG-UI client decides the calls of an agent: it edits one, denies one, and executes a client
// tool. After a reload it continues the thread from a snapshot.
//
//   npx tsx --conditions=holdpoint-source examples/ag-ui/main.ts
import assert from 'node:assert/strict';
import { buildResumeArray, HttpAgent, type Interrupt } from '@ag-ui/client';
import { refunds } from './agent.ts';
import { startServer } from './server.ts';

/** The state of a thread, with the types of the client. */
interface Thread {
  messages: HttpAgent['messages'];
  interrupts: Interrupt[];
  pendingToolCallIds: string[];
}

const { server, url } = await startServer();
const headers = { authorization: 'Bearer ada' };
const tools = [{ name: 'get_time_zone', description: 'Returns the time zone of the user.' }];

// #region prompt
const agent = new HttpAgent({ url, headers, threadId: 'thread-1' });
agent.addMessage({ id: 'prompt-1', role: 'user', content: 'Refund A1 and B2. Where am I?' });
await agent.runAgent({ tools });
// #endregion
assert.deepEqual(
  agent.pendingInterrupts.map(({ message }) => message),
  ['Refund 400 euros for order A1', 'Refund 90 euros for order B2'],
);
assert.equal(refunds.length, 0);

// #region reload
const response = await fetch(`${url}/thread-1`, { headers });
const thread: Thread = await response.json();
const page = new HttpAgent({ url, headers, threadId: 'thread-1' });
page.setMessages(thread.messages);
page.pendingInterrupts = thread.interrupts;
// #endregion
assert.deepEqual(
  page.messages.map(({ id, role }) => [id, role]),
  agent.messages.map(({ id, role }) => [id, role]),
);

// #region decide
for (const toolCallId of thread.pendingToolCallIds) {
  page.addMessage({ id: `own:${toolCallId}`, role: 'tool', toolCallId, content: 'Europe/Paris' });
}
const [first, second] = page.pendingInterrupts;
assert.ok(first && second);
const { result } = await page.runAgent({
  tools,
  resume: buildResumeArray(page.pendingInterrupts, {
    [first.id]: {
      status: 'resolved',
      payload: { approved: true, editedArgs: { order: 'A1', euros: 40 } },
    },
    [second.id]: {
      status: 'resolved',
      payload: { approved: false, reason: 'B2 was not delivered yet.' },
    },
  }),
});
// #endregion
assert.deepEqual(refunds, [{ order: 'A1', euros: 40 }]);
assert.equal(result, 'Order A1 is refunded. You are in Europe/Paris.');
assert.deepEqual(page.pendingInterrupts, []);
console.log('Edited and approved once, denied once, and the client supplied a result.');
server.close();
