import { type Context, handlers, type Serde, service } from '@restatedev/restate-sdk';
import type { Desk, NextPerformance, PerformedTask } from '@holdpoint/desk';
import { Slots, type SlotLimits } from './slots.ts';
import { checkTask, nextKey } from './task-key.ts';

/** Options of {@link taskService}. */
export interface TaskServiceOptions extends SlotLimits {
  readonly name: string;
  /** Stops performances: runs are released after the tool calls that are executing. */
  readonly signal: AbortSignal;
  readonly drainMs: number;
}

/** The service of Restate that performs tasks. */
export type TaskService = ReturnType<typeof service<string, TaskHandlers>>;

/** The handlers of the service. */
export interface TaskHandlers {
  perform(ctx: Context, task: PerformedTask): Promise<void>;
}

/**
 * Creates the service that performs the tasks of a desk.
 *
 * It is a service and not a virtual object, because a frozen process would block the key. The performance is one entry
 * of the journal, so a change of the code cannot contradict a recorded journal.
 */
export function taskService(desk: Pick<Desk, 'perform'>, options: TaskServiceOptions): TaskService {
  const { name, signal, drainMs } = options;
  const runs = new Slots(options);
  // Expiries and notifications are short, and runs never occupy their slots.
  const shortTasks = new Slots({ concurrency: options.concurrency });
  const performIn = (task: PerformedTask, owner: string): Promise<NextPerformance> => {
    const slots = task.kind === 'run' ? runs : shortTasks;
    return slots.use(task.tenant, async () => {
      // A process that stops leaves the task to another one.
      signal.throwIfAborted();
      return desk.perform(task, { owner, signal, drainMs });
    });
  };
  return service({
    name,
    handlers: {
      perform: handlers.handler(
        { description: 'Performs a task of a Holdpoint desk.' },
        async (ctx: Context, task: PerformedTask): Promise<void> => {
          const { id: owner, idempotencyKey } = ctx.request();
          const key = checkTask(task);
          const next = await ctx.run('perform', async () => (await performIn(key, owner)) ?? null);
          if (next === null) return;
          const { tenant, kind, id } = next.task;
          ctx.genericSend<PerformedTask>({
            service: name,
            method: 'perform',
            parameter: { tenant, kind, id },
            inputSerde: TASK_JSON,
            delay: Math.ceil(next.again),
            idempotencyKey: nextKey(next.task, idempotencyKey),
          });
        },
      ),
    },
    options: {
      // A run may take long, and sends no message to Restate during that time.
      inactivityTimeout: { hours: 24 },
      abortTimeout: { hours: 1 },
      idempotencyRetention: 0,
      journalRetention: 0,
      // The default pauses an invocation after 70 attempts.
      retryPolicy: {
        initialInterval: 50,
        maxInterval: { seconds: 1 },
        exponentiationFactor: 2,
        maxAttempts: MAX_ATTEMPTS,
        onMaxAttempts: 'kill',
      },
    },
  });
}

/** Tasks as JSON. */
const TASK_JSON: Serde<PerformedTask> = {
  contentType: 'application/json',
  serialize: (task) => new TextEncoder().encode(JSON.stringify(task)),
  deserialize: (bytes) => checkTask(JSON.parse(new TextDecoder().decode(bytes))),
};

/** About a day. If Restate gives up an invocation, the sweep schedules its task again. */
const MAX_ATTEMPTS = 86_400;
