import { type RunSummary, runSummary, runSummarySchema } from '../views/run-view.ts';
import type { Endpoint } from './endpoint.ts';
import { emptyBody, type RunParams, runParams } from './params.ts';

export const retryRun: Endpoint<RunParams, unknown, object, RunSummary> = {
  method: 'post',
  path: '/runs/{runId}/retry',
  name: 'retryRun',
  summary: 'Has a stuck run be tried again.',
  params: runParams,
  body: emptyBody,
  status: 200,
  result: runSummarySchema,
  refusals: [409],
  async handle({ desk, caller, params, access }) {
    await access.requireRun('retry', params.runId);
    return runSummary(await desk.retry(params.runId, { by: caller.person }));
  },
};
