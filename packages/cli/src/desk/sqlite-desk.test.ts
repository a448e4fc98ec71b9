import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteStore } from '@holdpoint/desk';
import { UserError } from 'holdpoint';
import { afterAll, describe, expect, it } from 'vitest';
import { openSqliteDesk } from './sqlite-desk.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-open-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

const open = (name: string) =>
  openSqliteDesk({ kind: 'store', path: join(folder, name), by: 'grace', tenant: 'default' });

/** Creates the file of a desk and executes statements of another program. */
async function deskFile(name: string, ...statements: readonly string[]): Promise<DatabaseSync> {
  await (await sqliteStore({ path: join(folder, name) })).close();
  const database = new DatabaseSync(join(folder, name));
  for (const statement of statements) database.exec(statement);
  return database;
}

describe('a desk in a SQLite file', { timeout: 20_000 }, () => {
  it('lists its runs', async () => {
    (await deskFile('good.db')).close();

    await using desk = await open('good.db');

    expect(await desk.client.runs()).toEqual({ items: [] });
  });

  it.each([
    ['is missing', 'nothing.db', /^There is no file `.*nothing\.db`\. Pass the path/],
    ['is a folder', 'folder.db', /^There is no file `.*folder\.db`\./],
    ['is a text file', 'text.db', /is not the SQLite file of a desk/],
    ['is another database', 'other.db', /is not the SQLite file of a desk/],
  ])('is rejected if it %s, and is not created', async (_, name, problem) => {
    mkdirSync(join(folder, 'folder.db'), { recursive: true });
    writeFileSync(join(folder, 'text.db'), 'Hello. '.repeat(200));
    const other = new DatabaseSync(join(folder, 'other.db'));
    other.exec('create table if not exists books (title text)');
    other.close();

    await expect(open(name)).rejects.toThrow(problem);
    await expect(open(name)).rejects.toBeInstanceOf(UserError);
  });

  it('is rejected if a newer version has migrated it', async () => {
    (await deskFile('newer.db', "insert into desk_migrations values ('9999-later', 0)")).close();

    await expect(open('newer.db')).rejects.toThrow(/newer version.*\(9999-later\)/);
    await expect(open('newer.db')).rejects.toBeInstanceOf(UserError);
  });

  it('is rejected after a timeout if another program locks it', async () => {
    const statements = ['pragma locking_mode = exclusive', 'begin exclusive'];
    const database = await deskFile('locked.db', ...statements);

    try {
      await expect(open('locked.db')).rejects.toThrow(/is locked\. Another program kept/);
    } finally {
      database.close();
    }
  });
});
