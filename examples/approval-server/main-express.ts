// An Express server whose agent needs approval for payments. The run parks in a database, a second
// request approves it, and a double click pays once.
//
//   npx tsx --conditions=holdpoint-source examples/approval-server/main-express.ts
//
// shows this with a scripted model and ends. With HOLDPOINT_MODEL=openai:gpt-5 (and its key) the
// server keeps running.
import type { Server } from 'node:http';
import { expressApp } from './express-app.ts';
import { present } from './present.ts';

await present((service) => {
  return new Promise<Server>((resolve, reject) => {
    const server = expressApp(service).listen(0, '127.0.0.1', (error) => {
      if (error === undefined) resolve(server);
      else reject(error);
    });
  });
});
