import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LEASE_MS, LimitContestant } from './limit.mjs';

/** Opens LIMIT on SQLite: each transition is one transaction of prepared statements. */
export async function open({ folder }) {
  const database = new DatabaseSync(join(folder, 'limit.sqlite'), { timeout: 10_000 });
  database.exec('pragma journal_mode = wal; pragma synchronous = full');
  database.exec(TABLES);
  return new LimitContestant(new LimitSqlite(database));
}

const TABLES = `
  create table if not exists limit_runs (
    id text primary key, state text not null, history text not null, call text not null,
    digest text not null, decision text, due integer, fence integer not null,
    updated_at integer not null, audit_count integer not null, audit_hash text not null);
  create index if not exists limit_runs_due on limit_runs (due) where due is not null;
  create table if not exists limit_calls (
    run_id text not null references limit_runs, id text not null, digest text not null,
    fence integer not null, outcome text, primary key (run_id, id));
  create table if not exists limit_audit (
    run_id text not null references limit_runs, number integer not null, at integer not null,
    kind text not null, data text not null, previous text not null, hash text not null,
    primary key (run_id, number));
  create table if not exists limit_outbox (
    id integer primary key, run_id text not null references limit_runs, kind text not null,
    at integer not null)`;

const SQL = {
  begin: 'begin immediate',
  commit: 'commit',
  rollback: 'rollback',
  insert: `insert into limit_runs values (?, 'parked', ?, ?, ?, null, null, 0, ?, 1, ?)`,
  get: 'select * from limit_runs where id = ?',
  due: 'select * from limit_runs where due <= ? order by due limit 1',
  update: `update limit_runs set state = ?, history = ?, decision = ?, due = ?, fence = ?,
    updated_at = ?, audit_count = ?, audit_hash = ? where id = ?`,
  audit: 'insert into limit_audit values (?, ?, ?, ?, ?, ?, ?)',
  outbox: 'insert into limit_outbox (run_id, kind, at) values (?, ?, ?)',
  startCall: `insert into limit_calls (run_id, id, digest, fence) values (?, ?, ?, ?)
    on conflict do nothing`,
  settleCall: `update limit_calls set outcome = ? where run_id = ? and id = ? and outcome is null`,
  finished: `select count(*) as count from limit_runs where state = 'finished' and audit_count = 6
    and id in (select value from json_each(?))`,
};

class LimitSqlite {
  #database;
  #statements;

  constructor(database) {
    this.#database = database;
    this.#statements = Object.fromEntries(
      Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)]),
    );
  }

  async start({ id, history, call, digest }) {
    return this.#transact((now) => {
      const hash = this.#hash({ id, number: 1, now, kind: 'parked', data: digest, previous: '' });
      this.#statements.insert.run(id, history, call, digest, now, hash);
      this.#statements.audit.run(id, 1, now, 'parked', digest, '', hash);
      this.#statements.outbox.run(id, 'parked', now);
      return { id };
    });
  }

  async decide({ id, digest, decision }) {
    return this.#transact((now) => {
      const run = this.#statements.get.get(id);
      if (run?.state !== 'parked' || run.digest !== digest) return undefined;
      const change = { state: 'ready', decision, due: now };
      return this.#update(run, change, { now, kind: 'decided', data: decision, emits: true });
    });
  }

  async claim() {
    return this.#transact((now) => {
      const run = this.#statements.due.get(now);
      if (run === undefined) return undefined;
      const change = { state: 'running', fence: run.fence + 1, due: now + LEASE_MS };
      return this.#update(run, change, { now, kind: 'claimed', data: '-' });
    });
  }

  async startCall({ id, fence, callId, digest }) {
    return this.#transact((now) => {
      const run = this.#held(id, fence);
      if (run === undefined) return undefined;
      const { changes } = this.#statements.startCall.run(id, callId, digest, fence);
      if (changes === 0) return undefined;
      return this.#update(
        run,
        { due: now + LEASE_MS },
        { now, kind: 'call-started', data: digest },
      );
    });
  }

  async settleCall({ id, fence, callId, outcome, history }) {
    return this.#transact((now) => {
      const run = this.#held(id, fence);
      if (run === undefined) return undefined;
      const { changes } = this.#statements.settleCall.run(outcome, id, callId);
      if (changes === 0) return undefined;
      return this.#update(run, { history }, { now, kind: 'call-settled', data: outcome });
    });
  }

  async finish({ id, fence, history }) {
    return this.#transact((now) => {
      const run = this.#held(id, fence);
      if (run === undefined) return undefined;
      const change = { state: 'finished', due: null, history };
      return this.#update(run, change, { now, kind: 'finished', data: '-', emits: true });
    });
  }

  async verify(orders) {
    const { count } = this.#statements.finished.get(JSON.stringify(orders));
    if (count !== orders.length) throw new Error('A run is not finished, or its audit has a gap.');
  }

  async close() {
    this.#database.close();
  }

  #held(id, fence) {
    const run = this.#statements.get.get(id);
    return run?.state === 'running' && run.fence === fence ? run : undefined;
  }

  #update(run, change, { now, kind, data, emits = false }) {
    const { id, audit_hash: previous } = run;
    const number = run.audit_count + 1;
    const hash = this.#hash({ id, number, now, kind, data, previous });
    const next = { ...run, ...change };
    const { state, history, decision, due, fence } = next;
    this.#statements.update.run(state, history, decision, due, fence, now, number, hash, id);
    this.#statements.audit.run(id, number, now, kind, data, previous, hash);
    if (emits) this.#statements.outbox.run(id, kind, now);
    return next;
  }

  #hash({ id, number, now, kind, data, previous }) {
    return createHash('sha256')
      .update([id, number, now, kind, data, previous].join('|'))
      .digest('hex');
  }

  #transact(work) {
    this.#statements.begin.run();
    try {
      const result = work(Date.now());
      this.#statements.commit.run();
      return result;
    } catch (error) {
      this.#statements.rollback.run();
      throw error;
    }
  }
}
