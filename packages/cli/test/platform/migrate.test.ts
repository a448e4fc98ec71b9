import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../desk/test/platform/support/scratch-folder.ts';
import { holdpoint } from '../support/holdpoint.ts';

const MIGRATIONS = [
  '0001-first-schema',
  '0002-retention.since-0001',
  '0003-approver-order.since-0001',
  '0004-questions.since-0001',
  '0005-requests.since-0001',
  '0006-people.since-0001',
];

describe('holdpoint migrate', () => {
  it('shows pending migrations, prints their statements and applies them', async () => {
    const database = join(scratchFolder('migrate'), 'desk.sqlite');
    const environment = { HOLDPOINT_DATABASE: database };

    const before = await holdpoint(['migrate', 'status'], environment);
    const dryRun = await holdpoint(['migrate', '--dry-run'], environment);
    const applied = await holdpoint(['migrate', '--json'], environment);
    const after = await holdpoint(['migrate', 'status', '--json'], environment);

    expect(before).toMatchObject({
      exitCode: 3,
      stdout: MIGRATIONS.map((name) => `pending  ${name}\n`).join(''),
    });
    expect(dryRun.stdout).toContain('create table desk_runs');
    expect(JSON.parse(applied.stdout)).toEqual({ applied: MIGRATIONS });
    expect(after.exitCode).toBe(0);
    expect(JSON.parse(after.stdout)).toMatchObject({ applied: MIGRATIONS, pending: [] });
  });

  it('explains a missing or unknown database without quoting it', async () => {
    const environment = { HOLDPOINT_DATABASE: '', DATABASE_URL: '' };
    const missing = await holdpoint(['migrate'], environment);
    const unknown = await holdpoint(['migrate', '--database', 'mysql://root:hunter2@db']);

    expect(missing).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--database') });
    expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('`mysql`') });
    expect(unknown.stderr).not.toContain('hunter2');
  });
});
