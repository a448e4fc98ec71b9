// The process of docs/operate/scale-out.md: it serves a desk to Restate. Start any number of them behind one address.
// #region serve
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { serveDesk } from '@holdpoint/restate';
import { agent } from './agent.ts';

const { DESK_FILE = 'desk.db', INGRESS = 'http://127.0.0.1:18080', PORT = '9080' } = process.env;

// SQLite serves the processes of one machine. For several machines, use `postgresStore`.
const store = await sqliteStore({ path: DESK_FILE });
export const desk = openDesk({ store, agents: { support: { agent } } });

export const served = serveDesk(desk, { ingress: INGRESS.split(','), concurrency: 16 });
export const port = await served.listen(Number(PORT));
console.log(`Serving tasks on http://127.0.0.1:${port}`);

process.once('SIGTERM', async () => {
  await served.close(); // releases runs after the calls that are executing
  await desk.close();
});
// #endregion
