import { hostname } from 'node:os';
import { UserError } from 'holdpoint';
import { checkKeys, checkOptions, isRecord, kindOf } from '../model/check-keys.ts';
import type { RunRow } from '../model/run-row.ts';
import { isOver as isEnded } from '../model/states.ts';
import { TASK_KINDS } from '../model/task-row.ts';
import { notFound } from '../transitions/not-found.ts';
import type { ReservedSlots } from '../worker/worker.ts';
import { checkName } from './check-name.ts';
import { checkWhole } from '../model/check-whole.ts';
import type { DeskContext } from './desk-context.ts';
import { keepHouse } from './house-keeping.ts';
import {
  requireSignal,
  WAIT_OPTIONS,
  type WaitOptions,
  WORKER_OPTIONS,
  type WorkerOptions,
} from './method-options.ts';

/** Returns a run. */
export async function readRun(
  { store }: DeskContext,
  tenant: string,
  runId: string,
): Promise<RunRow> {
  const run = await store.read((tx) => tx.runs.get(tenant, runId));
  if (run === undefined) throw notFound('run', runId);
  return run;
}

/** Executes a run in this process until it parks, ends or has to wait. */
export async function workOn(
  context: DeskContext,
  tenant: string,
  options: { readonly runId: string },
): Promise<RunRow> {
  checkOptions<{ readonly runId: string }>('`desk.work`', options, { runId: true });
  const runId = checkName('runId', options.runId);
  const { store, worker } = context;
  const open = await store.read((tx) => tx.holds.ofRun(tenant, runId, ['open']));
  for (const { id, expiresAt } of open) {
    if (expiresAt !== undefined) await worker.performTask([tenant, 'expiry', id]);
  }
  // A run whose calls a grant approved is ready again immediately.
  while (await worker.performTask([tenant, 'run', runId]));
  return readRun(context, tenant, runId);
}

/** Runs a worker until it is stopped. */
export function runWorker(context: DeskContext, options: WorkerOptions): Promise<void> {
  checkOptions<WorkerOptions>('`desk.startWorker`', options, WORKER_OPTIONS);
  const { concurrency = 4, pollMs = 1_000, drainMs = 30_000 } = options;
  const name = checkName('name', options.name ?? `${hostname()}:${process.pid}`);
  const { maxRunsPerTenant, maxRunsPerAgent } = options;
  requireSignal('startWorker', options.signal);
  checkWhole('concurrency', concurrency);
  checkWhole('pollMs', pollMs);
  if (drainMs !== 0) checkWhole('drainMs', drainMs);
  if (maxRunsPerTenant !== undefined) checkWhole('maxRunsPerTenant', maxRunsPerTenant);
  checkAgentLimits(maxRunsPerAgent, context.names);
  const reservedSlots = { ...RESERVED_SLOTS, ...checkReservedSlots(options.reservedSlots) };
  const { worker, workers } = context;
  return workers.run(options.signal, async (signal) => {
    const housekeeping = keepHouse(context, signal);
    const limits = { maxRunsPerTenant, maxRunsPerAgent };
    const slots = { concurrency, reservedSlots };
    await worker.startWorker({ signal, ...slots, pollMs, drainMs, name, ...limits });
    await housekeeping;
  });
}

/** Runs have none: they occupy the shared slots for long enough. */
const RESERVED_SLOTS: ReservedSlots = { expiry: 1, outbox: 1, webhook: 1 };

/** Validates the numbers of slots. */
function checkReservedSlots(given: ReservedSlots | undefined): ReservedSlots {
  if (given === undefined) return {};
  // Programs without types pass anything.
  const value: unknown = given;
  if (!isRecord(value)) {
    throw new UserError(
      `\`reservedSlots\` is ${kindOf(value)}. Pass an object with numbers by kind of task.`,
    );
  }
  checkKeys('`reservedSlots`', given, TASK_KINDS);
  for (const [kind, count] of Object.entries(given)) {
    if (Number.isSafeInteger(count) && count >= 0) continue;
    throw new UserError(
      `\`reservedSlots.${kind}\` is ${String(count)}. Pass a whole number from 0.`,
    );
  }
  return given;
}

/** Validates the limits of agents. A limit for an unknown agent was meant for another one. */
function checkAgentLimits(
  limits: WorkerOptions['maxRunsPerAgent'],
  names: ReadonlySet<string>,
): void {
  if (limits === undefined) return;
  if (typeof limits !== 'object') {
    checkWhole('maxRunsPerAgent', limits);
    return;
  }
  // A limit that is not read would be none.
  if (!isRecord(limits)) {
    throw new UserError(
      `\`maxRunsPerAgent\` is ${kindOf(limits)}. Pass a number, or an object with numbers by agent.`,
    );
  }
  checkKeys('`maxRunsPerAgent`', limits, [...names]);
  for (const [name, limit] of Object.entries(limits)) {
    checkWhole(`maxRunsPerAgent.${name}`, limit);
  }
}

/** The time between two reads of a run, in milliseconds, if no change is reported. */
const WAIT_POLL_MS = 1_000;

/** Resolves with a run when no worker has anything to do for it. */
export async function waitForRun(
  context: DeskContext,
  tenant: string,
  runId: string,
  options: WaitOptions,
): Promise<RunRow> {
  checkOptions<WaitOptions>('`desk.waitFor`', options, WAIT_OPTIONS);
  requireSignal('waitFor', options.signal);
  const id = checkName('runId', runId);
  const isOver = ({ state }: RunRow) => state === 'parked' || state === 'stuck' || isEnded(state);
  return waitUntil(context, tenant, options, () => readRun(context, tenant, id), isOver);
}

/**
 * Reads a value after each change in the store, until it is the expected one or the time has
 * passed.
 */
export async function waitUntil<Value>(
  context: DeskContext,
  tenant: string,
  { signal, timeoutMs }: WaitOptions,
  read: () => Promise<Value>,
  isAwaited: (value: Value) => boolean,
): Promise<Value> {
  const signals = [
    ...(signal === undefined ? [] : [signal]),
    ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(checkWhole('timeoutMs', timeoutMs))]),
  ];
  const ended = AbortSignal.any(signals);
  for (;;) {
    ended.throwIfAborted();
    const change = nextChange(context, tenant, ended);
    try {
      const value = await read();
      if (isAwaited(value)) return value;
      await change.seen;
    } finally {
      change.forget();
    }
  }
}

/** Waits for a change in the store. It listens before the run is read, so that no change is missed. */
function nextChange(
  { store }: DeskContext,
  tenant: string,
  ended: AbortSignal,
): { readonly seen: Promise<void>; readonly forget: () => void } {
  let resolve = () => {};
  const seen = new Promise<void>((done) => {
    resolve = done;
  });
  const timer = setTimeout(resolve, WAIT_POLL_MS);
  const onEnded = () => resolve();
  ended.addEventListener('abort', onEnded, { once: true });
  const stopListening = store.onDue(({ tenants }) => {
    if (tenants === 'all' || tenants.includes(tenant)) resolve();
  });
  const forget = () => {
    clearTimeout(timer);
    ended.removeEventListener('abort', onEnded);
    stopListening();
  };
  return { seen, forget };
}
