import assert from 'node:assert/strict';
import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { approver, calls, says, scriptedModel } from 'holdpoint/testing';

const folder = await mkdtemp(join(tmpdir(), 'notes-'));
process.env['NOTES'] = folder;
const { agent } = await import('../src/agent.ts');

beforeEach(() => writeFile(join(folder, 'draft.txt'), 'A draft.'));

test('deletes a note after the user approves the call', async () => {
  const model = scriptedModel(calls('delete_note', { name: 'draft.txt' }), says('Done.'));

  const result = await agent.run('Delete the draft.', {
    model,
    deferredToolHandler: approver.approveAll(),
  });

  assert.equal(result.output, 'Done.');
  assert.deepEqual(await readdir(folder), []);
});

test('keeps a note if the user denies the call', async () => {
  const model = scriptedModel(calls('delete_note', { name: 'draft.txt' }), says('I kept it.'));

  await agent.run('Delete the draft.', {
    model,
    deferredToolHandler: approver.denyAll('Keep it.'),
  });

  assert.deepEqual(await readdir(folder), ['draft.txt']);
});
