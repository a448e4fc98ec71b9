import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openDesk, sqliteMigrator, sqliteStore, verifyAudit, exportAudit } from '@holdpoint/desk';
import { messageCodec, requestsFromMessages } from 'holdpoint';
import { sealedRuns } from 'holdpoint/sealed';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataAgent, SEAL } from './programs/data-agent.ts';
import { type PreviousVersion, versionAt, versionBefore } from './support/previous-version.ts';
import { scratchFolder } from './support/scratch-folder.ts';

/** The last migration of the tables on SQLite. */
async function newestMigration(): Promise<string> {
  const path = join(scratchFolder('newest-migration'), 'desk.db');
  const { pending } = await sqliteMigrator({ path }).status();
  return pending.at(-1) ?? '';
}

// PostgreSQL is covered by two-versions.test.ts, in both directions.
describe.each([
  ['the previous commit', async () => versionAt('HEAD^1')],
  ['the version before the last migration', async () => versionBefore(await newestMigration())],
] as const)('data that %s stored', (_name, find) => {
  let folder: string;
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');

  beforeAll(async () => {
    folder = scratchFolder('upgrade');
    await writeData(await find(), folder);
  });

  it('on SQLite: a parked run is decided, and executes its call once', async () => {
    const paid: string[] = [];
    const store = await sqliteStore({ path: join(folder, 'desk.db') });
    const desk = openDesk({ store, agents: { clerk: { agent: dataAgent(paid) } } });
    const [hold] = (await desk.holds({ runId: read('run.txt') })).items;
    expect(hold).toMatchObject({ toolName: 'pay', preview: 'Pay 40 euros to ACME' });

    const { id = '', digest = '' } = hold ?? {};
    await desk.decide(id, { kind: 'approve' }, { by: { id: 'grace' }, digest });
    await desk.drain();

    expect(await desk.run(read('run.txt'))).toMatchObject({ state: 'finished', output: 'Done.' });
    expect(paid).toEqual(['ACME 40']);
    const entries = exportAudit(store, { tenant: 'default' });
    expect((await verifyAudit({ tenant: 'default', entries })).problems).toEqual([]);
    await desk.close();
  });

  it('as messages: a parked run is resumed', async () => {
    const paid: string[] = [];
    const messages = messageCodec.parse(read('messages.json'));
    const requests = requestsFromMessages(messages);

    const results = requests?.buildResults({ approveAll: true });
    if (results === undefined) expect.fail('The messages have no pending calls.');
    const finished = await dataAgent(paid).resume({ messages }, results);

    expect(finished.output).toBe('Done.');
    expect(paid).toEqual(['ACME 40']);
  });

  it('as a sealed run: it is opened with the same content', async () => {
    const { requests } = await sealedRuns(SEAL).open(read('sealed.txt'));

    const [call] = requests;
    expect(call).toMatchObject({ toolName: 'pay', args: { to: 'ACME', euros: 40 } });
  });
});

/** Executes `write-data.ts` with the sources of another version. */
async function writeData(version: PreviousVersion, folder: string): Promise<void> {
  version.pathOf('data-agent.ts');
  const child = spawn(
    process.execPath,
    ['--conditions=holdpoint-source', version.pathOf('write-data.ts'), folder],
    { stdio: 'inherit' },
  );
  expect(await once(child, 'exit')).toEqual([0, null]);
}
