// An Express server whose agent asks before it pays: the run waits in a database, a second request
// approves it, and the double click pays once.
//
//   npx tsx --conditions=holdpoint-source examples/approval-server/main-express.ts
//
// goes through it with a scripted model and ends. With HOLDPOINT_MODEL=openai:gpt-5 (and its key) it
// stays, for you to talk to.
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
