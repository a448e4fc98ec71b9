import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { postgresStore, sqliteStore, type Store, storeLedger } from '@holdpoint/desk';
import { Client, Pool } from 'pg';
import { ClaimLostError } from '../../src/errors/claim-lost-error.ts';
import type { TaskClaim, TaskKind } from '../../src/model/task-row.ts';
import { sampleHold, sampleInput, sampleRun, sampleTask } from '../../src/testing/sample-rows.ts';
import { TENANT } from '../../src/testing/store-bench.ts';
import { abandonTask } from '../../src/transitions/abandon-task.ts';
import { beginRun } from '../../src/transitions/begin-run.ts';
import { markDelivered } from '../../src/transitions/deliver.ts';
import { expireHold } from '../../src/transitions/expire-hold.ts';
import { releaseRun } from '../../src/transitions/release-run.ts';
import { RunWriter } from '../../src/transitions/run-writer.ts';
import {
  giveUpDelivery,
  recordDelivered,
  recordUndelivered,
} from '../../src/transitions/settle-delivery.ts';
import { claimTask, extendTask, requireClaim } from '../../src/transitions/tasks.ts';
import { COMMIT_PROBES } from './commit-probes.ts';
import { ABOUT, countOf, openStores, type Probe } from './probe-stores.ts';
import { SHARED_PROBES } from './shared-probes.ts';

const LEASE = 1_000;
const EVENT = {
  tenant: TENANT,
  id: 'event-1',
  runId: 'run-1',
  kind: 'run-started',
  data: {},
  at: 1_000,
} as const;
const DELIVERY = {
  tenant: TENANT,
  eventId: 'event-1',
  receiver: 'receiver',
  host: 'example.com',
  state: 'pending',
  attempts: 0,
  createdAt: 1_000,
  changedAt: 1_000,
} as const;

interface StaleClaim {
  readonly store: Store;
  readonly claim: TaskClaim;
}

/** Claims a task, lets its lease end, and claims it again. Returns the first claim. */
async function staleClaim(kind: TaskKind, id: string): Promise<StaleClaim> {
  let time = 10_000;
  const store = await sqliteStore({ now: () => time });
  await store.write(async (tx) => {
    await tx.runs.insert(sampleRun({ state: kind === 'run' ? 'ready' : 'parked', openHolds: 1 }));
    await tx.holds.insert(sampleHold({ expiresAt: 1_000 }));
    await tx.outbox.insert(EVENT);
    await tx.deliveries.insert(DELIVERY);
    await tx.tasks.remove(TENANT, kind, id);
    await tx.tasks.insert(sampleTask({ kind, id }));
  });
  const claim = await claimTask(store, [kind], LEASE);
  time += LEASE + 1;
  const next = await claimTask(store, [kind], LEASE);
  if (claim === undefined || next === undefined) throw new Error('No claim.');
  return { store, claim };
}

/** Returns a description if the work of a worker that has lost its claim is accepted. */
async function rejected(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    const result = await work();
    return result === 'lost' || result === undefined ? undefined : 'It was accepted.';
  } catch (error) {
    if (error instanceof ClaimLostError) return undefined;
    return `It failed with another error: ${String(error)}`;
  }
}

/** Returns a probe for a transition that a worker without a valid claim executes. */
function staleProbe(
  kind: TaskKind,
  id: string,
  work: (stale: StaleClaim) => Promise<unknown>,
): Probe {
  return async () => {
    const stale = await staleClaim(kind, id);
    return rejected(async () => {
      const result = await work(stale);
      return result === undefined ? 'accepted' : result;
    });
  };
}

const WEBHOOK = 'event-1.receiver';

const FENCE_PROBES = {
  'a stale worker changes a run': staleProbe('run', 'run-1', ({ store, claim }) =>
    new RunWriter(store, claim).write(async () => 'accepted'),
  ),
  'a stale worker begins a run': async () => {
    const { store, claim } = await staleClaim('run', 'run-1');
    return rejected(() => beginRun(new RunWriter(store, claim), 5));
  },
  'a stale worker sends a heartbeat': staleProbe('run', 'run-1', ({ store, claim }) =>
    extendTask(store, claim, LEASE),
  ),
  'a worker sends a heartbeat for a parked run': async () => {
    const store = await storeWithRun();
    const claim = await claimTask(store, ['run'], LEASE);
    if (claim === undefined) throw new Error('No claim.');
    await store.write(async (tx) => {
      const task = await tx.tasks.lock(TENANT, 'run', 'run-1');
      if (task !== undefined) await tx.tasks.put({ ...task, due: undefined });
    });
    return rejected(() => extendTask(store, claim, LEASE));
  },
  'a stale worker starts a call': staleProbe('run', 'run-1', ({ store, claim }) =>
    requireClaim(store, claim),
  ),
  'a worker releases a run that parked': async () => {
    const store = await storeWithRun();
    const claim = await claimTask(store, ['run'], LEASE);
    if (claim === undefined) throw new Error('No claim.');
    await store.write(async (tx) => {
      const run = await tx.runs.lock(TENANT, 'run-1');
      if (run !== undefined) await tx.runs.put({ ...run, state: 'parked' });
    });
    const release = { delay: 0, maxAttempts: 5 };
    return rejected(() => releaseRun(new RunWriter(store, claim), release));
  },
  'a stale worker expires a hold': staleProbe('expiry', 'hold-1', ({ store, claim }) =>
    expireHold(store, claim),
  ),
  'a stale worker marks an event as delivered': staleProbe(
    'outbox',
    'event-1',
    ({ store, claim }) => markDelivered(store, claim),
  ),
  'a stale worker gives a task up': staleProbe('outbox', 'event-1', ({ store, claim }) =>
    abandonTask(store, claim, 'problem'),
  ),
  'a stale worker records a webhook as delivered': staleProbe(
    'webhook',
    WEBHOOK,
    ({ store, claim }) => recordDelivered(store, claim, DELIVERY),
  ),
  'a stale worker records a webhook as failed': staleProbe('webhook', WEBHOOK, ({ store, claim }) =>
    recordUndelivered(store, claim, DELIVERY, { problem: 'problem', pause: 1 }),
  ),
  'a stale worker gives a webhook up': staleProbe('webhook', WEBHOOK, async ({ store, claim }) => {
    const event = await store.read((tx) => tx.outbox.get(TENANT, 'event-1'));
    if (event === undefined) throw new Error('No event.');
    await giveUpDelivery(store, claim, DELIVERY, { event, problem: 'problem', attempts: 1 });
  }),
  'a stale attempt settles a call': async () => {
    const ledger = storeLedger(await sqliteStore(), TENANT);
    const key = { step: 'step', slot: 'call:1' };
    const first = await heldClaim(ledger, key);
    await ledger.doubt(first, 'unknown');
    await ledger.resolve(first, { kind: 'run-again' });
    await heldClaim(ledger, key);
    const settled = await ledger.settle(first, 'outcome of the first attempt');
    return settled === 'lost' ? undefined : `The first attempt was ${settled}.`;
  },
  'a heartbeat revives a settled call': async () => {
    const ledger = storeLedger(await sqliteStore(), TENANT);
    const claim = await heldClaim(ledger, { step: 'step', slot: 'call:1' });
    await ledger.doubt(claim, 'unknown');
    const extended = await ledger.extend(claim, LEASE);
    return extended === 'lost' ? undefined : 'The lease of a call in doubt was extended.';
  },
  'a call is released after its outcome': async () => {
    const ledger = storeLedger(await sqliteStore(), TENANT);
    const key = { step: 'step', slot: 'call:1' };
    const claim = await heldClaim(ledger, key);
    await ledger.settle(claim, 'outcome');
    await ledger.release(claim);
    return (await ledger.read(key))?.state === 'settled' ? undefined : 'The outcome was deleted.';
  },
} satisfies Record<string, Probe>;

type Ledger = ReturnType<typeof storeLedger>;

async function heldClaim(ledger: Ledger, key: { readonly step: string; readonly slot: string }) {
  const claim = await ledger.claim(key, { lease: LEASE });
  if (claim.state !== 'held') throw new Error(`The entry is ${claim.state}.`);
  return claim.claim;
}

async function storeWithRun(): Promise<Store> {
  const store = await sqliteStore();
  await store.write(async (tx) => {
    await tx.runs.insert(sampleRun());
    await tx.tasks.insert(sampleTask());
  });
  return store;
}

/** Adds one to the number of audit entries of the run. */
async function increment(store: Store, isOptimistic: boolean): Promise<number> {
  return store.write(
    async (tx) => {
      const run = await tx.runs.lock(TENANT, 'run-1');
      if (run === undefined) throw new Error('No run.');
      const auditCount = run.auditCount + 1;
      // Others read the run meanwhile, unless it is locked.
      if (!isOptimistic) await sleep(20);
      await tx.runs.put({ ...run, auditCount });
      return auditCount;
    },
    isOptimistic ? ABOUT : {},
  );
}

/** Claims tasks from several stores at once; returns a description if one was claimed twice. */
async function claimAtOnce(url: string, isOptimistic: boolean): Promise<string | undefined> {
  // The claims of one store share a statement.
  const stores = await openStores(url, 8);
  const [store] = stores;
  await store?.write(async (tx) => {
    for (let index = 0; index < 40; index++) {
      await tx.tasks.insert(sampleTask({ kind: 'expiry', id: `hold-${index}` }));
    }
  });
  const claimAll = async (one: Store) => {
    const ids: string[] = [];
    for (;;) {
      const claim = isOptimistic
        ? await claimTask(one, ['expiry'], 60_000)
        : await one.write((tx) => tx.tasks.claim(['expiry'], 60_000));
      if (claim === undefined) return ids;
      ids.push(claim.id);
    }
  };
  const ids = (await Promise.all(stores.map(claimAll))).flat();
  return ids.length === new Set(ids).size ? undefined : `${ids.length} claims of 40 tasks.`;
}

/** Claims a task, makes it due again, and claims it again. */
async function claimTwice(url: string): Promise<string | undefined> {
  const [store] = await openStores(url, 1);
  if (store === undefined) throw new Error('No store.');
  await store.write((tx) => tx.tasks.insert(sampleTask({ kind: 'expiry', id: 'hold-1' })));
  const claims: (TaskClaim | undefined)[] = [];
  for (let turn = 0; turn < 2; turn++) {
    claims.push(await claimTask(store, ['expiry'], 1));
    await sleep(5);
  }
  const [first, second] = claims.map((claim) => claim?.fence);
  return second === (first ?? Number.NaN) + 1
    ? undefined
    : `The fences are ${first} and ${second}.`;
}

const LOCK_PROBES = {
  'two transactions change a run': async (url) => {
    const [store] = await openStores(url, 1);
    if (store === undefined) throw new Error('No store.');
    await Promise.all(Array.from({ length: 4 }, () => increment(store, false)));
    const count = await countOf(store);
    return count === 4 ? undefined : `4 changes left ${count}.`;
  },
  'workers claim tasks with locks': (url) => claimAtOnce(url, false),
  'workers claim tasks': (url) => claimAtOnce(url, true),
  'a worker claims a task again': claimTwice,
  'a process changes a run that another has changed': async (url) => {
    const [one, other] = await openStores(url, 2);
    if (one === undefined || other === undefined) throw new Error('No store.');
    for (const store of [one, other, one, other]) await increment(store, true);
    const count = await countOf(one);
    return count === 4 ? undefined : `4 changes left ${count}.`;
  },
  'a process relies on a run that another has changed': async (url) => {
    const [one, other] = await openStores(url, 2);
    if (one === undefined || other === undefined) throw new Error('No store.');
    await increment(one, true);
    await increment(other, true);
    const seen = await readAndInsert(one);
    return seen === 2 ? undefined : `It relied on change ${seen} of 2.`;
  },
  'a process relies on a run that another changes': async (url) => {
    const [one] = await openStores(url, 1);
    if (one === undefined) throw new Error('No store.');
    await increment(one, true);
    const admin = new Client({ connectionString: url });
    await admin.connect();
    await admin.query('begin');
    await admin.query('update desk_runs set audit_count = 7');
    const reading = readAndInsert(one);
    const isDone = await Promise.race([reading.then(() => true), sleep(500, false)]);
    await admin.query('commit');
    await admin.end();
    const seen = await reading;
    return isDone || seen !== 7 ? `It relied on change ${seen} of 7.` : undefined;
  },
  'a row appears that a process assumed missing': async (url) => {
    const [one, other] = await openStores(url, 2);
    if (one === undefined || other === undefined) throw new Error('No store.');
    await increment(one, true);
    const claimEntry = (store: Store) =>
      store.write(async (tx) => {
        const entry = await tx.entries.lock(TENANT, 'call');
        if (entry !== undefined) return 'taken';
        const fields = { tenant: TENANT, key: 'call', runId: 'run-1', changedAt: 1 };
        await tx.entries.insert({ ...fields, state: 'settled', outcome: 1 });
        return 'inserted';
      }, ABOUT);
    const results = [await claimEntry(other), await claimEntry(one)];
    return results[1] === 'taken'
      ? undefined
      : `Both transactions returned: ${results.join(', ')}.`;
  },
  'processes create the tables': async (url) => {
    const open = () => {
      const pool = new Pool({ connectionString: url, max: 3 });
      return postgresStore({ pool, onError: () => {} });
    };
    const opened = await Promise.allSettled(Array.from({ length: 6 }, open));
    const failed = opened.find(({ status }) => status === 'rejected');
    return failed && 'reason' in failed ? String(failed.reason) : undefined;
  },
  'two processes write to a file': async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-removals-'));
    const path = join(folder, 'desk.sqlite');
    const stores = [await sqliteStore({ path }), await sqliteStore({ path })];
    await stores[0]?.write(async (tx) => void (await tx.runs.insert(sampleRun())));
    const done = await Promise.allSettled(stores.map((store) => increment(store, false)));
    const count = stores[0] && (await countOf(stores[0]));
    for (const store of stores) await store.close();
    rmSync(folder, { recursive: true });
    const failed = done.find(({ status }) => status === 'rejected');
    if (failed && 'reason' in failed) return String(failed.reason);
    return count === 2 ? undefined : `2 changes left ${count}.`;
  },
} satisfies Record<string, Probe>;

/** Reads the run in a transaction that changes another row; returns the change that it relied on. */
function readAndInsert(store: Store): Promise<number | undefined> {
  return store.write(async (tx) => {
    const run = await tx.runs.lock(TENANT, 'run-1');
    await tx.inputs.insert(sampleInput());
    return run?.auditCount;
  }, ABOUT);
}

/** The probes by name. Each needs an empty database of PostgreSQL, or none. */
export const PROBES = { ...FENCE_PROBES, ...LOCK_PROBES, ...SHARED_PROBES, ...COMMIT_PROBES };

export type ProbeName = keyof typeof PROBES;
