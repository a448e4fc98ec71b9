import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { sqliteStore } from '@holdpoint/desk';
import { BODY } from './commit-bench.mjs';
import { copyStatements, isCopied } from './copy-rows.mjs';

const DIALECT = {
  series: (from, to) => `(with recursive numbers(n) as
    (select ${from} union all select n + 1 from numbers where n < ${to}) select n from numbers)`,
  idOf: (column) => `printf('%08x', n) || substr(${column}, 9)`,
};

/** Creates a folder for stores with different numbers of parked runs. */
export async function openSqlite() {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-bench-'));
  const watch = watchStatements();
  const bare = new DatabaseSync(join(folder, 'bare.sqlite'));
  bare.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table bare (id integer, body text)',
  );
  const insert = bare.prepare('insert into bare values (?, ?)');
  return {
    name: 'SQLite',
    commit: async (index) => insert.run(index, BODY),
    async newStore(parked) {
      const path = join(folder, `parked-${parked}.sqlite`);
      const store = await sqliteStore({ path });
      return {
        store,
        countQueries: () => watch.queries,
        copyRows: async (count) => copyRows(path, count),
        async settle() {},
        scans: async () => scansOf(path, watch.statements),
        close: () => store.close(),
      };
    },
    async close() {
      watch.end();
      bare.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function copyRows(path, count) {
  // The copies are complete, so foreign keys need no checks.
  const options = { timeout: 10_000, enableForeignKeyConstraints: false };
  using database = new DatabaseSync(path, options);
  const tables = new Map();
  const named = database.prepare(`select name from sqlite_master where type = 'table'`).all();
  for (const { name } of named.filter((one) => isCopied(one.name))) {
    const columns = database.prepare(`select name, type from pragma_table_info(?)`).all(name);
    tables.set(
      name,
      columns.map((column) => ({ name: column.name, isText: /text/i.test(column.type) })),
    );
  }
  for (const statement of copyStatements(tables, count, DIALECT)) database.exec(statement);
}

/** Collects the statements that are prepared until `end`, and counts their executions. */
function watchStatements() {
  const { prepare } = DatabaseSync.prototype;
  const executes = Object.fromEntries(
    ['all', 'get', 'iterate', 'run'].map((name) => [name, StatementSync.prototype[name]]),
  );
  const watch = {
    statements: new Set(),
    queries: 0,
    end() {
      Object.assign(DatabaseSync.prototype, { prepare });
      Object.assign(StatementSync.prototype, executes);
    },
  };
  DatabaseSync.prototype.prepare = function (sql, ...rest) {
    watch.statements.add(sql);
    return prepare.call(this, sql, ...rest);
  };
  for (const [name, execute] of Object.entries(executes)) {
    StatementSync.prototype[name] = function (...values) {
      watch.queries += 1;
      return execute.apply(this, values);
    };
  }
  return watch;
}

/** Returns the statements of the desk that read a whole table, by the plans of the database. */
function scansOf(path, statements) {
  using database = new DatabaseSync(path, { readOnly: true });
  const scans = [];
  for (const sql of [...statements].filter((one) =>
    /^\s*(select|update|delete)[^]*desk_(?!migrations)/i.test(one),
  )) {
    const explain = database.prepare(`explain query plan ${sql}`);
    const steps = explain.all(...Array.from({ length: sql.split('?').length - 1 }, () => null));
    const plan = steps.map(({ detail }) => detail).join('; ');
    if (isScan(plan)) scans.push(`${plan}: ${sql.replaceAll(/\s+/g, ' ')}`);
  }
  return scans;
}

/** Returns true if a query reads a whole table, or sorts more than the rows of one run. */
function isScan(plan) {
  if (/SCAN/.test(plan)) return true;
  return /TEMP B-TREE/.test(plan) && !/run_id=\?/.test(plan);
}
