import { postgresStore } from '@holdpoint/desk';
import {
  poolFor,
  PostgresServer,
} from '../../packages/desk/test/platform/support/postgres-server.ts';
import { fieldsOf, toColumns } from '../../packages/desk/src/store/tables/row-codec.ts';
import { columnOf } from '../../packages/desk/src/store/tables/table-spec.ts';
import { BODY } from './sqlite.mjs';

/** The number of connections per store: more than there are concurrent decisions. */
const CONNECTIONS = 20;

/** Two stores in a PostgreSQL server that is started for it, and what a bare commit costs beside them. */
export async function openPostgres() {
  const server = await PostgresServer.start();
  const urls = [await server.newSchema(), await server.newSchema()];
  const pools = urls.map((url) => poolFor(url, { max: CONNECTIONS }));
  const stores = [];
  for (const pool of pools) {
    const store = await postgresStore({ pool });
    stores.push({ store, insert: (tables) => insertRows(pool, tables) });
  }
  const bare = poolFor(urls[0], { max: CONNECTIONS });
  // The server may end before the last connection has.
  for (const pool of [...pools, bare]) pool.on('error', () => {});
  await bare.query('create table bare (id bigint, body text)');
  let before;
  return {
    name: 'PostgreSQL',
    stores,
    commit: (index) =>
      bare.query({ name: 'bare', text: 'insert into bare values ($1, $2)', values: [index, BODY] }),
    /** Has the planner know what is there, as it does a while after rows were written. */
    async settle() {
      for (const pool of pools) await pool.query('vacuum analyze');
      before = await scannedRows(pools[1]);
    },
    /** Small tables are rightly read whole. */
    async scans(parked) {
      const after = await scannedRows(pools[1]);
      return Object.entries(after)
        .map(([table, rows]) => [table, rows - (before?.[table] ?? 0)])
        .filter(([, rows]) => rows >= parked)
        .map(([table, rows]) => `${rows} rows of ${table} were read by walking over the table`);
    },
    async close() {
      for (const { store } of stores) await store.close();
      for (const pool of [...pools, bare]) await pool.end();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Writes many rows, past the store. */
async function insertRows(pool, tables) {
  for (const [table, rows] of tables) {
    const names = fieldsOf(table).map(columnOf);
    const records = rows.map((row) => {
      const values = toColumns(table, row);
      return Object.fromEntries(names.map((name, index) => [name, values[index]]));
    });
    await pool.query(
      `insert into ${table.name} select * from json_populate_recordset(null::${table.name}, $1)`,
      [JSON.stringify(records)],
    );
  }
}

/** How many rows were read without an index so far, by table. */
async function scannedRows(pool) {
  const { rows } = await pool.query(`select relname, seq_tup_read from pg_stat_user_tables
    where schemaname = current_schema() and relname like 'desk_%'`);
  return Object.fromEntries(
    rows.map(({ relname, seq_tup_read }) => [relname, Number(seq_tup_read)]),
  );
}
