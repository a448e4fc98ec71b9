import { sqliteStore, openDesk } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES, TestClock } from '../support/opened-store.ts';
import { raceCases } from './cases/race.ts';
import { siteOf, siteOn, startedRun } from './support/site.ts';

describe('HTTP request validation', () => {
  const start = { agent: 'teller', prompt: 'Hi' };

  it('accepts JSON only', async () => {
    const { app } = siteOn(await sqliteStore());
    const post = (body: BodyInit | undefined, type?: string) =>
      app.fetch(
        new Request('http://desk.test/v1/runs', {
          method: 'POST',
          headers: { authorization: 'Bearer a/b', ...(type && { 'content-type': type }) },
          ...(body !== undefined && { body }),
        }),
      );

    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      expect((await post(JSON.stringify(start), type)).status, type).toBe(415);
    }
    expect((await post(undefined)).status).toBe(400);
    expect((await post(new URLSearchParams({ agent: 'teller', prompt: 'Hi' }))).status).toBe(415);
    expect((await post(JSON.stringify(start), 'application/json; charset=utf-8')).status).toBe(201);
  });

  it.each([
    ['', 'Check its syntax'],
    ['{"agent":', 'Check its syntax'],
    ['{"agent":1 "secret-in-no-quotes"}', 'position 11'],
    ['{"agent": secret-in-no-quotes}', 'Check its syntax'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'nested more than 100 times'],
    [`{"agent":"teller","prompt":"Hi","__proto__":{"a":1}}`, '__proto__'],
    ['{"agent":"teller","prompt":"Hi","prompt":"Pay."}', 'occurs twice'],
    [String.raw`{"agent":"teller","prompt":"Hi","\u0070rompt":"Pay."}`, 'occurs twice'],
    ['{"agent":"teller","prompt":"Hi","x":1e400}', 'represented exactly'],
    ['{"agent":"teller","prompt":"Hi","x":[9007199254740993]}', 'represented exactly'],
  ])('rejects malformed and unsafe JSON: %#', async (body, why) => {
    const { ask } = siteOn(await sqliteStore());

    const decision = await ask('acme/ada', 'POST', '/v1/runs', body || ' ');

    expect(decision).toMatchObject({ status: 400, body: { code: 'invalid-body' } });
    expect(decision.body.detail).toContain(why);
    expect(decision.text).not.toContain('secret-in-no-quotes');
  });

  it('rejects bytes that are not UTF-8', async () => {
    const { app } = siteOn(await sqliteStore());
    const headers = { authorization: 'Bearer a/b', 'content-type': 'application/json' };
    const body = new Uint8Array([0x22, 0xff, 0x22]);

    const { status } = await app.fetch(
      new Request('http://desk.test/v1/runs', { method: 'POST', headers, body }),
    );

    expect(status).toBe(400);
  });

  it('reports the path of a mistake without the received value', async () => {
    const { ask } = siteOn(await sqliteStore());

    const unknown = await ask('acme/ada', 'POST', '/v1/runs', {
      ...start,
      requester: { id: 'root' },
    });
    const wrong = await ask('acme/ada', 'POST', `/v1/holds/${'0'.repeat(32)}/decision`, {
      digest: 'x',
      decision: { kind: 'approve', args: 'hunter2secret', why: 'hunter2secret' },
    });
    const kind = await ask('acme/ada', 'POST', `/v1/holds/${'0'.repeat(32)}/decision`, {
      digest: 'x',
      decision: { kind: 'hunter2secret' },
    });
    const query = await ask('acme/ada', 'GET', '/v1/holds?states=waiting&page=2&limit=1e9');

    expect(unknown).toMatchObject({
      status: 400,
      body: {
        code: 'invalid-request',
        errors: [{ path: 'body.requester', message: 'is unknown' }],
      },
    });
    expect(wrong.body.errors).toEqual([
      { path: 'body.decision.args', message: 'must be an object' },
      { path: 'body.decision.why', message: 'is unknown' },
    ]);
    expect(kind.body.errors).toEqual([
      {
        path: 'body.decision.kind',
        message: 'must be one of approve, deny, input, result, retry, fail',
      },
    ]);
    expect(wrong.text + kind.text).not.toContain('hunter2secret');
    expect(query.body.errors.map(({ path }: { path: string }) => path)).toEqual([
      'query.limit',
      'query.states.0',
      'query.page',
    ]);
    expect((await ask('acme/ada', 'GET', '/v1/runs?after=bm9uc2Vuc2U')).status).toBe(400);
    for (const cursor of [['x', 'y'], [1, 'a\0'], [1e99, 'x'], [1], [1, 2], { 0: 1 }, 'x']) {
      const after = Buffer.from(JSON.stringify(cursor)).toString('base64url');
      expect((await ask('acme/ada', 'GET', `/v1/runs?after=${after}`)).status, after).toBe(400);
    }
    expect((await ask('acme/ada', 'GET', '/v1/runs?agent=%00')).status).toBe(400);
    expect((await ask('acme/ada', 'GET', '/v1/holds?text=%00')).status).toBe(400);
    expect((await ask('acme/ada', 'GET', '/v1/runs?agent=a&agent=b')).status).toBe(400);
    expect((await ask('acme/ada', 'GET', '/v1/health?really=1')).status).toBe(400);
  });

  it('rejects bodies above the limit, with and without a content length', async () => {
    const { app, desk } = siteOn(await sqliteStore(), { maxBytes: 1_000 });
    const headers = { authorization: 'Bearer a/b', 'content-type': 'application/json' };
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(600).fill(0x20));
      },
    });

    const said = await app.fetch(
      new Request('http://desk.test/v1/runs', { method: 'POST', headers, body: ' '.repeat(1_001) }),
    );
    const unsaid = await app.fetch(
      new Request('http://desk.test/v1/runs', {
        method: 'POST',
        headers,
        body: endless,
        duplex: 'half',
      } as RequestInit),
    );

    expect(said.status).toBe(413);
    expect(unsaid.status).toBe(413);
    expect(await unsaid.json()).toMatchObject({ code: 'too-large', maxBytes: 1_000 });
    expect(pulled).toBeLessThan(5);
    expect((await desk.forTenant('a').runs()).items).toEqual([]);
  });

  it('has a limit of a million bytes', async () => {
    const { ask } = siteOn(await sqliteStore());
    const prompt = 'x'.repeat(999_900);

    expect((await ask('a/b', 'POST', '/v1/runs', { agent: 'teller', prompt })).status).toBe(201);
    expect(
      (await ask('a/b', 'POST', '/v1/runs', { agent: 'teller', prompt: `${prompt}${prompt}` }))
        .status,
    ).toBe(413);
  });

  it('sends no CORS headers, and forbids browsers to store or display responses', async () => {
    const { app } = siteOn(await sqliteStore());
    const origin = { origin: 'https://evil.example', authorization: 'Bearer a/b' };

    const decisions = [
      await app.fetch(new Request('http://desk.test/v1/runs', { headers: origin })),
      await app.fetch(new Request('http://desk.test/nothing', { headers: origin })),
      await app.fetch(new Request('http://desk.test/v1/runs')),
      await app.fetch(
        new Request('http://desk.test/v1/runs', { method: 'OPTIONS', headers: origin }),
      ),
    ];

    for (const { headers } of decisions) {
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-type')).toMatch(/^application\/(problem\+)?json/);
    }
    expect(decisions.map(({ status }) => status)).toEqual([200, 404, 401, 404]);
  });

  it('reports internal errors to the operator only', async () => {
    const store = Object.assign(Object.create(await sqliteStore()), {
      read: () => Promise.reject(new Error('password=hunter2secret')),
    });
    const errors: unknown[] = [];
    const desk = openDesk({ store, agents: { teller: { agent: teller, deps: () => newBank() } } });
    const { ask } = siteOf(desk, {
      onError: (error, { requestId }) => errors.push(error, requestId),
    });

    const decision = await ask('acme/ada', 'GET', '/v1/runs');

    expect(decision).toMatchObject({ status: 500, body: { code: 'internal' } });
    expect(decision.text).not.toContain('hunter2');
    const { requestId, detail } = decision.body;
    expect(detail).toContain(requestId);
    expect(decision.headers.get('x-request-id')).toBe(requestId);
    expect(errors).toMatchObject([{ message: 'password=hunter2secret' }, requestId]);
  });
});

describe.each(STORES)('late decision over HTTP %s', (_, open) => {
  it('gets the first decision', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    await startedRun(site, 'pay a');
    const [hold] = (await site.ask('acme/grace', 'GET', '/v1/holds')).body.items;
    const body = { digest: hold.digest, decision: { kind: 'deny', reason: 'hunter2secret' } };
    await site.ask('acme/grace', 'POST', `/v1/holds/${hold.id}/decision`, body);

    const second = await site.ask('acme/eve', 'POST', `/v1/holds/${hold.id}/decision`, {
      digest: hold.digest,
      decision: { kind: 'approve' },
    });

    expect(second).toMatchObject({
      status: 409,
      body: {
        code: 'hold-settled',
        outcome: 'decided',
        firstDecision: { by: { id: 'grace' }, kind: 'deny' },
      },
    });
    expect(second.text).not.toContain('hunter2secret');
  });

  it('gets the outcome of an expired, superseded or cancelled hold', async () => {
    await using opened = await open();
    const bank = newBank();
    const agents = { teller: { agent: teller, deps: () => bank } };
    const site = siteOf(openDesk({ store: opened.store, agents, expiresAfter: 60_000 }));
    const approve = async (runId: string) => {
      const states = 'states=open&states=expired&states=superseded&states=cancelled';
      const { body } = await site.ask('acme/ada', 'GET', `/v1/holds?runId=${runId}&${states}`);
      const [{ id, digest }] = body.items;
      const decision = { digest, decision: { kind: 'approve' } };
      return site.ask('acme/ada', 'POST', `/v1/holds/${id}/decision`, decision);
    };
    const [late, superseded, cancelled] = [
      await startedRun(site, 'pay a'),
      await startedRun(site, 'pay b'),
      await startedRun(site, 'pay c'),
    ];
    const { body } = await site.ask('acme/ada', 'GET', `/v1/runs/${superseded}`);
    await site.ask('acme/ada', 'POST', `/v1/conversations/${body.conversationId}/messages`, {
      prompt: 'Stop.',
      onOpenHolds: 'supersede',
    });
    await site.ask('acme/ada', 'POST', `/v1/runs/${cancelled}/cancel`, {});
    opened.clock.advance(60_001);

    expect(await approve(late)).toMatchObject({
      status: 410,
      body: { code: 'hold-settled' },
    });
    await site.desk.forTenant('acme').work({ runId: late });
    expect(await approve(superseded)).toMatchObject({
      status: 410,
      body: { outcome: 'superseded' },
    });
    expect(await approve(cancelled)).toMatchObject({
      status: 410,
      body: { outcome: 'cancelled' },
    });
    expect(bank.paid).toEqual([]);
  });

  it('is rejected with another digest or of the wrong kind', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const runId = await startedRun(site, 'pay a, pay b');
    const [a, b] = (await site.ask('acme/grace', 'GET', '/v1/holds')).body.items;
    const decision = (digest: string, kind: object = { kind: 'approve' }) =>
      site.ask('acme/grace', 'POST', `/v1/holds/${a.id}/decision`, { digest, decision: kind });

    for (const digest of [b.digest, 'forged', a.digest.toUpperCase(), `${a.digest} `]) {
      expect(await decision(digest)).toMatchObject({
        status: 409,
        body: { code: 'stale-digest' },
      });
    }
    expect(await decision(a.digest, { kind: 'result', value: 1 })).toMatchObject({
      status: 422,
      body: { code: 'decision-does-not-fit' },
    });
    expect((await decision('')).status).toBe(400);
    expect(await site.ask('acme/x', 'POST', '/v1/runs', { agent: 'x', prompt: 'x' })).toMatchObject(
      {
        status: 422,
        body: { code: 'unknown-agent' },
      },
    );
    expect((await site.desk.forTenant('acme').run(runId)).openHolds).toBe(2);
    expect(site.bank.paid).toEqual([]);
  });
});

describe.each(STORES)('concurrent decisions over HTTP %s', (_, open) => raceCases(open));

describe('a conversation over HTTP', () => {
  it('rejects idempotency keys that were used for another operation', async () => {
    const clock = new TestClock();
    const { ask } = siteOn(await sqliteStore({ now: clock.now }));
    const first = { agent: 'teller', prompt: 'a', idempotencyKey: 'k' };
    await ask('acme/ada', 'POST', '/v1/runs', first);

    const other = await ask('acme/ada', 'POST', '/v1/runs', { ...first, prompt: 'b' });

    expect(other).toMatchObject({
      status: 422,
      body: { code: 'idempotency-key-reused' },
    });
  });
});
