import type { TaskClaim } from '../model/task-row.ts';

const WHAT = {
  outbox: 'The notification about event',
  expiry: 'The expiry of hold',
  run: 'Run',
  webhook: 'The webhook',
} as const;

/** A task failed too often, so no worker tries it again. */
export class TaskGivenUpError extends Error {
  override readonly name = 'TaskGivenUpError';
  readonly tenant: string;
  /** The id of the event or the hold. */
  readonly id: string;

  constructor({ tenant, kind, id, attempts }: TaskClaim, cause: unknown) {
    super(
      `${WHAT[kind]} '${id}' was given up after ${attempts} attempts, and is not tried again. ` +
        'Check the error in `cause`, and `desk.events()` for notifications that were missed.',
      { cause },
    );
    this.tenant = tenant;
    this.id = id;
  }
}
