// #region test
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approver, calls, says, scriptedModel } from 'holdpoint/testing';
import { agent } from './agent.ts';

test('a denied call does not delete the note', async () => {
  const model = scriptedModel(calls('delete_note', { name: 'draft.txt' }), says('I kept it.'));

  const result = await agent.override({ model }, () =>
    agent.run('Delete the draft.', { deferredToolHandler: approver.denyAll('Keep it.') }),
  );

  assert.equal(result.output, 'I kept it.');
  const received = model.calls[1]?.messages.at(-1)?.parts[0];
  assert.ok(received?.kind === 'tool-return' && received.outcome === 'denied');
  assert.equal(received.content, 'Keep it.');
});
// #endregion
