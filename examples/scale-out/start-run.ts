// A process that starts runs and performs no tasks, such as a web server.
// #region start
import { openDesk, sqliteStore } from '@holdpoint/desk';
import { restateEngine } from '@holdpoint/restate';
import { agent } from './agent.ts';

const { DESK_FILE = 'desk.db', INGRESS = 'http://127.0.0.1:18080' } = process.env;
const store = await sqliteStore({ path: DESK_FILE });
const desk = openDesk({ store, agents: { support: { agent } } });
desk.useEngine(restateEngine({ ingress: INGRESS.split(',') }));

export const runId = await desk.start('support', 'Refund order 17.');
console.log(`Started run ${runId}`);
await desk.close();
// #endregion
