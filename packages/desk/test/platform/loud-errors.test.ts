import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'programs/silent-desk.ts');

describe('desk B13: a desk without onError', () => {
  it('prints errors on standard error, one line each, with code, run id and request id', async () => {
    const flags = ['--conditions=holdpoint-source', '--disable-warning=ExperimentalWarning'];
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...flags, PROGRAM]);
    const { run, response } = JSON.parse(stdout);

    expect(stderr.trim().split('\n')).toEqual([
      `holdpoint desk: AI_LoadAPIKeyError: OPENAI_API_KEY is missing. Set it. tenant=default runId=${run.id} outcome=stuck`,
      expect.stringMatching(
        new RegExp(`postgres://admin:hunter2@db requestId=${response.requestId}$`),
      ),
    ]);
    expect(run).toMatchObject({ state: 'stuck', error: { code: 'internal' } });
    expect(stdout).not.toContain('OPENAI');
    expect(stdout).not.toContain('hunter2');
  });
});
