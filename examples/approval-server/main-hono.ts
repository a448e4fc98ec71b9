// A Hono server whose agent needs approval for payments. The run parks in a database, a second
// request approves it, and a double click pays once.
//
//   npx tsx --conditions=holdpoint-source examples/approval-server/main-hono.ts
//
// shows this with a scripted model and ends. With HOLDPOINT_MODEL=openai:gpt-5 (and its key) the
// server keeps running.
import { serve, type ServerType } from '@hono/node-server';
import { honoApp } from './hono-app.ts';
import { present } from './present.ts';

await present((service) => {
  return new Promise<ServerType>((resolve) => {
    const app = honoApp(service);
    const options = { fetch: app.fetch, hostname: '127.0.0.1', port: 0 };
    const server = serve(options, () => resolve(server));
  });
});
