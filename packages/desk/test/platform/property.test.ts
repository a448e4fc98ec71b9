import { postgresStore } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOAK_TIMES } from '../../../core/test/support/soak.ts';
import { checkProperty } from '../property/support/check-property.ts';
import { PROPERTY } from '../property/support/describe-property.ts';
import { newTally } from '../property/support/play.ts';
import type { StoryStore } from '../property/support/stage.ts';
import { stories } from '../property/support/stories.ts';
import { TestClock } from '../property/support/test-clock.ts';
import { poolFor, PostgresServer } from './support/postgres-server.ts';

const CASES = 520 * SOAK_TIMES;
/** Stories that are played at once, each in a schema of its own. */
const LANES = 4;

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Opens a schema whose clock a story moves: its `clock_timestamp` hides that of PostgreSQL. */
async function openPostgres(): Promise<StoryStore> {
  const url = `${await server.newSchema()}%2Cpg_catalog`;
  const pool = poolFor(url, { max: 3 });
  const clock = new TestClock();
  await pool.query('create table story_clock (ms bigint)');
  await pool.query('insert into story_clock values ($1)', [clock.now()]);
  await pool.query(`create function clock_timestamp() returns timestamptz language sql
    as 'select to_timestamp(ms / 1000.0) from story_clock'`);
  const store = await postgresStore({ pool });
  return {
    store: { ...methodsOf(store), close: () => store.close().then(() => pool.end()) },
    clock: {
      now: clock.now,
      async advance(ms) {
        await clock.advance(ms);
        await pool.query('update story_clock set ms = $1', [clock.now()]);
      },
    },
  };
}

function methodsOf(store: StoryStore['store']): StoryStore['store'] {
  return {
    write: (work) => store.write(work),
    read: (work) => store.read(work),
    onDue: (listener) => store.onDue(listener),
    forgetBefore: (time) => store.forgetBefore(time),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

describe('the property of the desk, in random stories on PostgreSQL', () => {
  it(PROPERTY, {
    timeout: 300_000 * SOAK_TIMES,
  }, async () => {
    const tally = newTally();
    const numRuns = Math.ceil(CASES / LANES);

    await Promise.all(
      Array.from({ length: LANES }, (_, lane) =>
        checkProperty(openPostgres, stories, { numRuns, lane, tally }),
      ),
    );

    expect(tally.executions).toBeGreaterThan(CASES / 4);
    for (const what of ['byGrant', 'edited', 'quorums', 'requestedAgain'] as const) {
      expect(tally[what], what).toBeGreaterThan(0);
    }
  });
});
