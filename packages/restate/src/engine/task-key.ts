import type { DueTask, PerformedTask } from '@holdpoint/desk';
import { TerminalError } from '@restatedev/restate-sdk';

/** The name of the Restate service that performs tasks, unless another one is given. */
export const DEFAULT_SERVICE = 'holdpoint-tasks';

/**
 * Returns the idempotency key of a performance: while it is in progress, the same task is one invocation, however
 * often it is scheduled. A later performance has another fence or time.
 */
export function idempotencyKeyOf({ tenant, kind, id, fence, due }: DueTask): string {
  return JSON.stringify([tenant, kind, id, fence, due]);
}

/**
 * Returns the idempotency key of the next performance of a task. It differs from the key of the
 * current performance. With the same key, Restate would ignore the next one.
 */
export function nextKey(task: DueTask, current: string | undefined): string {
  const key = idempotencyKeyOf(task);
  return key === current ? `${key} again` : key;
}

const KINDS: readonly string[] = ['run', 'expiry', 'outbox', 'webhook'];

/**
 * Returns the task in a request from the network. Another request never becomes a task, so no
 * attempt repeats it.
 */
export function checkTask(input: unknown): PerformedTask {
  const { tenant, kind, id }: { tenant?: unknown; kind?: unknown; id?: unknown } = Object(input);
  const isTask =
    typeof tenant === 'string' && typeof id === 'string' && KINDS.includes(String(kind));
  if (!isTask) throw new TerminalError('The request is not a task.', { errorCode: 400 });
  // The kind is one of the list.
  return { tenant, kind: kind as PerformedTask['kind'], id };
}
