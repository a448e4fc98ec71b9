// #region test
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approver, calls, says, scriptedModel } from 'holdpoint/testing';
import { agent } from './agent.ts';

test('nothing is deleted when the user says no', async () => {
  const model = scriptedModel(calls('delete_note', { name: 'draft.txt' }), says('I kept it.'));

  const result = await agent.override({ model }, () =>
    agent.run('Delete the draft.', { deferredToolHandler: approver.denyAll('Keep it.') }),
  );

  assert.equal(result.output, 'I kept it.');
  const told = model.calls[1]?.messages.at(-1)?.parts[0];
  assert.ok(told?.kind === 'tool-return' && told.outcome === 'denied');
  assert.equal(told.content, 'Keep it.');
});
// #endregion
