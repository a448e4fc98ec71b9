import { KEY_SCOPES, type KeyScope } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { STORES } from '../support/opened-store.ts';
import { OutsideDesk } from './support/outside-desk.ts';

/** The routes that a key with a scope may use. Each route of the API must be listed. */
const ROUTES: Readonly<Record<KeyScope, readonly string[]>> = {
  start: [
    'POST /v1/runs',
    'POST /v1/runs/{runId}/cancel',
    'POST /v1/runs/{runId}/retry',
    'POST /v1/conversations/{conversationId}/messages',
  ],
  request: [
    'GET /v1/requests',
    'POST /v1/requests',
    'GET /v1/requests/{requestId}',
    'POST /v1/requests/{requestId}/callback',
    'POST /v1/requests/{requestId}/cancel',
    'POST /v1/requests/{requestId}/claim',
    'POST /v1/requests/{requestId}/heartbeat',
    'POST /v1/requests/{requestId}/release',
    'POST /v1/requests/{requestId}/settle',
  ],
  decide: [
    'POST /v1/holds/{holdId}/decision',
    'POST /v1/holds/{holdId}/edit-preview',
    'POST /v1/holds/{holdId}/callback',
    'POST /v1/holds/decisions',
    'POST /v1/grants/{grantId}/revoke',
  ],
  read: [
    'GET /v1/runs',
    'GET /v1/runs/{runId}',
    'GET /v1/runs/{runId}/stream',
    'GET /v1/runs/{runId}/audit',
    'GET /v1/runs/{runId}/audit/verification',
    'GET /v1/conversations/{conversationId}/messages',
    'GET /v1/holds',
    'GET /v1/holds/{holdId}',
    'GET /v1/holds/{holdId}/comments',
    'GET /v1/holds/{holdId}/requested-changes',
    'GET /v1/grants',
    'GET /v1/grants/{grantId}',
    'GET /v1/requests',
    'GET /v1/requests/{requestId}',
    'GET /v1/events',
  ],
  administer: [
    'POST /v1/holds/{holdId}/comments',
    'GET /v1/delegations',
    'POST /v1/delegations',
    'POST /v1/delegations/{delegationId}/revoke',
    'GET /v1/conversations/{conversationId}/export',
    'POST /v1/conversations/{conversationId}/erase',
    'GET /v1/people/export',
    'POST /v1/people/erase',
    'GET /v1/dead-letters',
    'POST /v1/dead-letters/replay',
    'POST /v1/dead-letters/discard',
    'GET /v1/keys',
    'POST /v1/keys',
    'POST /v1/keys/{keyId}/rotate',
    'POST /v1/keys/{keyId}/revoke',
  ],
};

/** Routes for every key. */
const COMMON = ['GET /v1/me', 'GET /v1/health'];

/** Returns the routes that the OpenAPI document describes, without those that need no credentials. */
async function routesOf(site: OutsideDesk): Promise<readonly string[]> {
  const { paths } = await (await site.send('/v1/openapi.json', undefined)).json();
  const operations =
    Object.entries<Record<string, { readonly security?: readonly unknown[] }>>(paths);
  return operations.flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security?.length !== 0)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
}

describe('the scopes of a key', () => {
  it('are demanded by every route of the API', async () => {
    await using opened = await STORES[0]![1]();
    const site = new OutsideDesk(opened);
    const routes = await routesOf(site);
    const listed = new Set([...Object.values(ROUTES).flat(), ...COMMON]);
    expect(routes.toSorted()).toEqual([...listed].toSorted());

    for (const scope of KEY_SCOPES) {
      const key = await site.key(scope, [scope]);
      const permitted = new Set([...ROUTES[scope], ...COMMON]);
      for (const route of routes) {
        const [method, template = ''] = route.split(' ');
        const path = template.replaceAll(/\{\w+\}/g, '0123456789abcdef0123456789abcdef');
        const response = await site.send(path, key, method === 'POST' ? {} : undefined);
        // Only a missing scope is reported with the scopes that the route needs.
        const isPermitted = response.status !== 403 || !('scopes' in (await response.json()));
        if (!response.bodyUsed) await response.body?.cancel();
        expect([scope, route, isPermitted]).toEqual([scope, route, permitted.has(route)]);
      }
    }
  });
});
