// oxlint-disable oxc/no-async-endpoint-handlers -- Express 5 passes on what an async handler throws
import express, { type ErrorRequestHandler, type Express } from 'express';
import { HttpProblem } from './http-problem.ts';
import type { ApprovalService } from './service.ts';

/** Creates the service over Express. `answerError` handles the errors of handlers. */
export function expressApp(service: ApprovalService): Express {
  const app = express();
  app.use(express.json({ limit: '100kb' }));

  app.get('/runs', (_request, response) => {
    response.json(service.inbox());
  });
  app.post('/runs', async (request, response) => {
    response.status(201).json(await service.start(request.body));
  });
  app.get('/runs/:id', (request, response) => {
    response.json(service.find(request.params.id));
  });
  app.post('/runs/:id/results', async (request, response) => {
    response.json(await service.decide(request.params.id, request.body));
  });

  app.use(sendError);
  return app;
}

// Express identifies an error handler by its four parameters.
const sendError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) return next(error);
  if (error instanceof HttpProblem) {
    response.status(error.status).json({ error: error.message, code: error.code });
  } else if (isBodyError(error)) {
    response.status(error.status).json({ error: error.message });
  } else {
    console.error(error); // for the operator only
    response.status(500).json({ error: 'Something went wrong.' });
  }
};

/** True for an error of `express.json`: the body is not JSON, or too large. */
function isBodyError(error: unknown): error is Error & { status: number } {
  return error instanceof Error && 'expose' in error && error.expose === true && 'status' in error;
}
