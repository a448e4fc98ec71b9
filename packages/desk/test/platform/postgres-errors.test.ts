import { type ErrorContext, postgresStore } from '@holdpoint/desk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { poolFor, PostgresServer } from './support/postgres-server.ts';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

describe('desk B13: a store in PostgreSQL', () => {
  it('reports errors of idle connections, and an outage of the listening one once', async () => {
    const url = await server.newDatabase();
    const pool = poolFor(url);
    const admin = poolFor(url);
    const reported: [unknown, ErrorContext][] = [];
    const onError = (error: unknown, context: ErrorContext) => reported.push([error, context]);
    const store = await postgresStore({ pool, onError });
    const heard = new Promise<void>((resolve) => {
      store.onDue(() => resolve());
    });
    // The first connection listens; the second is idle in the pool.
    await heard;
    await store.read((tx) => tx.now());

    await admin.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );

    await expect.poll(() => reported.length).toBeGreaterThan(0);
    expect(String(reported[0]?.[0])).toMatch(/terminat/);
    expect(await store.read((tx) => tx.now())).toBeGreaterThan(0);
    await store.close();
    await pool.end();
    await admin.end();
  });

  it('names the option to check if the server rejects the user or has no such database', async () => {
    const url = await server.newDatabase();
    const wrong = [url.replace(/:[^:@]+@/, ':wrong@'), server.urlOf('missing')];

    for (const [index, expected] of ['password', 'database "missing" does not exist'].entries()) {
      const pool = poolFor(wrong[index] ?? '');
      await expect(postgresStore({ pool })).rejects.toMatchObject({
        code: 'store-unreachable',
        message: expect.stringMatching(
          new RegExp(`${expected}.* Check the user, the password and the database name`),
        ),
      });
      await pool.end();
    }
  });
});
