/** The desk on PostgreSQL with Restate in place of the built-in worker. */
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresStore } from '@holdpoint/desk';
import { serveDesk } from '@holdpoint/restate';
import { Pool } from 'pg';
import { DeskContestant } from './desk.mjs';

const POLL_MS = 10;

export async function open({ url, connections, ingress, admin, measured }) {
  const pool = new Pool({ connectionString: url, max: connections });
  const contestant = new DeskContestant(await postgresStore({ pool }), untilNothingIsDue);
  const { concurrency } = measured;
  const served = serveDesk(contestant.desk, { ingress, concurrency, logger: () => {} });
  await register(admin, `http://127.0.0.1:${await served.listen(0)}`);
  return contestant;
}

/** Restate executes runs as soon as they are due. */
async function untilNothingIsDue(desk) {
  while ((await desk.runs({ states: ['ready', 'running'], limit: 1 })).items.length > 0) {
    await sleep(POLL_MS);
  }
}

async function register(admin, uri) {
  const response = await fetch(`${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri }),
  });
  if (!response.ok) throw new Error(`${admin}: ${response.status} ${await response.text()}`);
}
