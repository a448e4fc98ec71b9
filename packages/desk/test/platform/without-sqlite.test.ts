import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const PROGRAM = join(import.meta.dirname, 'programs/without-sqlite.ts');

describe('newcomer 16: a Node.js without node:sqlite', () => {
  it('loads the package, and sqliteStore names the missing module', async () => {
    const flags = ['--no-experimental-sqlite', '--conditions=holdpoint-source'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, PROGRAM]);

    expect(JSON.parse(stdout)).toEqual({
      postgresStore: 'function',
      error: expect.stringMatching(/needs the module `node:sqlite`.*Use Node\.js 22\.18 or later/),
    });
  });
});
