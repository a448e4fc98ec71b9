// Runs the agent of agent.ts without an editor, with a scripted approver.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-notes-'));
process.env['NOTES_FOLDER'] = folder;
const { default: notes } = await import('./agent.ts');

const previews: unknown[] = [];
await notes.run('Buy milk.', {
  deferredToolHandler(requests) {
    previews.push(...[...requests].map(({ preview }) => preview));
    return requests.buildResults({ approveAll: true });
  },
});

const path = join(folder, 'today.md');
assert.deepEqual(previews, [{ path, before: '', after: 'Buy milk.\n' }]);
assert.equal(readFileSync(path, 'utf8'), 'Buy milk.\n');
rmSync(folder, { recursive: true });
