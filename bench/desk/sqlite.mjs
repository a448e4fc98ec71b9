import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteStore } from '@holdpoint/desk';
import { fieldsOf, toColumns } from '../../packages/desk/src/store/tables/row-codec.ts';
import { columnOf } from '../../packages/desk/src/store/tables/table-spec.ts';

/** Two stores in SQLite, and what a bare commit costs beside them. */
export async function openSqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-'));
  const statements = watchStatements();
  const paths = ['small', 'large'].map((name) => join(folder, `${name}.sqlite`));
  const stores = [];
  for (const path of paths) {
    const store = await sqliteStore({ path });
    stores.push({ store, insert: async (tables) => insertRows(path, tables) });
  }
  const bare = new DatabaseSync(join(folder, 'bare.sqlite'));
  bare.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table bare (id integer, body text)',
  );
  const insert = bare.prepare('insert into bare values (?, ?)');
  return {
    name: 'SQLite',
    stores,
    commit: async (index) => insert.run(index, BODY),
    async settle() {},
    scans: async () => scansOf(paths[1], statements),
    async close() {
      bare.close();
      for (const { store } of stores) await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Writes many rows in one transaction, past the store. */
function insertRows(path, tables) {
  using database = new DatabaseSync(path, { timeout: 10_000 });
  database.exec('begin immediate');
  for (const [table, rows] of tables) {
    const columns = fieldsOf(table).map((field) => `"${columnOf(field)}"`);
    const places = columns.map(() => '?').join(', ');
    const insert = database.prepare(
      `insert into ${table.name} (${columns.join(', ')}) values (${places})`,
    );
    for (const row of rows) insert.run(...toColumns(table, row));
  }
  database.exec('commit');
}

/** The row that a bare commit writes. */
export const BODY = 'x'.repeat(200);

/** Collects the statements that are prepared from now on. */
function watchStatements() {
  const seen = new Set();
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (sql, ...rest) {
    seen.add(sql);
    return prepare.call(this, sql, ...rest);
  };
  return seen;
}

/** The statements of the desk that walk over a whole table, by the plans of the database. */
function scansOf(path, statements) {
  using database = new DatabaseSync(path, { readOnly: true });
  const scans = [];
  for (const sql of [...statements].filter((one) =>
    /^\s*(select|update|delete)[^]*desk_(?!migrations)/i.test(one),
  )) {
    const explain = database.prepare(`explain query plan ${sql}`);
    const steps = explain.all(...Array.from({ length: sql.split('?').length - 1 }, () => null));
    const plan = steps.map(({ detail }) => detail).join('; ');
    if (isWalk(plan)) scans.push(`${plan}: ${sql.replaceAll(/\s+/g, ' ')}`);
  }
  return scans;
}

/** Returns true if a query reads a whole table, or sorts more than the rows of one run. */
function isWalk(plan) {
  if (/SCAN/.test(plan)) return true;
  return /TEMP B-TREE/.test(plan) && !/run_id=\?/.test(plan);
}
