import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'programs/silent-desk.ts');
const FLAGS = ['--conditions=holdpoint-source', '--disable-warning=ExperimentalWarning'];

describe('desk B13: a desk without onError and logger', () => {
  it('writes errors on standard error as JSON, one line each, with run id and request id', async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...FLAGS, PROGRAM]);
    const { run, response } = JSON.parse(stdout);

    const lines = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([
      {
        level: 'error',
        event: 'run-stuck',
        tenant: 'default',
        runId: run.id,
        err: { name: 'AI_LoadAPIKeyError', message: 'OPENAI_API_KEY is missing.\nSet it.' },
      },
      { level: 'error', event: 'request-failed', requestId: response.requestId },
    ]);
    expect(stderr).not.toContain('hunter2');
    expect(run).toMatchObject({ state: 'stuck', error: { code: 'internal' } });
    expect(stdout).not.toContain('OPENAI');
    expect(stdout).not.toContain('hunter2');
  });

  it('works on if the program that reads its standard error has ended', async () => {
    const child = spawn(process.execPath, [...FLAGS, PROGRAM]);
    child.stderr.destroy();
    const [stdout, exit] = await Promise.all([text(child.stdout), once(child, 'exit')]);

    expect(exit).toEqual([0, null]);
    expect(JSON.parse(stdout).run).toMatchObject({ state: 'stuck' });
  });
});
