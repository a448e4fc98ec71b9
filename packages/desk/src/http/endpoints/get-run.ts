import { type RunView, runView, runViewSchema } from '../views/run-view.ts';
import type { Endpoint } from './endpoint.ts';
import { type RunParams, runParams } from './params.ts';

export const getRun: Endpoint<RunParams, unknown, unknown, RunView> = {
  method: 'get',
  path: '/runs/{runId}',
  name: 'getRun',
  summary: 'A run as it is now.',
  params: runParams,
  status: 200,
  result: runViewSchema,
  async handle({ desk, params, secrets, access }) {
    const run = await desk.run(params.runId);
    await access.require('read', { kind: 'run', run });
    return runView(run, await secrets.of(run.conversationId));
  },
};
