import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { Agent, DeferredToolRequests } from 'holdpoint';
import { functionModel, says } from 'holdpoint/testing';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { main } from '../main.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-maintenance-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'desk.sqlite');
const journal = join(folder, 'journal.txt');
let printed = '';

beforeEach(() => {
  printed = '';
  writeFileSync(journal, '');
  const write = (text: unknown) => {
    printed += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(console, 'log').mockImplementation((text) => void write(`${String(text)}\n`));
});
afterEach(() => vi.restoreAllMocks());

/** A desk file that records the calls of its methods. */
function deskFile(): string {
  const path = join(folder, 'my-desk.mjs');
  const lines = [
    `import { appendFileSync } from 'node:fs';`,
    `const record = (text) => appendFileSync(${JSON.stringify(journal)}, text + '\\n');`,
    'export default {',
    '  start() {}, fetch() {},',
    `  async close() { record('close') },`,
    `  async applyRetention(options) { record(JSON.stringify(options)); return { messages: 4, runs: 2 } },`,
    `  async markRestoredFromBackup() { record('restored') },`,
    '};',
  ];
  writeFileSync(path, lines.join('\n'));
  return path;
}

const recorded = () => readFileSync(journal, 'utf8').trim().split('\n');

describe('maintenance of a desk file', { timeout: 20_000 }, () => {
  it('prints the rows that retention would delete, and deletes none', async () => {
    await main(['retention', deskFile(), '--dry-run']);

    expect(printed).toMatch(/Would delete:\n +4 {2}messages\n +2 {2}runs\n/);
    expect(recorded()).toEqual(['{"dryRun":true}', 'close']);
  });

  it('applies retention', async () => {
    await main(['retention', deskFile(), '--json']);

    expect(JSON.parse(printed)).toEqual({ messages: 4, runs: 2 });
    expect(recorded()).toEqual(['{}', 'close']);
  });

  it('records a restored database', async () => {
    await main(['restored', deskFile()]);

    expect(printed).toMatch(/^Recorded\. Runs from before the restore are not resumed/);
    expect(recorded()).toEqual(['restored', 'close']);
  });
});

describe('data of a desk in a SQLite file', { timeout: 20_000 }, () => {
  const model = functionModel(() => says('Hello.'));
  const agents = {
    clerk: { agent: new Agent({ model, output: [String, DeferredToolRequests] }) },
  };

  it('is exported and erased', async () => {
    const desk = openDesk({ store: await sqliteStore({ path: file }), agents });
    const requester = { id: 'eve' };
    await desk.start('clerk', 'Hi', { conversationId: 'c1', requester });
    await desk.drain();
    await desk.close();
    const reason = ['--reason', 'Request 17', '--store', file];

    await main(['people', 'export', 'eve', '--store', file]);
    const records = printed.trim().split('\n');
    expect(records.filter((line) => line.includes('"record":"message"'))).toHaveLength(2);
    printed = '';
    await main(['conversations', 'erase', 'c1', ...reason]);
    expect(JSON.parse(printed)).toEqual({ runs: 1 });
    printed = '';
    await main(['people', 'erase', 'eve', ...reason]);
    expect(JSON.parse(printed)).toMatchObject({ auditEntries: 1, pendingRuns: [] });
  });

  it('has dead letters, which are replayed', async () => {
    const down = functionModel(() => {
      throw new Error('overloaded');
    });
    const broken = new Agent({ model: down, output: [String, DeferredToolRequests] });
    const store = await sqliteStore({ path: file });
    const desk = openDesk({
      store,
      agents: { clerk: { agent: broken } },
      maxAttempts: 1,
      onError() {},
    });
    const runId = await desk.start('clerk', 'Hi');
    await desk.drain();

    await main(['dead-letters', 'list', '--store', file]);
    expect(printed).toContain(runId);
    printed = '';
    await main(['dead-letters', 'replay', 'run', runId, '--store', file]);
    expect(printed).toBe(`Replayed run ${runId}.\n`);
    expect((await desk.run(runId)).state).toBe('ready');
    await desk.close();
  });
});
