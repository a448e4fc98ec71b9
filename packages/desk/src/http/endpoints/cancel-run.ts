import { type RunSummary, runSummary, runSummarySchema } from '../views/run-view.ts';
import type { Endpoint } from './endpoint.ts';
import { emptyBody, type RunParams, runParams } from './params.ts';

export const cancelRun: Endpoint<RunParams, unknown, object, RunSummary> = {
  method: 'post',
  path: '/runs/{runId}/cancel',
  name: 'cancelRun',
  summary: 'Cancels a run, whatever it is doing: no call of it starts any more.',
  params: runParams,
  body: emptyBody,
  status: 200,
  result: runSummarySchema,
  refusals: [409],
  async handle({ desk, caller, params, access }) {
    await access.requireRun('cancel', params.runId);
    return runSummary(await desk.cancel(params.runId, { by: caller.person }));
  },
};
