import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HttpProblem } from './http-problem.ts';
import type { ApprovalService } from './service.ts';

/** Creates the service over Hono, which runs on Node and other platforms. */
export function honoApp(service: ApprovalService): Hono {
  const app = new Hono();
  app.use(bodyLimit({ maxSize: 100 * 1024, onError: tooLarge }));

  app.get('/runs', (context) => context.json(service.inbox()));
  app.post('/runs', async (context) => {
    return context.json(await service.start(await readBody(context)), 201);
  });
  app.get('/runs/:id', (context) => context.json(service.find(context.req.param('id'))));
  app.post('/runs/:id/results', async (context) => {
    return context.json(await service.decide(context.req.param('id'), await readBody(context)));
  });

  app.onError((error, context) => {
    if (error instanceof HttpProblem) {
      return context.json({ error: error.message, code: error.code }, error.status);
    }
    console.error(error); // for the operator only
    return context.json({ error: 'Something went wrong.' }, 500);
  });
  return app;
}

async function readBody(context: Context): Promise<unknown> {
  try {
    return await context.req.json();
  } catch (error) {
    if (error instanceof SyntaxError) throw new HttpProblem(400, error.message);
    throw error;
  }
}

function tooLarge(context: Context): Response {
  return context.json({ error: 'The body is larger than 100 kB.' }, 413);
}
