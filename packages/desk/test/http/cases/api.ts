import { signRunAudit, verifyAudit } from '@holdpoint/desk';
import { DeskClientError } from '@holdpoint/desk/client';
import { messageCodec } from 'holdpoint';
import { Validator } from '@cfworker/json-schema';
import { expect, it } from 'vitest';
import { KEY, PUBLIC_KEYS } from '../../support/sample-audit.ts';
import type { OpenHttpStore } from '../support/http-store.ts';
import { type SiteResponse, siteOn, startedRun } from '../support/site.ts';

/** The API of a desk, on any store. */
export function apiCases(open: OpenHttpStore): void {
  it('executes a run from its start to its end', async () => {
    await using opened = await open();
    const { desk, bank, client } = siteOn(opened.store);
    const ada = client('acme/ada');
    const grace = client('acme/grace');

    const started = await ada.start({ agent: 'teller', prompt: 'pay acme, look_up x' });
    expect(started).toMatchObject({ state: 'ready', requester: { id: 'ada' } });
    expect(started.id).toMatch(/^[0-9a-f]{32}$/);
    await desk.forTenant('acme').work({ runId: started.id });

    const { items } = await grace.holds({ runId: started.id });
    expect(items).toMatchObject([
      { toolName: 'pay', args: { to: 'acme' }, preview: '10 euros go to acme', redacted: false },
      { toolName: 'look_up', kind: 'external' },
    ]);
    const [pay, lookUp] = items;
    await grace.decide(pay!.id, { digest: pay!.digest, decision: { kind: 'approve' } });
    await grace.decide(lookUp!.id, {
      digest: lookUp!.digest,
      decision: { kind: 'result', value: { found: 1 } },
    });
    expect((await ada.run(started.id)).state).toBe('ready');
    await desk.forTenant('acme').work({ runId: started.id });

    expect(await ada.run(started.id)).toMatchObject({
      state: 'finished',
      output: 'Results: "10 paid to acme" | {"found":1}',
    });
    expect(bank.paid).toMatchObject([{ to: 'acme', euros: 10 }]);
    expect(await ada.hold(pay!.id)).toMatchObject({
      hold: { state: 'consumed', outcome: 'decided' },
      decisions: [{ by: { id: 'grace' }, decision: { kind: 'approve' }, digest: pay!.digest }],
    });
    expect(messageCodec.fromJSON(await ada.history(started.conversationId))).toHaveLength(4);
    const { items: audit } = await ada.audit(started.id);
    expect(audit.map(({ kind }) => kind)).toContain('hold-decided');
    const [first, second] = [await ada.audit(started.id, { limit: 2 }), audit[2]];
    const third = await ada.audit(started.id, { after: first.next, limit: 1 });
    expect(third.items).toEqual([second]);
    expect(await ada.health()).toEqual({ status: 'ok' });
  });

  it('lists audit entries that the caller can verify', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const ada = site.client('acme/ada');
    const runId = await startedRun(site, 'pay acme');
    const { tenant, agents } = await ada.me();
    const checkpoint = await signRunAudit(opened.store, { tenant, runId, key: KEY });
    const verify = (entries: readonly unknown[]) =>
      verifyAudit({ tenant, entries, checkpoints: [checkpoint], publicKeys: PUBLIC_KEYS });

    const { items: entries } = await ada.audit(runId);

    expect(agents).toEqual(['teller']);
    expect(await verify(entries)).toMatchObject({
      status: 'intact',
      entries: entries.length,
      signedEntries: entries.length,
    });
    const [first, ...others] = entries;
    expect((await verify(others)).status).toBe('damaged');
    expect((await verify([{ ...first, by: { id: 'eve' } }, ...others])).status).toBe('damaged');
    const pages: unknown[] = [];
    for (let after: string | undefined = '0'; after !== undefined; ) {
      const { body } = await site.ask(
        'acme/ada',
        'GET',
        `/v1/runs/${runId}/audit?limit=1&after=${after}`,
      );
      pages.push(...body.items);
      after = body.next;
    }
    expect(pages).toEqual(entries);
  });

  it('accepts every kind of decision', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const grace = site.client('acme/grace');
    const runId = await startedRun(site, 'pay a, pay b, pay c, look_up d, look_up e, look_up f');
    const decisions = [
      { kind: 'approve' },
      { kind: 'approve', args: { to: 'bb', euros: 7 } },
      { kind: 'deny', reason: 'Not c.' },
      { kind: 'result', value: null },
      { kind: 'retry', message: 'Say more.' },
      { kind: 'fail', message: 'No such thing.' },
    ] as const;

    const { items } = await grace.holds({ runId });
    for (const [index, { id, digest }] of items.entries()) {
      const decision = decisions[index]!;
      const args = 'args' in decision ? decision.args : undefined;
      const shown = args && (await grace.previewEdit(id, { args })).shown;
      await grace.decide(id, { digest, decision, shown });
    }
    await site.desk.forTenant('acme').work({ runId });

    expect((await grace.run(runId)).output).toBe(
      'Results: "10 paid to a" | "7 paid to bb" | "Not c." | null | "Say more." | "No such thing."',
    );
  });

  it('lists and searches in pages', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const ada = site.client('acme/ada');
    const runs: string[] = [];
    for (const to of ['one', 'two', 'three']) {
      runs.push(await startedRun(site, `pay ${to}`));
      await opened.clock.advance(1);
    }

    const first = await ada.runs({ limit: 2, states: ['parked', 'ready'] });
    const second = await ada.runs({ limit: 2, states: ['parked', 'ready'], after: first.next });
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(runs.toReversed());
    expect(second.next).toBeUndefined();
    expect((await ada.runs({ states: ['finished'] })).items).toEqual([]);
    expect((await ada.holds({ text: 'TWO' })).items).toMatchObject([{ args: { to: 'two' } }]);
    expect((await ada.holds({ states: ['decided'] })).items).toEqual([]);
    expect((await ada.holds({ limit: 1 })).next).toBeDefined();
  });

  it('sends messages, cancels runs, and returns one run for one key', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const ada = site.client('acme/ada');
    const start = { agent: 'teller', prompt: 'pay a', idempotencyKey: 'once' };
    const { id, conversationId } = await ada.start(start);
    expect((await ada.start(start)).id).toBe(id);
    await site.desk.forTenant('acme').work({ runId: id });

    const rejected = ada.message(conversationId, { prompt: 'Hello?' });
    await expect(rejected).rejects.toMatchObject({ status: 409, code: 'open-holds' });
    const heard = await ada.message(conversationId, {
      prompt: 'Never mind.',
      onOpenHolds: 'supersede',
    });
    expect(heard).toMatchObject({ id, state: 'ready' });
    await site.desk.forTenant('acme').work({ runId: id });
    expect((await ada.run(id)).state).toBe('finished');

    const next = await ada.message(conversationId, { prompt: 'pay b' });
    expect(next.id).not.toBe(id);
    expect(await ada.cancel(next.id)).toMatchObject({ state: 'cancelled' });
    expect(await ada.cancel(next.id)).toMatchObject({ state: 'cancelled' });
    await expect(ada.cancel(id)).rejects.toMatchObject({ status: 409, code: 'run-ended' });
    await expect(ada.retry(id)).rejects.toThrow(DeskClientError);
    expect(site.bank.paid).toEqual([]);
  });

  it('responds as its OpenAPI document describes', async () => {
    await using opened = await open();
    const site = siteOn(opened.store, { authorizeAction: () => true });
    const runId = await startedRun(site, 'pay a, look_up b');
    const ask = (path: string, body?: unknown) =>
      site.ask('acme/ada', body === undefined ? 'GET' : 'POST', path, body);
    const [hold, lookUp] = (await ask('/v1/holds')).body.items;
    const messages = `/v1/conversations/${hold.conversationId}/messages`;
    const bulk = { holdId: lookUp.id, digest: 'stale', decision: { kind: 'deny', reason: 'No.' } };
    const received: Record<string, SiteResponse> = {
      startRun: await ask('/v1/runs', { agent: 'teller', prompt: 'Hi' }),
      listRuns: await ask('/v1/runs'),
      getRun: await ask(`/v1/runs/${runId}`),
      listAuditEntries: await ask(`/v1/runs/${runId}/audit`),
      verifyAudit: await ask(`/v1/runs/${runId}/audit/verification`),
      listMessages: await ask(messages),
      previewEdit: await ask(`/v1/holds/${hold.id}/edit-preview`, { args: { euros: -1 } }),
      listHolds: await ask('/v1/holds'),
      decideHold: await ask(`/v1/holds/${hold.id}/decision`, {
        digest: hold.digest,
        decision: { kind: 'approve' },
        grant: { match: { args: { to: 'a' } } },
      }),
      decideHolds: await ask('/v1/holds/decisions', [bulk]),
      listGrants: await ask('/v1/grants?live=true'),
      getHold: await ask(`/v1/holds/${hold.id}`),
      commentOnHold: await ask(`/v1/holds/${hold.id}/comments`, { text: 'Hi' }),
      // This hold is not that of an external call.
      createHoldCallback: await ask(`/v1/holds/${hold.id}/callback`, {}),
      listRequestedChanges: await ask(`/v1/holds/${hold.id}/requested-changes`),
      listComments: await ask(`/v1/holds/${hold.id}/comments`),
      sendMessage: await ask(messages, { prompt: 'x', onOpenHolds: 'supersede' }),
      cancelRun: await ask(`/v1/runs/${runId}/cancel`, {}),
      exportConversation: await ask(`/v1/conversations/${hold.conversationId}/export`),
      exportPerson: await ask('/v1/people/export?person=ada'),
      eraseConversation: await ask(`/v1/conversations/${hold.conversationId}/erase`, {
        reason: 'x',
      }),
      erasePerson: await ask('/v1/people/erase', { person: 'ada', reason: 'x' }),
      listDeadLetters: await ask('/v1/dead-letters'),
      replayDeadLetter: await ask('/v1/dead-letters/replay', { kind: 'run', id: runId }),
      discardDeadLetter: await ask('/v1/dead-letters/discard', { kind: 'outbox', id: 'x' }),
      createRequest: await ask('/v1/requests', { tool: 'refund', args: { euros: 20 } }),
      listRequests: await ask('/v1/requests'),
      listKeys: await ask('/v1/keys'),
      createKey: await ask('/v1/keys', { account: 'billing', scopes: ['read'] }),
      useCallback: await ask('/v1/callbacks/unknown', { value: 1 }),
      // This desk has no provider.
      beginDeviceSignIn: await ask('/v1/sign-in/device', {}),
      finishDeviceSignIn: await ask('/v1/sign-in/device/token', { deviceCode: 'x' }),
      getMe: await ask('/v1/me'),
      getHealth: await ask('/v1/health'),
      getLiveness: await ask('/livez'),
      getReadiness: await ask('/readyz'),
      getOpenApi: await site.ask('', 'GET', '/v1/openapi.json'),
    };
    const [grant] = received['listGrants']!.body.items;
    received['getGrant'] = await ask(`/v1/grants/${grant.id}`);
    const until = new Date(Date.now() + 60_000).toISOString();
    received['delegate'] = await ask('/v1/delegations', { to: { id: 'kim', name: 'Kim' }, until });
    const delegation = received['delegate'].body.id;
    received['listDelegations'] = await ask('/v1/delegations?live=true');
    received['revokeDelegation'] = await ask(`/v1/delegations/${delegation}/revoke`, {});
    received['revokeGrant'] = await ask(`/v1/grants/${grant.id}/revoke`, {});
    const { id: keyId } = received['createKey']!.body;
    received['rotateKey'] = await ask(`/v1/keys/${keyId}/rotate`, {});
    received['revokeKey'] = await ask(`/v1/keys/${keyId}/revoke`, {});
    const { id: requestId, holdId } = received['createRequest']!.body;
    const { digest } = (await ask(`/v1/holds/${holdId}`)).body.hold;
    await ask(`/v1/holds/${holdId}/decision`, { digest, decision: { kind: 'approve' } });
    const token = 'an-executor-of-a-test';
    for (const [operation, path, body] of [
      ['claimRequest', 'claim', { token }],
      ['extendRequestClaim', 'heartbeat', { token }],
      ['releaseRequestClaim', 'release', { token }],
      ['', 'claim', { token }],
      ['createRequestCallback', 'callback', { token }],
      ['settleRequest', 'settle', { token, outcome: { kind: 'value', value: 1 } }],
      ['cancelRequest', 'cancel', {}],
    ] as const) {
      received[operation] = await ask(`/v1/requests/${requestId}/${path}`, body);
    }
    received['getRequest'] = await ask(`/v1/requests/${requestId}`);
    // This run is not stuck.
    received['retryRun'] = await ask(`/v1/runs/${runId}/retry`, {});

    const document = received['getOpenApi']!.body;
    const operations = Object.values(document.paths).flatMap((path) => Object.values(Object(path)));
    for (const operation of operations) {
      const { operationId, responses, tags, summary } = Object(operation);
      expect([tags, summary], operationId).toEqual([[expect.any(String)], expect.any(String)]);
      if (operationId === 'streamEvents' || operationId === 'streamRun') continue;
      const { status, body, text, headers } = received[operationId]!;
      const type = headers.get('content-type')!.split(';')[0]!;
      const schema = responses[status].content[type].schema;
      const validator = new Validator({ ...schema, components: document.components }, '2020-12');
      const value = type === 'application/jsonl' ? text : body;
      expect(validator.validate(value), operationId).toMatchObject({ valid: true });
    }
    expect(document).toMatchObject({
      openapi: '3.1.0',
      servers: [{ url: '/' }],
      security: [{ bearer: [] }, { cookie: [] }],
      components: { securitySchemes: { bearer: { scheme: 'bearer' }, cookie: { in: 'cookie' } } },
    });
  });
}
