import { expect, it } from 'vitest';
import type { OpenHttpStore } from '../support/http-store.ts';
import { type Site, siteOn, startedRun } from '../support/site.ts';

async function waiting(site: Site) {
  const runId = await startedRun(site, 'pay acme, look_up x');
  const { body } = await site.ask('acme/ada', 'GET', `/v1/holds?runId=${runId}`);
  const [pay, lookUp] = body.items;
  return { runId, pay, lookUp };
}

/** Malformed and hostile requests, on any store. They are rejected or accepted, and never cause an internal error. */
export function strangeCases(open: OpenHttpStore): void {
  it('gain no access by a header, a method or an address', async () => {
    await using opened = await open();
    const errors: unknown[] = [];
    const site = siteOn(opened.store, { onError: (error) => errors.push(error) });
    const { runId, pay } = await waiting(site);
    const decision = { digest: pay.digest, decision: { kind: 'approve' } };
    const headers = {
      authorization: 'Bearer acme/grace',
      'content-type': 'application/json',
      'x-http-method-override': 'POST',
      'x-method-override': 'POST',
    };
    const send = (method: string, path: string, body?: unknown) =>
      site.app.fetch(
        new Request(`http://desk.test${path}`, {
          method,
          headers,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      );

    expect((await send('GET', `/v1/holds/${pay.id}/decision`)).status).toBe(404);
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'post ']) {
      const path = `/v1/holds/${pay.id}/decision`;
      const sent = async () => (await send(method, path, decision)).status;
      if (method === 'post ') await expect(sent).rejects.toThrow();
      else expect(await sent(), method).toBe(404);
    }
    for (const path of [
      `/v1/holds%2f${pay.id}/decision`,
      `/v1/holds/${pay.id}%2fdecision`,
      `/v1/holds/${pay.id}/decision/`,
      `//v1/holds/${pay.id}/decision`,
      `/v1/runs/${runId}/../../holds/${pay.id}/decision%00`,
      `/v1/holds/${pay.id.toUpperCase()}/decision`,
      `/v1/holds/${pay.id}%0d%0aset-cookie:%20a=b/decision`,
      `/v1/holds/${pay.id};/decision`,
    ]) {
      const response = await send('POST', path, decision);
      expect(response.status, path).toBe(404);
      expect(response.headers.get('set-cookie')).toBeNull();
    }
    expect((await site.desk.forTenant('acme').run(runId)).openHolds).toBe(2);
    expect(errors).toEqual([]);
  });

  it('are rejected with invalid limits and cursors', async () => {
    await using opened = await open();
    const errors: unknown[] = [];
    const site = siteOn(opened.store, { onError: (error) => errors.push(error) });
    const { runId } = await waiting(site);
    const status = async (path: string) => (await site.ask('acme/ada', 'GET', path)).status;
    const cursor = (...values: readonly unknown[]) =>
      Buffer.from(JSON.stringify(values)).toString('base64url');
    const LARGEST = Number.MAX_SAFE_INTEGER;

    for (const limit of [
      '0',
      '-1',
      '1.5',
      '501',
      '1e400',
      'NaN',
      'Infinity',
      '99999999999999999999',
    ]) {
      expect(await status(`/v1/runs?limit=${limit}`), limit).toBe(400);
    }
    expect(await status(`/v1/runs/${runId}/audit?after=1e400`)).toBe(400);
    expect(await status(`/v1/runs/${runId}/audit?after=${LARGEST}`)).toBe(200);
    expect(await status(`/v1/runs?after=${cursor(LARGEST, 'x')}`)).toBe(200);
    expect(await status(`/v1/runs?after=${cursor(-LARGEST, 'x')}`)).toBe(200);
    expect(await status(`/v1/holds?after=${cursor(LARGEST, 'x', LARGEST, 'x')}`)).toBe(200);
    expect(await status(`/v1/holds?after=${cursor(1, 'x', 1e300, 'x')}`)).toBe(400);
    expect(await status(`/v1/holds?${'states=open&'.repeat(1_000)}`)).toBe(400);
    expect(await status(`/v1/holds?limit=1&limit=2`)).toBe(400);
    for (const name of ['constructor', 'toString', 'a.b', 'a[b]']) {
      expect(await status(`/v1/runs?${name}=1`), name).toBe(400);
    }
    expect(await status('/v1/runs?__proto__=1')).toBeLessThan(500);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('may contain any text, which is returned unchanged', async () => {
    await using opened = await open();
    const errors: unknown[] = [];
    const site = siteOn(opened.store, { onError: (error) => errors.push(error) });
    const { runId, pay, lookUp } = await waiting(site);
    const text = 'a\0b \ud800 \udfff \u2028 \u202e \ufffe 🂡 \\u0000';
    const grace = site.client('acme/grace');

    await grace.decide(pay.id, { digest: pay.digest, decision: { kind: 'deny', reason: text } });
    await grace.decide(lookUp.id, {
      digest: lookUp.digest,
      decision: { kind: 'result', value: { [text]: text, constructor: 1, number: 1e308 } },
    });

    expect((await grace.hold(pay.id)).decisions[0]?.decision).toEqual({
      kind: 'deny',
      reason: text,
    });
    expect((await grace.hold(lookUp.id)).decisions[0]?.decision).toEqual({
      kind: 'result',
      value: { [text]: text, constructor: 1, number: 1e308 },
    });
    await site.desk.forTenant('acme').work({ runId });
    expect((await grace.run(runId)).state).toBe('finished');
    const { id, conversationId } = await grace.start({ agent: 'teller', prompt: text });
    await site.desk.forTenant('acme').work({ runId: id });
    expect((await grace.run(id)).output).toBe(`You said: ${text}`);
    expect(JSON.stringify(await grace.history(conversationId))).toContain(
      JSON.stringify(text).slice(1, -1),
    );
    expect(errors).toEqual([]);
  });

  it('are rejected with names that are not valid text and numbers outside of JSON', async () => {
    await using opened = await open();
    const errors: unknown[] = [];
    const site = siteOn(opened.store, { onError: (error) => errors.push(error) });
    const { pay, lookUp } = await waiting(site);
    const post = async (path: string, body: unknown) =>
      (await site.ask('acme/ada', 'POST', path, body)).status;
    const start = { agent: 'teller', prompt: 'Hi' };

    for (const name of ['', '\ud800', 'a\0', 'a\r\nb', 'x'.repeat(201)]) {
      expect(await post('/v1/runs', { ...start, idempotencyKey: name })).toBe(400);
      expect(await post('/v1/runs', { ...start, conversationId: name })).toBe(400);
    }
    for (const agent of ['__proto__', 'constructor', 'toString']) {
      expect(await post('/v1/runs', { ...start, agent }), agent).toBe(422);
    }
    for (const agent of ['', '\0', 'x'.repeat(100_000)]) {
      expect(await post('/v1/runs', { ...start, agent })).toBe(400);
    }
    const infinite = `{"digest":"${lookUp.digest}","decision":{"kind":"result","value":1e999}}`;
    expect(await post(`/v1/holds/${lookUp.id}/decision`, infinite)).toBe(400);
    const inside = `{"digest":"${pay.digest}","decision":{"kind":"approve","args":{"to":[1,-1e999]}}}`;
    expect(await post(`/v1/holds/${pay.id}/decision`, inside)).toBe(400);
    const proto = `{"digest":"${pay.digest}","decision":{"kind":"approve","args":{"a":{"__proto__":{"to":"eve"}}}}}`;
    expect(await post(`/v1/holds/${pay.id}/decision`, proto)).toBe(400);
    expect((await site.desk.forTenant('acme').holds()).items).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  it('get at most 20 errors', async () => {
    await using opened = await open();
    const site = siteOn(opened.store);
    const names = Array.from({ length: 20_000 }, (_, index) => [`name-${index}`, 1]);
    const body = { ...Object.fromEntries(names), ['x'.repeat(500_000)]: 1 };

    const { status, text } = await site.ask('acme/ada', 'POST', '/v1/runs', body);

    expect(status).toBe(400);
    expect(text.length).toBeLessThan(10_000);
  });
}
