// Histories and tool results of Pydantic AI: resumes a run that Python parked, and parks one for Python.
import assert from 'node:assert/strict';
import { Agent, DeferredToolRequests, tool } from 'holdpoint';
import { calls, says, scriptedModel } from 'holdpoint/testing';
import { z } from 'zod';

// Stored by a Python service: ModelMessagesTypeAdapter.dump_json(result.all_messages()).
const storedMessages = `[
  {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Delete a.txt",
    "timestamp": "2026-11-15T09:00:00.250000Z"}], "conversation_id": "c-1"},
  {"kind": "response", "timestamp": "2026-11-15T09:00:01Z", "conversation_id": "c-1", "parts": [
    {"part_kind": "tool-call", "tool_name": "delete_file", "tool_call_id": "call-1",
      "args": "{\\"path\\": \\"a.txt\\"}"}]}
]`;
// The decisions: TypeAdapter(DeferredToolResults).dump_json(results).
const storedResults = '{"approvals": {"call-1": true}}';

const deleted: string[] = [];
const deleteFile = tool({
  name: 'delete_file',
  inputSchema: z.object({ path: z.string() }),
  requiresApproval: true,
  execute({ path }) {
    deleted.push(path);
    return 'deleted';
  },
});
const agent = new Agent({
  model: scriptedModel(says('Deleted.'), calls('delete_file', { path: 'b.txt' })),
  tools: [deleteFile],
  output: [String, DeferredToolRequests],
});

// #region from-python
import {
  pydanticMessageCodec,
  pydanticRequestsCodec,
  pydanticResultsCodec,
} from 'holdpoint/pydantic';

const result = await agent.run(undefined, {
  messageHistory: pydanticMessageCodec.parse(storedMessages),
  deferredToolResults: pydanticResultsCodec.parse(storedResults),
});
// #endregion
assert.equal(result.output, 'Deleted.');
assert.deepEqual(deleted, ['a.txt']);

// #region to-python
const parked = await agent.run('And b.txt', { messageHistory: result.messages });
if (parked.status === 'parked') {
  const messages = pydanticMessageCodec.stringify(parked.messages);
  const requests = pydanticRequestsCodec.stringify(parked.output);
  await send({ messages, requests });
}
// #endregion

async function send(texts: { messages: string; requests: string }) {
  const messages: { conversation_id: string; metadata: object | null }[] = JSON.parse(
    texts.messages,
  );
  const { approvals } = JSON.parse(texts.requests);

  assert.equal(messages.length, 6);
  assert.ok(messages.every((message) => message.conversation_id === 'c-1'));
  assert.ok(messages.at(-1)?.metadata);
  assert.equal(approvals[0].tool_name, 'delete_file');
}
assert.equal(parked.status, 'parked');
