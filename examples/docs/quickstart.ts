// The code of docs/quickstart.md.
import assert from 'node:assert/strict';
// #region agent
import { Agent, tool } from 'holdpoint';
import { calls, functionModel, says } from 'holdpoint/testing';
import { z } from 'zod';

const deleteNote = tool({
  name: 'delete_note',
  description: 'Deletes a note permanently.',
  inputSchema: z.object({ name: z.string() }),
  requiresApproval: true,
  execute: ({ name }) => `${name} is deleted`,
});

// A scripted model in place of a provider: it calls the tool, and then reports the result.
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)?.parts.at(-1);
  return last?.kind === 'tool-return'
    ? says(`Done: ${String(last.content)}.`)
    : calls('delete_note', { name: 'draft.txt' });
});

const agent = new Agent({ model, tools: [deleteNote] });
// #endregion

// #region run
const result = await agent.run('Delete the draft.', {
  deferredToolHandler: (requests) => {
    for (const call of requests) console.log('Approving:', call.toolName, call.args);
    return requests.buildResults({ approveAll: true });
  },
});
console.log(result.output);
// #endregion
assert.equal(result.output, 'Done: draft.txt is deleted.');
