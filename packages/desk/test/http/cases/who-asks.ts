import { DeskError, type Store } from '@holdpoint/desk';
import type { DeskAppOptions } from '../../../src/http/desk-app-options.ts';
import { expect, it } from 'vitest';
import type { OpenHttpStore } from '../support/http-store.ts';
import { type Answer, type Site, siteOf, siteOn, startedRun } from '../support/site.ts';

interface Route {
  readonly method: string;
  readonly path: string;
  /** A body that the route takes. */
  readonly body?: unknown;
}

const BODIES: Readonly<Record<string, unknown>> = {
  startRun: { agent: 'teller', prompt: 'Hi' },
  sendMessage: { prompt: 'Hi', onOpenHolds: 'supersede' },
  cancelRun: {},
  retryRun: {},
  answerHold: { digest: 'x', answer: { kind: 'approve' } },
  checkEdit: { args: {} },
  revokeGrant: {},
};

/** The routes that need no credentials. No other may be added without a change here. */
const PUBLIC: readonly string[] = ['/livez', '/readyz'];

/** All routes of the OpenAPI document that need credentials, with these ids in their addresses. */
async function routesOf(site: Site, ids: Readonly<Record<string, string>>): Promise<Route[]> {
  const { body } = await site.ask('acme/ada', 'GET', '/openapi.json');
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

/** A store that counts what is written. */
function countingStore(store: Store): { readonly store: Store; readonly writes: () => number } {
  let writes = 0;
  const counting: Store = Object.assign(Object.create(store), {
    write: (work: never) => {
      writes += 1;
      return store.write(work);
    },
    read: (work: never) => store.read(work),
    onDue: (listener: () => void) => store.onDue(listener),
  });
  return { store: counting, writes: () => writes };
}

async function waitingSite(store: Store, options?: DeskAppOptions) {
  const site = siteOn(store, options);
  const runId = await startedRun(site, 'pay acme');
  const [hold] = (await site.ask('acme/ada', 'GET', '/holds')).body.items;
  const ids = { runId, holdId: hold.id, conversationId: hold.conversationId };
  return { site, ids, routes: await routesOf(site, ids) };
}

/** Who is let in, and to what, on whichever store. */
export function whoAsksCases(open: OpenHttpStore): void {
  it('has to say so on every route', async () => {
    await using opened = await open();
    const counted = countingStore(opened.store);
    const { site, routes } = await waitingSite(counted.store);
    const before = counted.writes();

    expect(routes.length).toBeGreaterThan(13);
    for (const { method, path, body } of [
      ...routes,
      { method: 'GET', path: '/', body: undefined },
    ]) {
      const answer = await site.ask('', method, path, body);
      expect(answer, `${method} ${path}`).toMatchObject({
        status: 401,
        body: { error: { code: 'unauthenticated' } },
      });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect(counted.writes()).toBe(before);
    expect(site.bank.paid).toEqual([]);
  });

  it('gets nothing at all from a desk that was given no authorize', async () => {
    await using opened = await open();
    const { site, routes } = await waitingSite(opened.store);
    const { ask } = siteOf(site.desk, { authorize: undefined });

    for (const { method, path, body } of routes) {
      expect(await ask('acme/ada', method, path, body), `${method} ${path}`).toMatchObject({
        status: 401,
        body: { error: { code: 'no-authorize' } },
      });
    }
  });

  it('finds nothing of another tenant, and cannot tell that it is there', async () => {
    await using opened = await open();
    const { site, ids, routes } = await waitingSite(opened.store);
    const none = { runId: '0'.repeat(32), holdId: '0'.repeat(32), conversationId: '0'.repeat(32) };
    const missing = await routesOf(site, none);
    const before = await site.desk.forTenant('acme').run(ids.runId);
    const withId = routes.flatMap((route, index) => {
      const same = missing[index]!;
      return route.path === same.path ? [] : [{ route, same }];
    });

    expect(withId).toHaveLength(10);
    for (const { route, same } of withId) {
      const theirs = await site.ask('other/eve', route.method, route.path, route.body);
      const nobodys = await site.ask('other/eve', same.method, same.path, same.body);
      expect(theirs.status, `${route.method} ${route.path}`).toBe(404);
      expect(shapeOf(theirs, ids)).toEqual(shapeOf(nobodys, none));
    }
    // What they may do is theirs, and has nothing of others in it.
    for (const path of ['/runs', '/holds', '/holds?text=pay', `/holds?runId=${ids.runId}`]) {
      const { status, body } = await site.ask('other/eve', 'GET', path);
      expect([status, body]).toEqual([200, { items: [] }]);
    }
    expect(await site.desk.forTenant('acme').run(ids.runId)).toEqual(before);
    expect(await site.desk.forTenant('other').events()).toEqual({ items: [] });
    expect(site.bank.paid).toEqual([]);
  });

  it('finds nothing under ids that are none', async () => {
    await using opened = await open();
    const { site } = await waitingSite(opened.store);
    const { body } = await site.ask('acme/ada', 'GET', `/holds/${'0'.repeat(32)}`);

    for (const id of ['x', '%00', '%ff', '..%2f..', "'%20or%201=1", 'A'.repeat(5_000), '🂡']) {
      const answer = await site.ask('acme/ada', 'GET', `/holds/${id}`);
      expect(answer.status, id).toBe(404);
      expect(answer.body.error.code).toBe(body.error.code);
      expect((await site.ask('acme/ada', 'GET', `/conversations/${id}/messages`)).status).toBe(404);
    }
  });

  it('changes nothing with a GET or a HEAD, on any route', async () => {
    await using opened = await open();
    const counted = countingStore(opened.store);
    const { site, routes } = await waitingSite(counted.store);
    const before = counted.writes();

    for (const { path } of routes) {
      for (const method of ['GET', 'HEAD']) {
        if (path === '/events' && method === 'GET') continue;
        const query = '?digest=x&kind=approve&_method=POST';
        expect((await site.ask('acme/grace', method, path)).status).toBeLessThan(500);
        expect((await site.ask('acme/grace', method, `${path}${query}`)).status).toBeLessThan(500);
      }
    }
    expect(counted.writes()).toBe(before);
  });

  it('may be refused, and nobody is let in by an authorize that fails', async () => {
    await using opened = await open();
    const { site } = await waitingSite(opened.store);
    const errors: unknown[] = [];
    const asked = async (authorize: unknown): Promise<Answer> => {
      const onError = (error: unknown) => errors.push(error);
      const options = { authorize, onError } as DeskAppOptions;
      return siteOf(site.desk, options).ask('acme/ada', 'GET', '/runs');
    };

    expect(await asked(() => ({ refused: 403, message: 'Only on Mondays.' }))).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden', message: 'Only on Mondays.' } },
    });
    expect((await asked(() => ({ refused: 401 }))).status).toBe(401);
    expect((await asked(() => undefined)).status).toBe(401);
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
    ];
    for (const said of wrong) {
      const answer = await asked(() => said);
      expect(answer.status, JSON.stringify(said)).toBe(500);
      expect(answer.text).not.toContain('items');
    }
    const thrown = await asked(() => {
      throw new Error('hunter2secret');
    });
    expect(thrown).toMatchObject({ status: 500 });
    expect(thrown.text).not.toContain('hunter2secret');
    const confused = await asked(() => {
      throw new DeskError('not-found', 'hunter2secret');
    });
    expect(confused).toMatchObject({ status: 500 });
    expect(confused.text).not.toContain('hunter2secret');
    expect(errors).toHaveLength(wrong.length + 2);
  });
}

/** An answer without the ids that were asked for. */
function shapeOf({ status, headers, text }: Answer, ids: Readonly<Record<string, string>>) {
  const shape = Object.values(ids).reduce((all, id) => all.replaceAll(id, '<id>'), text);
  return { status, shape, headers: [...headers.keys()] };
}
