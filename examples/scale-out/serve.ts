// The process of docs/operate/scale-out.md: it serves a desk to Restate. Start any number of them behind one address.
import { type Desk, openDesk, type Store } from '@holdpoint/desk';
import { type RestateDesk, serveDesk } from '@holdpoint/restate';
import { agent } from './agent.ts';

/** Opens a desk on a store, and serves its tasks. */
export async function serveTasks(
  store: Store,
  ingress: string[],
): Promise<{ readonly desk: Desk; readonly served: RestateDesk; readonly port: number }> {
  // #region serve
  const desk = openDesk({ store, agents: { support: { agent } } });

  const served = serveDesk(desk, { ingress, concurrency: 16 });
  const port = await served.listen(Number(process.env['PORT'] ?? 9080));

  process.once('SIGTERM', async () => {
    await served.close(); // releases runs after the calls that are executing
    await desk.close();
  });
  // #endregion
  return { desk, served, port };
}
