import { readFileSync } from 'node:fs';
import { Hono } from 'hono';
import type { AppDesk } from './desk.ts';

const page = readFileSync(new URL('page.html', import.meta.url), 'utf8');

/** The customer who uses the page. Use the session of your application instead. */
const CUSTOMER = { id: 'ada', name: 'Ada' };

/** Creates the web application: the page, two endpoints for it, and the desk with its inbox. */
export function createApp(desk: AppDesk): Hono {
  const app = new Hono();
  app.get('/', (context) => context.html(page));

  app.post('/api/runs', async (context) => {
    // Other sites cannot send JSON without permission.
    if (context.req.header('content-type') !== 'application/json') return context.body(null, 415);
    const { prompt }: { prompt?: unknown } = await context.req.json();
    if (typeof prompt !== 'string' || prompt === '') {
      return context.json({ error: 'Send a `prompt`.' }, 400);
    }
    return context.json({ id: await desk.start('support', prompt, { requester: CUSTOMER }) }, 201);
  });

  app.get('/api/runs/:id', async (context) => {
    const { state, output, requester } = await desk.run(context.req.param('id'));
    if (requester?.id !== CUSTOMER.id) return context.notFound();
    return context.json({ state, output });
  });

  // The inbox at `/inbox`, sign-in, and the API of the desk at `/v1`.
  app.all('*', (context) => desk.fetch(context.req.raw));
  return app;
}
