import {
  type ActionTarget,
  type AuthorizeAction,
  type DeskAction,
  eventCursor,
  type GrantRow,
} from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { STORES } from '../support/opened-store.ts';
import { countingStore } from './support/counting-store.ts';
import { openEvents } from './support/event-reader.ts';
import { type Site, siteOn, startedRun } from './support/site.ts';

const ADA = 'acme/ada';
const BOB = 'acme/bob';

function requesterOf(target: ActionTarget): string | undefined {
  if (target.kind === 'run') return target.run.requester?.id;
  if (target.kind === 'hold') return target.hold.requester?.id;
  return target.kind === 'grant' ? target.grant.requester?.id : undefined;
}

/** Callers read and change only their own runs. Every caller may start runs. */
const OWN_ONLY: AuthorizeAction = ({ person }, action, target) =>
  action === 'start' || requesterOf(target) === person.id;

/** A run with a hold and a grant, and their ids. */
async function waitingRun(site: Site, who: string) {
  const runId = await startedRun(site, 'pay acme', who);
  const { items } = await site.desk.forTenant('acme').holds({ runId });
  const [hold] = items;
  const { conversationId } = hold!;
  const decision = { digest: hold!.digest, decision: { kind: 'approve' } };
  return { runId, holdId: hold!.id, conversationId, decision };
}

/** A grant that Ada's call led to. */
function grantOf({
  runId,
  holdId,
  conversationId,
}: Awaited<ReturnType<typeof waitingRun>>): GrantRow {
  return {
    tenant: 'acme',
    id: '0123456789abcdef0123456789abcdef',
    scope: 'conversation',
    toolName: 'pay',
    toolHash: 'hash',
    match: { kind: 'any' },
    agent: 'teller',
    path: [],
    conversationId,
    requester: { id: 'ada' },
    by: [{ id: 'ada', at: 1 }],
    holdId,
    runId,
    used: 0,
    createdAt: 1,
  };
}

/** All requests about a run, with the status that its owner gets. */
const requestsFor = (waiting: Awaited<ReturnType<typeof waitingRun>>) => {
  const { runId, holdId, conversationId, decision } = waiting;
  const messages = `/v1/conversations/${conversationId}/messages`;
  return [
    ['GET', `/v1/runs/${runId}`, undefined],
    ['GET', `/v1/runs/${runId}/audit`, undefined],
    ['GET', `/v1/runs/${runId}/audit/verification`, undefined],
    ['GET', messages, undefined],
    ['GET', `/v1/holds/${holdId}`, undefined],
    ['GET', `/v1/holds/${holdId}/requested-changes`, undefined],
    ['POST', `/v1/holds/${holdId}/edit-preview`, { args: {} }],
    ['POST', `/v1/holds/${holdId}/decision`, decision],
    ['POST', messages, { prompt: 'pay more', onOpenHolds: 'supersede' }],
    ['POST', '/v1/runs', { agent: 'teller', prompt: 'pay b', conversationId }],
    ['POST', `/v1/runs/${runId}/retry`, {}],
    ['POST', `/v1/runs/${runId}/cancel`, {}],
  ] as const;
};

describe.each(STORES)('desk B25: authorizeAction %s', (_, open) => {
  it('hides rows that a caller may not read, and changes nothing', async () => {
    await using opened = await open();
    const counted = countingStore(opened.store);
    const site = siteOn(counted.store, { authorizeAction: OWN_ONLY });
    const waiting = await waitingRun(site, ADA);
    const grant = grantOf(waiting);
    await opened.store.write((tx) => tx.grants.insert(grant));
    const writes = counted.writes();

    for (const [method, path, body] of requestsFor(waiting)) {
      const { status, body: said } = await site.ask(BOB, method, path, body);
      expect([method, path, status, said.code]).toEqual([method, path, 404, 'not-found']);
    }

    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/revoke'],
    ] as const) {
      const body = method === 'POST' ? {} : undefined;
      expect((await site.ask(BOB, method, `/v1/grants/${grant.id}${path}`, body)).status).toBe(404);
    }
    expect((await site.ask(BOB, 'GET', '/v1/grants')).body.items).toEqual([]);
    expect((await site.ask(ADA, 'GET', '/v1/grants')).body.items).toHaveLength(1);
    expect(counted.writes()).toBe(writes);
    for (const [method, path, body] of requestsFor(waiting).slice(0, 7)) {
      expect([path, (await site.ask(ADA, method, path, body)).status]).toEqual([path, 200]);
    }
  });

  it('omits rows that a caller may not read from lists and event streams', async () => {
    await using opened = await open();
    const site = siteOn(opened.store, {
      authorizeAction: OWN_ONLY,
      events: { pollMs: 10 },
    });
    const events = await openEvents(site.app, BOB);
    const ofAda = await waitingRun(site, ADA);
    const ofBob = await waitingRun(site, BOB);

    const listed = async (path: string) =>
      (await site.ask(BOB, 'GET', path)).body.items.map(({ id }: { id: string }) => id);
    expect(await listed('/v1/runs')).toEqual([ofBob.runId]);
    expect(await listed('/v1/runs?limit=1')).toEqual([ofBob.runId]);
    expect(await listed('/v1/holds')).toEqual([ofBob.holdId]);
    expect(await listed('/v1/holds?text=acme&limit=1')).toEqual([ofBob.holdId]);
    const live = await events.take(2);
    expect(live.map(({ event }) => event.runId)).toEqual([ofBob.runId, ofBob.runId]);
    await events.cancel();
    const [first] = (await site.desk.forTenant('acme').events({ limit: 1 })).items;
    const again = await openEvents(site.app, ADA, eventCursor(first!));
    const [missed] = await again.take(1);
    expect(missed!.event.runId).toBe(ofAda.runId);
    await again.cancel();
  });

  it('forbids single actions on rows that a caller may read', async () => {
    await using opened = await open();
    const denied: DeskAction[] = ['cancel', 'retry', 'message', 'start', 'revoke'];
    const site = siteOn(opened.store, {
      authorizeAction: ({ person }, action) => person.id === 'ada' || !denied.includes(action),
    });
    const waiting = await waitingRun(site, ADA);
    const statuses: Record<string, number> = {};
    for (const [method, path, body] of requestsFor(waiting)) {
      const name = path.split('/').at(-1) ?? '';
      if (path.endsWith('/decision')) continue;
      statuses[`${method} ${name}`] = (await site.ask(BOB, method, path, body)).status;
    }

    expect(statuses).toMatchObject({
      'GET messages': 200,
      'POST messages': 403,
      'POST runs': 403,
      'POST retry': 403,
      'POST cancel': 403,
    });
    const grant = grantOf(waiting);
    await opened.store.write((tx) => tx.grants.insert(grant));
    expect(await site.ask(BOB, 'POST', `/v1/grants/${grant.id}/revoke`, {})).toMatchObject({
      status: 403,
      body: { code: 'forbidden', action: 'revoke' },
    });
    expect((await site.ask(ADA, 'POST', `/v1/grants/${grant.id}/revoke`, {})).status).toBe(200);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('hunter2');
      },
    ],
    ['rejects', () => Promise.reject(new Error('hunter2'))],
    ['returns something other than true', () => 'yes'],
    ['returns nothing', () => undefined],
  ])('denies if it %s', async (_how, decide) => {
    await using opened = await open();
    const errors: unknown[] = [];
    let isStrict = false;
    const site = siteOn(opened.store, {
      // The function of the test returns what no type allows.
      authorizeAction: (() => (isStrict ? decide() : true)) as AuthorizeAction,
      onError: (error) => errors.push(error),
    });
    const { runId } = await waitingRun(site, ADA);
    isStrict = true;

    expect((await site.ask(ADA, 'GET', `/v1/runs/${runId}`)).status).toBe(404);
    expect((await site.ask(ADA, 'GET', '/v1/holds')).body.items).toEqual([]);
    const started = await site.ask(ADA, 'POST', '/v1/runs', { agent: 'teller', prompt: 'pay c' });
    expect(started.status).toBe(403);
    expect(started.text).not.toContain('hunter2');
    expect(errors).toHaveLength(_how.startsWith('returns') ? 0 : 3);
  });

  it('needs a number of queries that does not depend on the number of rows', async () => {
    await using opened = await open();
    const counted = countingStore(opened.store);
    const site = siteOn(counted.store, { authorizeAction: OWN_ONLY });
    const queriesOf = async () => {
      const before = counted.queries().length;
      for (const path of ['/v1/runs', '/v1/holds']) await site.ask(ADA, 'GET', path);
      return counted.queries().slice(before);
    };
    for (let index = 0; index < 2; index++) await waitingRun(site, ADA);
    const few = await queriesOf();
    for (let index = 0; index < 20; index++) await waitingRun(site, ADA);

    expect(await queriesOf()).toEqual(few);
  });
});
