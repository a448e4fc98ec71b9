import type { PostgresPool } from '@holdpoint/desk';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { SOAK_TIMES } from '../../../core/test/support/soak.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { checkProperty } from '../property/support/check-property.ts';
import type { StoryStore } from '../property/support/stage.ts';
import { PostgresServer } from './support/postgres-server.ts';

const CASES = 500 * SOAK_TIMES;
/** Stories that are played at the same time, each in its own schema. */
const LANES = 4;

const SEED = Number(process.env['RANDOM_SEED'] ?? 20_261_117);

describe('a call at the desk', () => {
  let server: PostgresServer;

  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  it(`executes only if eligible approvers who were shown it meet its policy (${CASES} stories on PostgreSQL)`, {
    timeout: 300_000 * SOAK_TIMES,
  }, async () => {
    let schemas = 0;
    // Migrations of a server exclude each other. A store that waits for several of them gives up on a busy machine.
    let last: Promise<unknown> = Promise.resolve();
    const open = () => {
      const store = last.then(() => storyStore(server, `stories_${++schemas}`));
      last = store.catch(() => {});
      return store;
    };

    const lanes = Array.from({ length: LANES }, (_, lane) =>
      checkProperty(
        { open, storiesPerStore: 100 },
        { cases: Math.ceil(CASES / LANES), seed: SEED + lane },
      ),
    );
    await Promise.all(lanes);
  });
});

const START = Date.UTC(2026, 0, 1);

/** Opens a store in a new schema, whose `clock_timestamp` changes only when a story advances it. */
async function storyStore(server: PostgresServer, schema: string): Promise<StoryStore> {
  await server.execute(`create schema ${schema}`);
  await server.execute(`create table ${schema}.moved (ms bigint not null)`);
  await server.execute(`insert into ${schema}.moved values (${START})`);
  await server.execute(
    `create function ${schema}.clock_timestamp() returns timestamptz language sql volatile as ` +
      `$$ select timestamptz 'epoch' + (select ms from ${schema}.moved) * interval '1 millisecond' $$`,
  );
  const options = encodeURIComponent(`-c search_path=${schema},pg_catalog`);
  const pool = new Pool({ connectionString: `${server.urlOf('postgres')}?options=${options}` });
  let time = START;
  // The pool has more members than the store needs.
  const store = await openPostgresStore(
    { pool: pool as unknown as PostgresPool },
    // Only the story advances its time.
    {
      set() {},
      get now() {
        return time;
      },
    },
  );
  const { close } = store;
  store.close = async () => {
    await close.call(store);
    await pool.end();
  };
  return {
    store,
    clock: {
      now: () => time,
      async advance(ms) {
        time += ms;
        await pool.query('update moved set ms = ms + $1', [ms]);
      },
    },
  };
}
