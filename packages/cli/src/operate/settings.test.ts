import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from './settings.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-settings-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function fileWith(content: string): string {
  const file = join(folder, 'holdpoint.json');
  writeFileSync(file, content);
  return file;
}

describe('settings of a process', () => {
  it('come from flags, then the environment, then the file, then defaults', () => {
    const file = fileWith('{ "port": 1, "host": "a", "concurrency": 9, "worker": true }');
    const environment = { HOLDPOINT_PORT: '2', HOLDPOINT_HOST: 'b', HOLDPOINT_DRAIN_MS: '' };

    const settings = readSettings({ flags: { port: '3' }, environment, file });

    expect(settings).toMatchObject({ port: 3, host: 'b', concurrency: 9, worker: true });
    expect(settings).toMatchObject({ drainMs: 30_000, logLevel: 'info', desk: 'desk.js' });
  });

  it('limit a worker, in variables or in the file', () => {
    const limits = {
      maxRunsPerTenant: 8,
      maxRunsPerAgent: { reports: 2, 'billing desk': 4 },
      reservedSlots: { webhook: 3, expiry: 0 },
      workerName: 'worker-a',
    };
    const environment = {
      HOLDPOINT_MAX_RUNS_PER_TENANT: '8',
      HOLDPOINT_MAX_RUNS_PER_AGENT: 'reports=2, billing desk=4',
      HOLDPOINT_RESERVED_SLOTS: 'webhook=3,expiry=0',
      HOLDPOINT_WORKER_NAME: 'worker-a',
    };

    expect(readSettings({ flags: {}, environment, file: fileWith('{}') })).toMatchObject(limits);
    const file = fileWith(JSON.stringify(limits));
    expect(readSettings({ flags: {}, environment: {}, file })).toMatchObject(limits);
    const forAll = { HOLDPOINT_MAX_RUNS_PER_AGENT: '5' };
    const settings = readSettings({ flags: {}, environment: forAll, file: fileWith('{}') });
    expect(settings.maxRunsPerAgent).toBe(5);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['{ "prot": 1 }', {}, 'Unknown setting `prot`'],
    ['{ "prot": 1 }', {}, 'Did you mean `port`?'],
    ['{ "port": [] }', {}, 'not a text, number or boolean'],
    ['[]', {}, 'contains no JSON object'],
    ['{', {}, 'cannot be read'],
    ['{ "port": 99999 }', {}, 'Set it to a whole number from 0 to 65535'],
    ['{}', { HOLDPOINT_PRT: '1' }, 'Did you mean `HOLDPOINT_PORT`?'],
    ['{}', { HOLDPOINT_WORKER: 'yes' }, '`HOLDPOINT_WORKER` is `yes`. Set it to true or false.'],
    ['{}', { HOLDPOINT_MAX_RUNS_PER_TENANT: '0' }, 'Set it to a whole number from 1 to 10000'],
    [
      '{}',
      { HOLDPOINT_MAX_RUNS_PER_AGENT: 'reports' },
      'Set it to a whole number from 1 to 10000, or',
    ],
    ['{}', { HOLDPOINT_MAX_RUNS_PER_AGENT: 'a=1,a=2' }, '`a=1,a=2`. Set it to'],
    ['{}', { HOLDPOINT_RESERVED_SLOTS: 'webhok=1' }, 'with run, expiry, outbox, webhook'],
    ['{ "reservedSlots": { "webhook": -1 } }', {}, '`{"webhook":-1}`. Set it to `kind=number`'],
    ['{ "reservedSlots": [] }', {}, 'is not a text, number or object'],
    ['{}', { HOLDPOINT_LOG_LEVEL: 'loud' }, 'Set it to error or warn or info or debug'],
  ])('are rejected with advice: %s %o', (content, environment, expected) => {
    const file = fileWith(content);
    expect(() => readSettings({ flags: {}, environment, file })).toThrow(expected);
  });

  it('are rejected if the named file is missing', () => {
    const environment = { HOLDPOINT_CONFIG: join(folder, 'missing.json') };
    expect(() => readSettings({ flags: {}, environment })).toThrow('There is no file');
  });
});
