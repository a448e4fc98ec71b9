import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'programs/silent-desk.ts');

describe('desk B13: a desk without onError and logger', () => {
  it('writes errors on standard error as JSON, one line each, with run id and request id', async () => {
    const flags = ['--conditions=holdpoint-source', '--disable-warning=ExperimentalWarning'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...flags, PROGRAM]);
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
});
