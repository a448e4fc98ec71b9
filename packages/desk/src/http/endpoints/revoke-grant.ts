import { grantSchema, type GrantView, grantView } from '../views/grant-view.ts';
import type { Endpoint } from './endpoint.ts';
import { emptyBody, type GrantParams, grantParams } from './params.ts';

export const revokeGrant: Endpoint<GrantParams, unknown, object, GrantView> = {
  method: 'post',
  path: '/grants/{grantId}/revoke',
  name: 'revokeGrant',
  summary: 'Revokes a grant: from now on it decides nothing.',
  params: grantParams,
  body: emptyBody,
  status: 200,
  result: grantSchema,
  async handle({ desk, caller, params, rules: { redaction }, secrets, access }) {
    await access.requireGrant('revoke', params.grantId);
    const grant = await desk.revokeGrant(params.grantId, { by: caller.person });
    return grantView(grant, redaction, await secrets.of(grant.conversationId));
  },
};
