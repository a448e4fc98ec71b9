import { grantSchema, type GrantView, grantView } from '../views/grant-view.ts';
import type { Endpoint } from './endpoint.ts';
import { type GrantParams, grantParams } from './params.ts';

export const getGrant: Endpoint<GrantParams, unknown, unknown, GrantView> = {
  method: 'get',
  path: '/grants/{grantId}',
  name: 'getGrant',
  summary: 'A grant as it is now.',
  params: grantParams,
  status: 200,
  result: grantSchema,
  async handle({ desk, params, rules: { redaction }, secrets, access }) {
    const grant = await desk.grant(params.grantId);
    await access.require('read', { kind: 'grant', grant });
    return grantView(grant, redaction, await secrets.of(grant.conversationId));
  },
};
