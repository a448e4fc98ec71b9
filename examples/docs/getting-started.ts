// Executes the programs of docs/getting-started.md unchanged, each in its own process. A local server stands in
// for OpenAI.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LLMock } from '@copilotkit/aimock';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'));
const draft = join(folder, 'notes/draft.txt');
mkdirSync(join(folder, 'notes'));

const provider = new LLMock({ port: 0, host: '127.0.0.1' });
provider.onToolResult('list', { content: 'There is one: draft.txt.' });
provider.onToolResult('delete', { content: 'Done.' });
provider.onMessage('Which notes', {
  toolCalls: [{ id: 'list', name: 'list_notes', arguments: {} }],
});
provider.onMessage('Delete the draft', {
  toolCalls: [{ id: 'delete', name: 'delete_note', arguments: { name: 'draft.txt' } }],
});
await provider.start();
const env = { ...process.env, OPENAI_BASE_URL: `${provider.url}/v1`, OPENAI_API_KEY: 'none' };

try {
  writeFileSync(draft, 'To do: write this note.');
  assert.equal(await run('first.ts'), 'There is one: draft.txt.\n');

  const question = 'delete_note {"name":"draft.txt"}? (y/n) ';
  assert.equal(await run('ask.ts', 'n\n'), `${question}Done.\n`);
  assert.ok(existsSync(draft), 'it was denied');
  assert.equal(await run('ask.ts', 'y\n'), `${question}Done.\n`);
  assert.ok(!existsSync(draft), 'it was approved');

  writeFileSync(draft, 'To do: write this note.');
  assert.equal(await run('park.ts'), 'pending: delete_note {"name":"draft.txt"}\n');
  assert.ok(existsSync(draft), 'the call is pending');
  assert.equal(await run('resume.ts'), 'Done.\n');
  assert.ok(!existsSync(draft), 'another process approved the call');

  await provider.stop();
  assert.match(await run('agent-test.ts'), /pass 1/, 'a test needs no provider');
} finally {
  await provider.stop().catch(() => {}); // The provider may be stopped already.
  rmSync(folder, { recursive: true });
}

/** Returns the output of a program. It types `input` when the program asks a question. */
async function run(program: string, input = ''): Promise<string> {
  const path = fileURLToPath(new URL(`getting-started/${program}`, import.meta.url));
  const options = ['--conditions=holdpoint-source', '--import', import.meta.resolve('tsx')];
  const child = spawn(process.execPath, [...options, path], {
    cwd: folder,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let printed = '';
  for await (const piece of child.stdout) {
    printed += String(piece);
    if (printed.endsWith('(y/n) ')) child.stdin.end(input);
  }
  return printed;
}
