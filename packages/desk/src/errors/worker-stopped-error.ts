/** The worker that executed a run was stopped. The run is left to other workers. */
export class WorkerStoppedError extends Error {
  override readonly name = 'WorkerStoppedError';

  constructor() {
    super('The worker was stopped before the call had ended.');
  }
}
