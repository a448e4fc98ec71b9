import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sqliteMigrator } from './sqlite-migrator.ts';
import { sqliteStore } from './sqlite-store.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdpoint-migrator-'));
  path = join(folder, 'desk.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

const MIGRATIONS = [
  '0001-first-schema',
  '0002-retention.since-0001',
  '0003-approver-order.since-0001',
  '0004-questions.since-0001',
  '0005-requests.since-0001',
  '0006-people.since-0001',
];

describe('the migrator of SQLite', () => {
  it('creates the tables, which a store without migrations then opens', async () => {
    const migrator = sqliteMigrator({ path });
    expect(await migrator.status()).toEqual({ applied: [], pending: MIGRATIONS, newer: [] });
    expect((await migrator.pendingSql())[0]).toMatch(/^create table desk_meta/);
    expect(existsSync(path)).toBe(false);
    await expect(sqliteStore({ path, migrate: false })).rejects.toThrow('Run `holdpoint migrate`');

    expect(await migrator.migrate()).toEqual(MIGRATIONS);

    expect(await migrator.status()).toEqual({ applied: MIGRATIONS, pending: [], newer: [] });
    expect(await migrator.pendingSql()).toEqual([]);
    await (await sqliteStore({ path, migrate: false })).close();
  });

  it.each([
    ['9001-add-x.since-0001', true],
    ['9001-drop-x.since-9001', false],
    ['9001-undeclared', false],
  ])('reports if %s works with this version', async (name, isCompatible) => {
    const migrator = sqliteMigrator({ path });
    await migrator.migrate();
    const database = new DatabaseSync(path);
    database.exec(`insert into desk_migrations values ('${name}', 1)`);
    database.close();

    const opened = sqliteStore({ path }).then((store) => store.close());

    if (isCompatible) await opened;
    else await expect(opened).rejects.toThrow(`A newer version of \`@holdpoint/desk\``);
    expect((await migrator.status()).newer).toEqual([name]);
  });
});
