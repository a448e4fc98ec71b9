import { postgresStore } from '@holdpoint/desk';
import { Client, Pool } from 'pg';
import { BenchPostgres } from '../servers/postgres-server.mjs';
import { BODY } from './commit-bench.mjs';
import { copyStatements, isCopied } from './copy-rows.mjs';

/** More connections than concurrent decisions. */
const CONNECTIONS = 20;

const DIALECT = {
  series: (from, to) => `generate_series(${from}, ${to}) n`,
  idOf: (column) => `lpad(to_hex(n), 8, '0') || substr(${column}, 9)`,
};

/** Starts a PostgreSQL server for stores with different numbers of parked runs. */
export async function openPostgres() {
  const server = await BenchPostgres.start();
  const pools = [];
  const newPool = (database, config = {}) => {
    const connectionString = server.urlOf(database);
    const pool = new Pool({ connectionString, max: CONNECTIONS, ...config });
    // The server may stop before the last connection has ended.
    pool.on('error', () => {});
    pools.push(pool);
    return pool;
  };
  const bare = newPool('postgres');
  await bare.query('create table bare (id bigint, body text)');
  return {
    name: 'PostgreSQL',
    commit: (index) =>
      bare.query({ name: 'bare', text: 'insert into bare values ($1, $2)', values: [index, BODY] }),
    async newStore(parked) {
      const database = `parked_${parked}`;
      await server.createDatabase(database);
      return openStore(newPool(database, { Client: CountingClient }), newPool(database));
    },
    async close() {
      for (const pool of pools) await pool.end();
      await server.stop();
    },
  };
}

let queries = 0;

class CountingClient extends Client {
  query(...args) {
    queries += 1;
    return super.query(...args);
  }
}

async function openStore(pool, admin) {
  const store = await postgresStore({ pool, onError() {} });
  let before;
  return {
    store,
    countQueries: () => queries,
    copyRows: (count) => copyRows(admin, count),
    /** Updates the statistics of the planner, as the server does a while after rows were written. */
    async settle() {
      await admin.query('vacuum analyze');
      before = await scannedRows(admin);
    },
    /** Returns the tables that were read whole. Small tables are read whole for good reason. */
    async scans(parked) {
      const after = await scannedRows(admin);
      return Object.entries(after)
        .map(([table, rows]) => [table, rows - (before[table] ?? 0)])
        .filter(([, rows]) => rows >= parked)
        .map(([table, rows]) => `${rows} rows of ${table} were read without an index`);
    },
    close: () => store.close(),
  };
}

async function copyRows(admin, count) {
  const client = await admin.connect();
  try {
    // The copies are complete, so foreign keys need no checks.
    await client.query('set session_replication_role = replica');
    for (const statement of copyStatements(await tablesOf(client), count, DIALECT)) {
      await client.query(statement);
    }
    await client.query(
      `select setval('desk_outbox_sequence', (select max(sequence) + 1 from desk_outbox))
        where to_regclass('desk_outbox_sequence') is not null`,
    );
  } finally {
    client.release(true);
  }
}

async function tablesOf(client) {
  const { rows } = await client.query(
    `select table_name, column_name, data_type from information_schema.columns
      where table_schema = current_schema() and is_generated = 'NEVER' order by ordinal_position`,
  );
  const tables = new Map();
  for (const { table_name: table, column_name: name, data_type: type } of rows) {
    if (!isCopied(table)) continue;
    if (!tables.has(table)) tables.set(table, []);
    tables.get(table).push({ name, isText: type === 'text' });
  }
  return tables;
}

/** Returns the number of rows that were read without an index so far, by table. */
async function scannedRows(pool) {
  const { rows } = await pool.query(`select relname, seq_tup_read from pg_stat_user_tables
    where schemaname = current_schema() and relname like 'desk_%'`);
  return Object.fromEntries(
    rows.map(({ relname, seq_tup_read }) => [relname, Number(seq_tup_read)]),
  );
}
