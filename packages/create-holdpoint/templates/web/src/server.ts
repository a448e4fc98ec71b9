import { sqliteStore } from '@holdpoint/desk';
import { serve } from '@hono/node-server';
import { createApp } from './app.ts';
import { createDesk } from './desk.ts';

const port = Number(process.env['PORT'] || 3000);
const url = process.env['PUBLIC_URL'] || `http://127.0.0.1:${port}`;

const store = await sqliteStore({ path: process.env['DATABASE'] || 'desk.db' });
const { desk, signInProvider } = createDesk(store, url);
const manager = { tenant: 'default', person: { id: 'grace', name: 'Grace' }, roles: ['manager'] };
const link = await signInProvider.signInLink(manager);
const working = desk.startWorker();
const server = serve({ fetch: createApp(desk).fetch, port, hostname: '127.0.0.1' }, () => {
  console.log(`Page for customers: ${url}`);
  console.log(`Inbox for the manager Grace (this link works once): ${link.url}`);
});
server.once('error', (error) => {
  console.error(
    `The server cannot listen on port ${port}: ${error.message}. Set PORT to another one.`,
  );
  process.exitCode = 1;
  void stop();
});

async function stop(): Promise<void> {
  await desk.closeStreams();
  server.close();
  await desk.close();
  await working;
}
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
