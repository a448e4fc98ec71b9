import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { describe, expect, it } from 'vitest';
import { asSqliteDatabase } from '../../sqlite/node-sqlite.ts';
import { sqliteStore } from '../../sqlite/sqlite-store.ts';
import { MIGRATIONS } from './index.ts';

const MADE_AT = 1_000_000;
const EVENT = 'e'.repeat(32);

/** Makes a file with the tables as they were before, with rows in them. */
async function oldDatabase(path: string): Promise<void> {
  const database = new DatabaseSync(path);
  const dialect = new SqliteDialect({ database: asSqliteDatabase(database) });
  const db = new Kysely<unknown>({ dialect });
  database.exec('create table desk_migrations (name text primary key, at bigint not null)');
  for (const [name, migrate] of Object.entries(MIGRATIONS)) {
    if (name >= '0005') continue;
    await migrate(db, MADE_AT, 'sqlite');
    database.exec(`insert into desk_migrations values ('${name}', ${MADE_AT})`);
  }
  database.exec(`
    insert into desk_runs (tenant, id, agent, conversation_id, state, requester, input,
      first_position, open_holds, parks, idempotency_key, start_hash, created_at, updated_at,
      audit_count, audit_hash) values
      ('t', 'waiting', 'clerk', 'c1', 'ready', '{"id":"Ada"}', '"prompt"', 0, 0, 0, 'key', 'h', 1, 1, 0, ''),
      ('t', 'ended', 'clerk', 'c2', 'finished', null, null, 0, 0, 0, 'other', 'h', 1, 1, 0, '');
    insert into desk_outbox (tenant, id, run_id, kind, data, at) values
      ('t', 'b', 'r', 'run-started', '{}', 2), ('t', 'c', 'r', 'run-started', '{}', 3),
      ('t', 'a', 'r', 'run-started', '{}', 2);
    insert into desk_tasks (tenant, kind, id, due, fence, tries) values
      ('t', 'run', 'waiting', 1, 0, 0), ('t', 'outbox', 'a', 1, 0, 0),
      ('t', 'webhook', '${EVENT}.receiver', 1, 0, 0);
    insert into desk_tokens (id, kind, tenant, about, data, created_at, expires_at) values
      ('token', 'answer-link', 't', 'hold', '{"person":{"id":"Ada"}}', 1, 2);`);
  await db.destroy();
}

describe('the migration of a database with rows', () => {
  it('keeps prompts, keys, the order of events, queues and the people of tokens', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-migration-'));
    try {
      const path = join(folder, 'desk.sqlite');
      await oldDatabase(path);

      await using store = await sqliteStore({ path });

      await store.write(async (tx) => {
        const [input] = await tx.inputs.ofRun('t', 'waiting', ['queued']);
        expect(input).toMatchObject({ body: '"prompt"', requesterKey: 'ada', number: 1 });
        expect(await tx.inputs.byIdempotencyKey('t', 'ada', 'key')).toEqual(input);
        const ended = await tx.inputs.byIdempotencyKey('t', '', 'other');
        expect(ended).toMatchObject({ runId: 'ended', state: 'delivered' });
        const event = { tenant: 't', id: 'd', runId: 'r', kind: 'run-started', at: 0 } as const;
        await tx.outbox.insert({ ...event, data: {} });
        const { items } = await tx.outbox.list('t', {});
        expect(items.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
        expect((await tx.tasks.get('t', 'run', 'waiting'))?.queue).toBe('clerk');
        expect((await tx.tasks.get('t', 'webhook', `${EVENT}.receiver`))?.queue).toBe('receiver');
        expect(await tx.tasks.get('t', 'outbox', 'a')).toBeUndefined();
        expect(await tx.tokens.findOf('t', 'answer-link', 'ada')).toHaveLength(1);
        expect(await tx.forgottenBefore()).toBe(0);
        expect(await tx.eventConsumerSeenAt()).toBe(0);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
