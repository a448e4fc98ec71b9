import { Pool } from 'pg';
import { LEASE_MS, LimitContestant } from './limit.mjs';

/** Opens LIMIT on PostgreSQL: each transition is one prepared statement. */
export async function open({ url, connections }) {
  const pool = new Pool({ connectionString: url, max: connections });
  await pool.query(TABLES);
  return new LimitContestant(new LimitPostgres(pool));
}

const TABLES = `
  create table if not exists limit_runs (
    id text primary key,
    state text not null,
    history text not null,
    call text not null,
    digest text not null,
    decision text,
    due bigint,
    fence bigint not null,
    updated_at bigint not null,
    audit_count bigint not null,
    audit_hash text not null);
  create index if not exists limit_runs_due on limit_runs (due) where due is not null;
  create table if not exists limit_calls (
    run_id text not null references limit_runs,
    id text not null,
    digest text not null,
    fence bigint not null,
    outcome text,
    primary key (run_id, id));
  create table if not exists limit_audit (
    run_id text not null references limit_runs,
    number bigint not null,
    at bigint not null,
    kind text not null,
    data text not null,
    previous text not null,
    hash text not null,
    primary key (run_id, number));
  create table if not exists limit_outbox (
    id bigint generated always as identity primary key,
    run_id text not null references limit_runs,
    kind text not null,
    at bigint not null)`;

const NOW = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** The hash of an audit entry. Table `t` has the run, the time and the head of its chain. */
function hashOf(kind, data) {
  const parts = `t.id || '|' || t.audit_count + 1 || '|' || t.now || '|${kind}|' || ${data} || '|' || t.audit_hash`;
  return `encode(sha256(convert_to(${parts}, 'UTF8')), 'hex')`;
}

function audit(kind, data) {
  return `u as (
    insert into limit_audit (run_id, number, at, kind, data, previous, hash)
    select id, audit_count + 1, now, '${kind}', ${data}, audit_hash, hash from n)`;
}

function outbox(kind) {
  return `o as (insert into limit_outbox (run_id, kind, at) select id, '${kind}', now from n)`;
}

/** Locks the run, then reads the clock; every write joins `n`, so that all of them or none happen. */
function transition({ kind, data, locked, first = [], joined = '', set, emits }) {
  return `with p as (select * from limit_runs where ${locked}),
    t as (select p.*, ${NOW} as now from p),
    ${first.map((one) => `${one},`).join('\n')}
    n as (select t.*, ${hashOf(kind, data)} as hash from t ${joined}),
    ${audit(kind, data)},
    ${emits ? `${outbox(emits)},` : ''}
    r as (update limit_runs r set ${set}, updated_at = n.now, audit_count = n.audit_count + 1,
      audit_hash = n.hash from n where r.id = n.id returning r.*)
    select id, fence, history, call, digest, decision from r`;
}

const HELD = `id = $1 and fence = $2::bigint and state = 'running' for update`;

const STATEMENTS = {
  start: `with t as (select $1::text as id, 0 as audit_count, ''::text as audit_hash, ${NOW} as now),
    n as (select t.*, ${hashOf('parked', '$4::text')} as hash from t),
    r as (insert into limit_runs
      select id, 'parked', $2, $3, $4, null, null, 0, now, 1, hash from n),
    ${audit('parked', '$4::text')},
    ${outbox('parked')}
    select id from n`,
  decide: transition({
    kind: 'decided',
    data: '$3::text',
    locked: `id = $1 and state = 'parked' and digest = $2 for update`,
    set: `state = 'ready', decision = $3, due = n.now`,
    emits: 'decided',
  }),
  claim: transition({
    kind: 'claimed',
    data: `'-'`,
    locked: `due <= (select ${NOW}) order by due limit 1 for update skip locked`,
    set: `state = 'running', fence = n.fence + 1, due = n.now + ${LEASE_MS}`,
  }),
  startCall: transition({
    kind: 'call-started',
    data: '$4::text',
    locked: HELD,
    first: [
      `c as (insert into limit_calls (run_id, id, digest, fence)
        select id, $3, $4, fence from t on conflict do nothing returning run_id)`,
    ],
    joined: 'join c on c.run_id = t.id',
    set: `due = n.now + ${LEASE_MS}`,
  }),
  settleCall: transition({
    kind: 'call-settled',
    data: '$4::text',
    locked: HELD,
    first: [
      `c as (update limit_calls c set outcome = $4 from t
        where c.run_id = t.id and c.id = $3 and c.outcome is null returning c.run_id)`,
    ],
    joined: 'join c on c.run_id = t.id',
    set: `history = $5`,
  }),
  finish: transition({
    kind: 'finished',
    data: `'-'`,
    locked: HELD,
    set: `state = 'finished', due = null, history = $3`,
    emits: 'finished',
  }),
};

/** The number of audit entries of a finished run, which is one per transition. */
const ENTRIES = Object.keys(STATEMENTS).length;

class LimitPostgres {
  #pool;

  constructor(pool) {
    this.#pool = pool;
  }

  start = ({ id, history, call, digest }) => this.#run('start', [id, history, call, digest]);
  decide = ({ id, digest, decision }) => this.#run('decide', [id, digest, decision]);
  claim = () => this.#run('claim', []);
  startCall = ({ id, fence, callId, digest }) =>
    this.#run('startCall', [id, fence, callId, digest]);
  settleCall = ({ id, fence, callId, outcome, history }) =>
    this.#run('settleCall', [id, fence, callId, outcome, history]);
  finish = ({ id, fence, history }) => this.#run('finish', [id, fence, history]);

  /** Throws unless the runs are finished and their audit chains are complete. */
  async verify(orders) {
    const { rows } = await this.#pool.query(
      `select count(*) from limit_runs r where id = any($1) and state = 'finished' and
        (select count(*) from limit_audit a left join limit_audit b
          on b.run_id = a.run_id and b.number = a.number - 1
          where a.run_id = r.id and a.previous = coalesce(b.hash, '')) = $2`,
      [orders, ENTRIES],
    );
    if (Number(rows[0].count) !== orders.length) throw new Error('An audit chain is not complete.');
  }

  close() {
    return this.#pool.end();
  }

  async #run(name, values) {
    const { rows } = await this.#pool.query({ name, text: STATEMENTS[name], values });
    return rows[0];
  }
}
