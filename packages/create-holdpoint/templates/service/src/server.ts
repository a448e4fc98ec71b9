import { randomBytes } from 'node:crypto';
import { serve } from '@hono/node-server';
import { createDesk } from './desk.ts';
import { openStore } from './store.ts';

const port = Number(process.env['PORT'] || 3000);
const newToken = () => randomBytes(24).toString('base64url');
const tokens = {
  shop: process.env['SHOP_TOKEN'] || newToken(),
  manager: process.env['MANAGER_TOKEN'] || newToken(),
};

const { store, close } = await openStore(process.env['DATABASE_URL']);
const desk = createDesk(store, tokens);
const working = desk.startWorker({ concurrency: 8 });
const hostname = process.env['HOST'] || '127.0.0.1';
const server = serve({ fetch: desk.fetch, port, hostname }, () => {
  const kind = process.env['DATABASE_URL'] ? 'PostgreSQL' : 'SQLite';
  console.log(`Service on ${kind}: http://${hostname}:${port}/v1`);
  if (!process.env['SHOP_TOKEN']) console.log(`Token of the shop: ${tokens.shop}`);
  if (!process.env['MANAGER_TOKEN']) console.log(`Token of the manager: ${tokens.manager}`);
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
  await close();
}
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
