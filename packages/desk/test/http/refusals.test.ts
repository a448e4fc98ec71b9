import { memoryStore, openDesk } from '@holdpoint/desk';
import { describe, expect, it } from 'vitest';
import { newBank, teller } from '../support/bank.ts';
import { STORES, TestClock } from '../support/opened-store.ts';
import { raceCases } from './cases/race.ts';
import { siteOf, siteOn, startedRun } from './support/site.ts';

describe('what a desk over HTTP refuses', () => {
  const start = { agent: 'teller', prompt: 'Hi' };

  it('takes JSON and nothing else', async () => {
    const { app } = siteOn(memoryStore());
    const post = (body: BodyInit | undefined, type?: string) =>
      app.fetch(
        new Request('http://desk.test/runs', {
          method: 'POST',
          headers: { authorization: 'Bearer a/b', ...(type && { 'content-type': type }) },
          ...(body !== undefined && { body }),
        }),
      );

    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      expect((await post(JSON.stringify(start), type)).status, type).toBe(415);
    }
    expect((await post(undefined)).status).toBe(415);
    expect((await post(new URLSearchParams({ agent: 'teller', prompt: 'Hi' }))).status).toBe(415);
    expect((await post(JSON.stringify(start), 'application/json; charset=utf-8')).status).toBe(201);
  });

  it.each([
    ['', 'no JSON'],
    ['{"agent":', 'no JSON'],
    ['{"agent":1 "secret-in-no-quotes"}', 'position 11'],
    ['{"agent": secret-in-no-quotes}', 'no JSON'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'nested more than 100 times'],
    [`{"agent":"teller","prompt":"Hi","__proto__":{"a":1}}`, '__proto__'],
  ])('refuses a body that is not JSON, or strange: %#', async (body, why) => {
    const { ask } = siteOn(memoryStore());

    const answer = await ask('acme/ada', 'POST', '/runs', body || ' ');

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid-body' } } });
    expect(answer.body.error.message).toContain(why);
    expect(answer.text).not.toContain('secret-in-no-quotes');
  });

  it('refuses bytes that are not UTF-8', async () => {
    const { app } = siteOn(memoryStore());
    const headers = { authorization: 'Bearer a/b', 'content-type': 'application/json' };
    const body = new Uint8Array([0x22, 0xff, 0x22]);

    const { status } = await app.fetch(
      new Request('http://desk.test/runs', { method: 'POST', headers, body }),
    );

    expect(status).toBe(400);
  });

  it('says where a mistake is, and not what was sent', async () => {
    const { ask } = siteOn(memoryStore());

    const unknown = await ask('acme/ada', 'POST', '/runs', { ...start, requester: { id: 'root' } });
    const wrong = await ask('acme/ada', 'POST', `/holds/${'0'.repeat(32)}/answer`, {
      digest: 'x',
      answer: { kind: 'edit', args: 'hunter2secret', why: 'hunter2secret' },
    });
    const kind = await ask('acme/ada', 'POST', `/holds/${'0'.repeat(32)}/answer`, {
      digest: 'x',
      answer: { kind: 'hunter2secret' },
    });
    const query = await ask('acme/ada', 'GET', '/holds?states=waiting&page=2&limit=1e9');

    expect(unknown).toMatchObject({
      status: 400,
      body: {
        error: {
          code: 'invalid-request',
          problems: [{ place: 'body.requester', problem: 'is not known here, leave it out' }],
        },
      },
    });
    expect(wrong.body.error.problems).toEqual([
      { place: 'body.answer.args', problem: 'must be an object' },
      { place: 'body.answer.why', problem: 'is not known here, leave it out' },
    ]);
    expect(kind.body.error.problems).toEqual([
      { place: 'body.answer.kind', problem: 'is none of those that are known' },
    ]);
    expect(wrong.text + kind.text).not.toContain('hunter2secret');
    expect(query.body.error.problems.map(({ place }: { place: string }) => place)).toEqual([
      'query.limit',
      'query.states.0',
      'query.page',
    ]);
    expect((await ask('acme/ada', 'GET', '/runs?after=bm9uc2Vuc2U')).status).toBe(400);
    for (const cursor of [['x', 'y'], [1, 'a\0'], [1e99, 'x'], [1], [1, 2], { 0: 1 }, 'x']) {
      const after = Buffer.from(JSON.stringify(cursor)).toString('base64url');
      expect((await ask('acme/ada', 'GET', `/runs?after=${after}`)).status, after).toBe(400);
    }
    expect((await ask('acme/ada', 'GET', '/runs?agent=%00')).status).toBe(400);
    expect((await ask('acme/ada', 'GET', '/holds?text=%00')).status).toBe(400);
    expect((await ask('acme/ada', 'GET', '/runs?agent=a&agent=b')).status).toBe(400);
    expect((await ask('acme/ada', 'GET', '/health?really=1')).status).toBe(400);
  });

  it('refuses bodies beyond the limit, whether or not they say how long they are', async () => {
    const { app, desk } = siteOn(memoryStore(), { mostBytes: 1_000 });
    const headers = { authorization: 'Bearer a/b', 'content-type': 'application/json' };
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(600).fill(0x20));
      },
    });

    const said = await app.fetch(
      new Request('http://desk.test/runs', { method: 'POST', headers, body: ' '.repeat(1_001) }),
    );
    const unsaid = await app.fetch(
      new Request('http://desk.test/runs', {
        method: 'POST',
        headers,
        body: endless,
        duplex: 'half',
      } as RequestInit),
    );

    expect(said.status).toBe(413);
    expect(unsaid.status).toBe(413);
    expect(await unsaid.json()).toMatchObject({ error: { code: 'too-large', mostBytes: 1_000 } });
    expect(pulled).toBeLessThan(5);
    expect((await desk.forTenant('a').runs()).items).toEqual([]);
  });

  it('has a limit of a million bytes', async () => {
    const { ask } = siteOn(memoryStore());
    const prompt = 'x'.repeat(999_900);

    expect((await ask('a/b', 'POST', '/runs', { agent: 'teller', prompt })).status).toBe(201);
    expect(
      (await ask('a/b', 'POST', '/runs', { agent: 'teller', prompt: `${prompt}${prompt}` })).status,
    ).toBe(413);
  });

  it('says nothing to other sites, and has browsers keep and show nothing', async () => {
    const { app } = siteOn(memoryStore());
    const origin = { origin: 'https://evil.example', authorization: 'Bearer a/b' };

    const answers = [
      await app.fetch(new Request('http://desk.test/runs', { headers: origin })),
      await app.fetch(new Request('http://desk.test/nothing', { headers: origin })),
      await app.fetch(new Request('http://desk.test/runs')),
      await app.fetch(new Request('http://desk.test/runs', { method: 'OPTIONS', headers: origin })),
    ];

    for (const { headers } of answers) {
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('content-type')).toContain('application/json');
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 404]);
  });

  it('tells people nothing of what went wrong inside, and its owner everything', async () => {
    const store = Object.assign(Object.create(memoryStore()), {
      read: () => Promise.reject(new Error('password=hunter2secret')),
    });
    const errors: unknown[] = [];
    const desk = openDesk({ store, agents: { teller: { agent: teller, deps: () => newBank() } } });
    const { ask } = siteOf(desk, {
      onError: (error, { requestId }) => errors.push(error, requestId),
    });

    const answer = await ask('acme/ada', 'GET', '/runs');

    expect(answer).toMatchObject({ status: 500, body: { error: { code: 'internal' } } });
    expect(answer.text).not.toContain('hunter2');
    expect(answer.text).not.toContain('told');
    const { requestId, message } = answer.body.error;
    expect(message).toContain(requestId);
    expect(answer.headers.get('x-request-id')).toBe(requestId);
    expect(errors).toMatchObject([{ message: 'password=hunter2secret' }, requestId]);
  });
});

describe.each(STORES)('an answer over HTTP that comes too late, %s', (_, open) => {
  it('is told who was first', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    await startedRun(site, 'pay a');
    const [hold] = (await site.ask('acme/grace', 'GET', '/holds')).body.items;
    const body = { digest: hold.digest, answer: { kind: 'deny', message: 'hunter2secret' } };
    await site.ask('acme/grace', 'POST', `/holds/${hold.id}/answer`, body);

    const second = await site.ask('acme/eve', 'POST', `/holds/${hold.id}/answer`, {
      digest: hold.digest,
      answer: { kind: 'approve' },
    });

    expect(second).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'hold-settled',
          outcome: 'decided',
          firstAnswer: { by: { id: 'grace' }, kind: 'deny' },
        },
      },
    });
    expect(second.text).not.toContain('hunter2secret');
  });

  it('is told that the call has expired, was superseded or cancelled', async () => {
    await using opened = await open();
    const bank = newBank();
    const agents = { teller: { agent: teller, deps: () => bank } };
    const site = siteOf(openDesk({ store: opened.store, agents, expiresAfter: 60_000 }));
    const approve = async (runId: string) => {
      const states = 'states=open&states=expired&states=superseded&states=cancelled';
      const { body } = await site.ask('acme/ada', 'GET', `/holds?runId=${runId}&${states}`);
      const [{ id, digest }] = body.items;
      const answer = { digest, answer: { kind: 'approve' } };
      return site.ask('acme/ada', 'POST', `/holds/${id}/answer`, answer);
    };
    const [late, superseded, cancelled] = [
      await startedRun(site, 'pay a'),
      await startedRun(site, 'pay b'),
      await startedRun(site, 'pay c'),
    ];
    const { body } = await site.ask('acme/ada', 'GET', `/runs/${superseded}`);
    await site.ask('acme/ada', 'POST', `/conversations/${body.conversationId}/messages`, {
      prompt: 'Stop.',
      onOpenHolds: 'supersede',
    });
    await site.ask('acme/ada', 'POST', `/runs/${cancelled}/cancel`, {});
    opened.clock.advance(60_001);

    expect(await approve(late)).toMatchObject({
      status: 410,
      body: { error: { code: 'hold-settled' } },
    });
    await site.desk.forTenant('acme').work({ runId: late });
    expect(await approve(superseded)).toMatchObject({
      status: 410,
      body: { error: { outcome: 'superseded' } },
    });
    expect(await approve(cancelled)).toMatchObject({
      status: 410,
      body: { error: { outcome: 'cancelled' } },
    });
    expect(bank.paid).toEqual([]);
  });

  it('is refused for another digest, and if it does not fit', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const runId = await startedRun(site, 'pay a, pay b');
    const [a, b] = (await site.ask('acme/grace', 'GET', '/holds')).body.items;
    const answer = (digest: string, kind: object = { kind: 'approve' }) =>
      site.ask('acme/grace', 'POST', `/holds/${a.id}/answer`, { digest, answer: kind });

    for (const digest of [b.digest, 'forged', a.digest.toUpperCase(), `${a.digest} `]) {
      expect(await answer(digest)).toMatchObject({
        status: 409,
        body: { error: { code: 'stale-digest' } },
      });
    }
    expect(await answer(a.digest, { kind: 'result', value: 1 })).toMatchObject({
      status: 422,
      body: { error: { code: 'answer-does-not-fit' } },
    });
    expect((await answer('')).status).toBe(400);
    expect(await site.ask('acme/x', 'POST', '/runs', { agent: 'x', prompt: 'x' })).toMatchObject({
      status: 422,
      body: { error: { code: 'unknown-agent' } },
    });
    expect((await site.desk.forTenant('acme').run(runId)).openHolds).toBe(2);
    expect(site.bank.paid).toEqual([]);
  });
});

describe.each(STORES)('the answer over HTTP that counts, %s', (_, open) => raceCases(open));

describe('a conversation over HTTP', () => {
  it('is not confused by keys that are used for something else', async () => {
    const clock = new TestClock();
    const { ask } = siteOn(memoryStore({ now: clock.now }));
    const first = { agent: 'teller', prompt: 'a', idempotencyKey: 'k' };
    await ask('acme/ada', 'POST', '/runs', first);

    const other = await ask('acme/ada', 'POST', '/runs', { ...first, prompt: 'b' });

    expect(other).toMatchObject({
      status: 422,
      body: { error: { code: 'idempotency-key-reused' } },
    });
  });
});
