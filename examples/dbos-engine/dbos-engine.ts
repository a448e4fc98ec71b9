// An engine for the tasks of a desk on DBOS, for teams that use only PostgreSQL.
// docs/operate/engines.md explains it, and packages/desk/test/platform/dbos-engine.test.ts tests
// it.
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Desk, DueTask, Engine, PerformedTask } from '@holdpoint/desk';

const QUEUE = 'holdpoint';
const WORKFLOW = 'holdpoint-perform';
/** The workflow of a dead process stays pending and keeps its id, so later hints get another id. */
const BUCKET_MS = 3_000;

// #region engine
/** Sends due tasks to a queue of DBOS. */
export async function dbosEngine(systemDatabaseUrl: string): Promise<Engine & AsyncDisposable> {
  const client = await DBOSClient.create({ systemDatabaseUrl, systemDatabasePoolSize: 2 });
  const send = async ({ tenant, kind, id, fence, due }: DueTask): Promise<void> => {
    const bucket = Math.floor(Date.now() / BUCKET_MS);
    const task: PerformedTask = { tenant, kind, id };
    await client.enqueue(
      {
        queueName: QUEUE,
        workflowName: WORKFLOW,
        deduplicationID: JSON.stringify([tenant, kind, id, fence, due, bucket]),
        duplicationPolicy: 'return-existing',
      },
      task,
      due,
    );
  };
  return {
    schedule(tasks) {
      // A hint that is lost is repeated by the sweep.
      for (const task of tasks) send(task).catch((error: unknown) => console.error(error));
    },
    [Symbol.asyncDispose]: () => client.destroy(),
  };
}

/** Performs the tasks of the queue in this process. */
export async function performWithDbos(
  desk: Desk,
  systemDatabaseUrl: string,
  { concurrency = 8, name = 'holdpoint' } = {},
): Promise<AsyncDisposable> {
  DBOS.setConfig({ name, systemDatabaseUrl, logLevel: 'error', applicationVersion: '1' });
  const perform = async (task: PerformedTask, due: number): Promise<void> => {
    let wait = Math.max(0, due - (await DBOS.now()));
    for (;;) {
      if (wait > 0) await DBOS.sleep(wait);
      const owner = DBOS.workflowID ?? 'unknown';
      const again = await DBOS.runStep(
        async () => (await desk.perform(task, { owner }))?.again ?? -1,
      );
      if (again < 0) return;
      wait = again;
    }
  };
  DBOS.registerWorkflow(perform, { name: WORKFLOW });
  await DBOS.launch();
  const workerConcurrency = concurrency;
  await DBOS.registerQueue(QUEUE, { workerConcurrency, minPollingIntervalMs: 100 });
  return { [Symbol.asyncDispose]: () => DBOS.shutdown() };
}
// #endregion
