import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from 'holdpoint';
import type { DueTask, Engine } from '../engine/engine.ts';
import { checkOptions, isThenable, kindOf } from '../model/check-keys.ts';
import { TASK_KINDS, type TaskKind } from '../model/task-row.ts';
import type { TaskKey } from '../store/store.ts';
import { Drain } from '../worker/drain.ts';
import type { NextPerformance } from '../worker/next-performance.ts';
import { checkName } from './check-name.ts';
import { checkWhole } from '../model/check-whole.ts';
import type { DeskContext } from './desk-context.ts';
import { keepHouse } from './house-keeping.ts';
import {
  PERFORM_OPTIONS,
  type PerformOptions,
  requireOneOf,
  requireSignal,
  SWEEP_LOOP_OPTIONS,
  SWEEP_OPTIONS,
  type SweepLoopOptions,
  type SweepOptions,
} from './method-options.ts';

/** The key of a task that an engine performs. */
export interface PerformedTask {
  readonly tenant: string;
  readonly kind: TaskKind;
  readonly id: string;
}

/** Adds an engine; returns the function that removes it. */
export function useEngine({ engines }: DeskContext, engine: Engine): () => void {
  // Programs without types pass anything.
  const given: unknown = engine;
  if (isThenable(given) || typeof Object(given).schedule !== 'function') {
    throw new UserError(
      `The engine of \`desk.useEngine\` is ${kindOf(given)}. Pass an object with \`schedule(tasks)\`.`,
    );
  }
  return engines.add(engine);
}

/** Performs a task in this process. */
export function performTask(
  { worker, workers }: DeskContext,
  task: PerformedTask,
  options: PerformOptions,
): Promise<NextPerformance> {
  checkOptions<PerformOptions>('`desk.perform`', options, PERFORM_OPTIONS);
  const owner = checkName('owner', options.owner);
  const drainMs = checkWhole('drainMs', options.drainMs ?? 30_000);
  requireSignal('perform', options.signal);
  const key = keyOf(task);
  return workers.run(options.signal, async (signal) => {
    const drain = new Drain(signal, drainMs);
    const signals = { stopping: signal, ending: drain.ending };
    try {
      return await worker.perform(key, owner, signals);
    } finally {
      drain.cancel();
    }
  });
}

/** Validates a task, which may come from a queue of another system. */
function keyOf(task: PerformedTask): TaskKey {
  const given: unknown = task;
  if (typeof given !== 'object' || given === null) {
    throw new UserError(
      `The task of \`desk.perform\` is ${kindOf(given)}. Pass a task that the engine received.`,
    );
  }
  requireOneOf('kind', task.kind, TASK_KINDS);
  return [checkName('tenant', task.tenant), task.kind, checkText('id', task.id)];
}

/** An id of a webhook task contains more than a name does. */
function checkText(name: string, value: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= 1_000) return value;
  throw new UserError(`\`${name}\` is ${kindOf(value)}. Pass a text of up to 1,000 characters.`);
}

/** Validates how to sweep, and applies defaults. */
function checkSweep({ overdueMs = 1_000, limit = 500 }: SweepOptions): {
  readonly overdueMs: number;
  readonly limit: number;
} {
  if (overdueMs !== 0) checkWhole('overdueMs', overdueMs);
  return { overdueMs, limit: checkWhole('limit', limit) };
}

/** Schedules tasks that have been due for a while. */
export async function sweepTasks(context: DeskContext, options: SweepOptions): Promise<number> {
  checkOptions<SweepOptions>('`desk.sweep`', options, SWEEP_OPTIONS);
  const { overdueMs, limit } = checkSweep(options);
  const { engines, worker } = context;
  if (engines.isEmpty) {
    throw new UserError(
      'The desk has no engine, so nothing can be scheduled. Call `desk.useEngine` first.',
    );
  }
  const rows = await worker.overdueTasks(overdueMs, limit);
  const tasks = rows.flatMap(({ tenant, kind, id, due, fence }): DueTask[] =>
    due === undefined || worker.isPerforming(tenant, kind, id)
      ? []
      : [{ tenant, kind, id, due, fence }],
  );
  engines.schedule(tasks);
  return tasks.length;
}

/** Sweeps until it is stopped. A failed sweep is reported, and the next one follows. */
export function runSweeps(context: DeskContext, options: SweepLoopOptions): Promise<void> {
  checkOptions<SweepLoopOptions>('`desk.startSweep`', options, SWEEP_LOOP_OPTIONS);
  const { everyMs = 2_000, signal: given, ...sweep } = options;
  checkWhole('everyMs', everyMs);
  // Errors of a sweep are only reported.
  checkSweep(sweep);
  requireSignal('startSweep', given);
  return context.workers.run(given, async (signal) => {
    const housekeeping = keepHouse(context, signal);
    while (!signal.aborted) {
      await sweepTasks(context, sweep).catch((error: unknown) => context.onError(error));
      await sleep(everyMs, undefined, { signal }).catch(() => {});
    }
    await housekeeping;
  });
}
