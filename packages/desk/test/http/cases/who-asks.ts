import { DeskError, type Store } from '@holdpoint/desk';
import type { DeskAppOptions } from '../../../src/http/desk-app-options.ts';
import { expect, it } from 'vitest';
import type { OpenHttpStore } from '../support/http-store.ts';
import { type SiteResponse, type Site, siteOf, siteOn, startedRun } from '../support/site.ts';

interface Route {
  readonly method: string;
  readonly path: string;
  /** A body that the route accepts. */
  readonly body?: unknown;
}

const BODIES: Readonly<Record<string, unknown>> = {
  startRun: { agent: 'teller', prompt: 'Hi' },
  sendMessage: { prompt: 'Hi', onOpenHolds: 'supersede' },
  cancelRun: {},
  retryRun: {},
  decideHold: { digest: 'x', decision: { kind: 'approve' } },
  decideHolds: [{ holdId: '0'.repeat(32), digest: 'x', decision: { kind: 'approve' } }],
  previewEdit: { args: {} },
  revokeGrant: {},
  commentOnHold: { text: 'x' },
  createRequest: { tool: 'refund', args: {} },
  cancelRequest: {},
  claimRequest: {},
  extendRequestClaim: { token: 'x'.repeat(32) },
  releaseRequestClaim: { token: 'x'.repeat(32) },
  settleRequest: { token: 'x'.repeat(32), outcome: { kind: 'value', value: null } },
  createHoldCallback: {},
  createRequestCallback: { token: 'x'.repeat(32) },
  createKey: { account: 'shop', scopes: ['request'] },
  rotateKey: {},
  revokeKey: {},
  delegate: { to: { id: 'kim' }, until: '2100-01-01T00:00:00Z' },
  revokeDelegation: {},
  eraseConversation: { reason: 'x' },
  erasePerson: { person: 'eve', reason: 'x' },
  replayDeadLetter: { kind: 'run', id: '0'.repeat(32) },
  discardDeadLetter: { kind: 'outbox', id: '0'.repeat(32) },
};

/** The routes that need no credentials. No other may be added without a change here. */
const PUBLIC: readonly string[] = [
  '/livez',
  '/readyz',
  '/v1/openapi.json',
  // The token in the address is the credential.
  '/v1/callbacks/{token}',
  // These sign a program in. Without a provider they have no effect.
  '/v1/sign-in/device',
  '/v1/sign-in/device/token',
];

/** All routes of the OpenAPI document that need credentials, with these ids in their addresses. */
async function routesOf(site: Site, ids: Readonly<Record<string, string>>): Promise<Route[]> {
  const { body } = await site.ask('acme/ada', 'GET', '/v1/openapi.json');
  const paths: Record<
    string,
    Record<string, { operationId: string; requestBody?: object }>
  > = body.paths;
  const others = Object.entries(paths).filter(([path]) => !PUBLIC.includes(path));
  return others.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody }]) => {
      if (requestBody !== undefined) expect(BODIES, operationId).toHaveProperty(operationId);
      return {
        method: method.toUpperCase(),
        path: path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? 'no-such-name'),
        body: requestBody && BODIES[operationId],
      };
    }),
  );
}

/** A store that counts its writes. */
function countingStore(store: Store): { readonly store: Store; readonly writes: () => number } {
  let writes = 0;
  const counting: Store = Object.assign(Object.create(store), {
    write: (work: never, options: never) => {
      writes += 1;
      return store.write(work, options);
    },
    read: (work: never, options: never) => store.read(work, options),
    onDue: (listener: () => void) => store.onDue(listener),
  });
  return { store: counting, writes: () => writes };
}

async function waitingSite(store: Store, options?: DeskAppOptions) {
  const site = siteOn(store, options);
  const runId = await startedRun(site, 'pay acme');
  const [hold] = (await site.ask('acme/ada', 'GET', '/v1/holds')).body.items;
  const ids = { runId, holdId: hold.id, conversationId: hold.conversationId };
  return { site, ids, routes: await routesOf(site, ids) };
}

/** Authentication and tenants, on any store. */
export function whoAsksCases(open: OpenHttpStore): void {
  it('needs credentials on every route', async () => {
    await using opened = await open();
    const counted = countingStore(opened.store);
    const { site, routes } = await waitingSite(counted.store);
    const before = counted.writes();

    expect(routes.length).toBeGreaterThan(13);
    for (const { method, path, body } of [
      ...routes,
      { method: 'GET', path: '/v1/nothing', body: undefined },
    ]) {
      const decision = await site.ask('', method, path, body);
      expect(decision, `${method} ${path}`).toMatchObject({
        status: 401,
        body: { code: 'unauthenticated' },
      });
      expect(decision.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect(counted.writes()).toBe(before);
    expect(site.bank.paid).toEqual([]);
  });

  it('is rejected by a desk without `authorize`', async () => {
    await using opened = await open();
    const { site, routes } = await waitingSite(opened.store);
    const { ask } = siteOf(site.desk, { authorize: undefined });

    for (const { method, path, body } of routes) {
      expect(await ask('acme/ada', method, path, body), `${method} ${path}`).toMatchObject({
        status: 401,
        body: { code: 'no-authorize' },
      });
    }
  });

  it('gets the same response for a resource of another tenant as for a missing one', async () => {
    await using opened = await open();
    const options = { authorizeAction: () => true };
    const { site, ids, routes } = await waitingSite(opened.store, options);
    const none = { runId: '0'.repeat(32), holdId: '0'.repeat(32), conversationId: '0'.repeat(32) };
    const missing = await routesOf(site, none);
    const before = await site.desk.forTenant('acme').run(ids.runId);
    const withId = routes.flatMap((route, index) => {
      const same = missing[index]!;
      return route.path === same.path ? [] : [{ route, same }];
    });

    expect(withId).toHaveLength(17);
    for (const { route, same } of withId) {
      const theirs = await site.ask('other/eve', route.method, route.path, route.body);
      const nobodys = await site.ask('other/eve', same.method, same.path, same.body);
      expect(theirs.status, `${route.method} ${route.path}`).toBe(404);
      expect(shapeOf(theirs, ids)).toEqual(shapeOf(nobodys, none));
    }
    // Lists contain resources of the caller's tenant only.
    for (const path of [
      '/v1/runs',
      '/v1/holds',
      '/v1/holds?text=pay',
      `/v1/holds?runId=${ids.runId}`,
    ]) {
      const { status, body } = await site.ask('other/eve', 'GET', path);
      expect([status, body]).toEqual([200, { items: [] }]);
    }
    expect(await site.desk.forTenant('acme').run(ids.runId)).toEqual(before);
    expect(await site.desk.forTenant('other').events()).toEqual({ items: [] });
    expect(site.bank.paid).toEqual([]);
  });

  it('gets 404 for malformed ids', async () => {
    await using opened = await open();
    const { site } = await waitingSite(opened.store);
    const { body } = await site.ask('acme/ada', 'GET', `/v1/holds/${'0'.repeat(32)}`);

    for (const id of ['x', '%00', '%ff', '..%2f..', "'%20or%201=1", 'A'.repeat(5_000), '🂡']) {
      const decision = await site.ask('acme/ada', 'GET', `/v1/holds/${id}`);
      expect(decision.status, id).toBe(404);
      expect(decision.body.code).toBe(body.code);
      expect((await site.ask('acme/ada', 'GET', `/v1/conversations/${id}/messages`)).status).toBe(
        404,
      );
    }
  });

  it('changes nothing with a GET or a HEAD, on any route', async () => {
    await using opened = await open();
    const counted = countingStore(opened.store);
    const { site, routes } = await waitingSite(counted.store);
    const before = counted.writes();

    for (const { path } of routes) {
      for (const method of ['GET', 'HEAD']) {
        if (path === '/v1/events' && method === 'GET') continue;
        const query = '?digest=x&kind=approve&_method=POST';
        expect((await site.ask('acme/grace', method, path)).status).toBeLessThan(500);
        expect((await site.ask('acme/grace', method, `${path}${query}`)).status).toBeLessThan(500);
      }
    }
    expect(counted.writes()).toBe(before);
  });

  it('is rejected by `authorize`, also if it throws', async () => {
    await using opened = await open();
    const { site } = await waitingSite(opened.store);
    const errors: unknown[] = [];
    const responseWith = async (authorize: unknown): Promise<SiteResponse> => {
      const onError = (error: unknown) => errors.push(error);
      const options = { authorize, onError } as DeskAppOptions;
      return siteOf(site.desk, options).ask('acme/ada', 'GET', '/v1/runs');
    };

    expect(
      await responseWith(() => ({ rejected: 403, message: 'Only on Mondays.' })),
    ).toMatchObject({
      status: 403,
      body: { code: 'forbidden', detail: 'Only on Mondays.' },
    });
    expect((await responseWith(() => ({ rejected: 401 }))).status).toBe(401);
    expect((await responseWith(() => undefined)).status).toBe(401);
    expect(errors).toEqual([]);
    const wrong: readonly unknown[] = [
      null,
      true,
      {},
      'acme',
      { tenant: 'acme' },
      { tenant: '', person: { id: 'ada' } },
      { tenant: 'acme', person: { id: '' } },
      { person: { id: 'ada' } },
      { tenant: 'acme', person: { id: 'ada' }, roles: 'lead' },
      { tenant: 'acme', person: { id: 'ada' }, roles: [5] },
    ];
    for (const said of wrong) {
      const decision = await responseWith(() => said);
      expect(decision.status, JSON.stringify(said)).toBe(500);
      expect(decision.text).not.toContain('items');
    }
    const thrown = await responseWith(() => {
      throw new Error('hunter2secret');
    });
    expect(thrown).toMatchObject({ status: 500 });
    expect(thrown.text).not.toContain('hunter2secret');
    const confused = await responseWith(() => {
      throw new DeskError('not-found', 'hunter2secret');
    });
    expect(confused).toMatchObject({ status: 500 });
    expect(confused.text).not.toContain('hunter2secret');
    expect(errors).toHaveLength(wrong.length + 2);
  });
}

/** A response without the requested ids. */
function shapeOf({ status, headers, text }: SiteResponse, ids: Readonly<Record<string, string>>) {
  const { ['x-request-id']: requestId = '' } = Object.fromEntries(headers);
  const all = { ...ids, requestId };
  const shape = Object.values(all).reduce((rest, id) => rest.replaceAll(id || '-', '<id>'), text);
  return { status, shape, headers: [...headers.keys()] };
}
